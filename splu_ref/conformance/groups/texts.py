"""Vectors of texts beyond ASCII: their bytes are UTF-8 however a line spells them, and none is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group, Line
from splu_ref.conformance.groups.keyed import KEY, NAMES, record

PAGE = "docs/specification/randomness.md"
COLUMNS = {
    "composed": "\u00e9tat",
    "decomposed": "e\u0301tat",
    "compatible": "\ufb01eld",
    "beyond-16-bits": "\U0001f9ea \U00010000",
    "blanks-around": " occupation ",
    "byte-order-mark": "\ufeffoccupation",
    "line-separator": "a\u2028b\u0085c",
    "nul": "a\u0000b",
    "private": "\ue000\U0010ffff",
}


def groups() -> Iterator[Group]:
    """Yield the vector files of texts."""
    about = "Names of columns beyond ASCII, and names that a reader might hold to be equal."
    yield Group("keyed", "names", about, PAGE, tuple(_keyed()), {"release_key": KEY})
    yield Group(
        "plan_secret", "names", about, PAGE, tuple(_secrets()), {"release_key": KEY, "block": 0, "size": 40}
    )
    about = "Texts beyond ASCII in the message of a release key."
    yield Group("release_key", "texts", about, PAGE, tuple(_messages()))
    about = "Requests in UTF-8 and in escapes, which are the same requests."
    yield Group("release_key", "lines", about, PAGE, lines=tuple(_lines()))


def _keyed() -> Iterator[Case]:
    fields: dict[str, object] = {
        "identities": list(NAMES),
        "codes": [0, 1, 0, 1, 0, 1],
        "bound": 5,
        "remainder": 2,
    }
    for name, column in COLUMNS.items():
        yield Case(name, {**fields, "column": column}, ("Text",))


def _secrets() -> Iterator[Case]:
    for name, column in COLUMNS.items():
        yield Case(name, {"column": column}, ("Text",))


def _request(**changed: object) -> dict[str, object]:
    return {
        "key": KEY,
        "mechanism": "SPLU-Gen",
        "facts": [["gamma", "3"], ["retention", "1/3"], ["plan", "mixed"]],
        "sensitive": ["occupation"],
        "columns": ["zip", "occupation", "age"],
        "records": [record("8001", "cook", "39"), record("8002", "nurse", "41")],
        **changed,
    }


def _messages() -> Iterator[Case]:
    yield Case("columns-in-the-order-of-the-table", _request())
    yield Case(
        "facts-in-another-order", _request(facts=[["plan", "mixed"], ["gamma", "3"], ["retention", "1/3"]])
    )
    yield Case("sensitive-in-another-order", _request(sensitive=["zip", "occupation", "age"]))
    yield Case("retention-not-in-lowest-terms", _request(facts=[["gamma", "3"], ["retention", "2/6"]]))
    for name, text in COLUMNS.items():
        fields = _request(columns=[text, "x"], sensitive=[text], id_column=text, missing=text, mechanism=text)
        yield Case(name, fields, ("Text",))
    sums = [record(str(number)) for number in range(40)]
    yield Case("forty-records", _request(records=sums))


def _lines() -> Iterator[Line]:
    def sent(escaped: bool, **changed: object) -> bytes:
        request = {"op": "release_key", **_request(**changed)}
        return json.dumps(request, ensure_ascii=escaped).encode()

    for name, text in COLUMNS.items():
        yield Line(f"{name}-in-utf-8", sent(False, columns=[text], sensitive=[text]), ("Text",), None)
        yield Line(f"{name}-in-escapes", sent(True, columns=[text], sensitive=[text]), ("Text",), None)
    request = sent(False, columns=["x"])
    yield Line("keys-in-escapes", request.replace(b'"columns"', b'"\\u0063olumns"'), ("Text",), None)
    yield Line("white-space", request.replace(b", ", b" ,\t ").replace(b": ", b"\t:  ") + b" \r", (), None)
    latin = sent(False, columns=["\u00e9"]).replace("\u00e9".encode(), b"\xe9")
    yield Line("latin-1", latin, ("Text",))
    for field in ("mechanism", "id_column", "missing"):
        halved = sent(True, **{field: "a\ud83e"})
        yield Line(f"{field.replace('_', '-')}-half-a-pair", halved, ("Text",), "parameter")
    for field in ("columns", "sensitive"):
        yield Line(f"{field}-half-a-pair", sent(True, **{field: ["a\udd2a"]}), ("Text",), "parameter")
    yield Line("escaped-slash", request.replace(b'"1/3"', b'"1\\/3"'), ("Text",), None)
