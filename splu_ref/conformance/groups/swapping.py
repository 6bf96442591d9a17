"""Vectors of swapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.groups.secrets import document_of, sent

PAGE = "docs/specification/publishing.md"
TAPE = "publish_swap"
CODES = [k * k % 7 for k in range(20)]
LONG = {
    "8": "255/256",
    "9": "1/257",
    "16": "12345/65536",
    "31": "1000000007/2147483647",
    "53": "1234567890123457/9007199254740993",
    "63": "1/9223372036854775807",
    "2-to-63": "9223372036854775807/9223372036854775808",
}
"""Retentions whose denominators have so many bits."""


def groups() -> Iterator[Group]:
    """Yield the vector files of swapping."""
    for retention in ("0", "1/2", "1/3", "0.35", "9/10", "2/6"):
        fixed: dict[str, object] = {"retention": retention}
        about = f"Cells that stay with probability {retention}."
        name = f"retention-{retention.replace('/', '_')}"
        yield Group(TAPE, name, about, PAGE, tuple(_tables(fixed)), fixed)
    yield Group(TAPE, "coins", "Coins of many bits.", PAGE, tuple(_coins()))
    yield Group(TAPE, "chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    yield Group(TAPE, "invalid", "Tables and parameters that are refused.", PAGE, tuple(_invalid()))
    yield Group("manifest", "swapping", "Manifests of swapping.", PAGE, tuple(_manifests()))


def _tables(fixed: Mapping[str, object]) -> Iterator[Case]:
    for name, sensitive in {
        "one": [CODES],
        "two-records": [[0, 1]],
        "three-records": [[2, 0, 1], [0, 0, 1]],
        "one-value": [[4] * 9],
        "two": [CODES, list(range(20))],
        "two-the-other-way": [list(range(20)), CODES],
        "three": [CODES, CODES, list(range(20))[::-1]],
        "many": [[k * k % 11 for k in range(120)]],
    }.items():
        fields: dict[str, object] = {"sensitive": sensitive}
        for left in range(2):
            tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/{name}/{left}", left=left)
            yield Case(f"{name}-{left}", {**fields, "tape": tape}, ("TapeLeft",) if left else ())
    fields = {"sensitive": [CODES, CODES]}
    short = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}", missing=1)
    yield Case("two-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _coins() -> Iterator[Case]:
    for name, retention in LONG.items():
        u, w = map(int, retention.split("/"))
        width = -(-(w - 1).bit_length() // 8)
        ends = [0, u - 1, u, w - 1, min(u + 1, w - 1)]
        coins = b"".join(end.to_bytes(width, "big") for end in ends).hex()
        released = sum(end >= u for end in ends)
        orders = keys(*range(released)) + keys(*range(released)[::-1]) if released > 1 else ""
        fields = {"sensitive": [[5, 6, 7, 8, 9]], "retention": retention, "tape": coins + orders}
        yield Case(f"ends-{name}", fields, ("Exact", "Limit"))
        drawn: dict[str, object] = {"sensitive": [list(range(24))], "retention": retention}
        yield Case(f"drawn-{name}", {**drawn, "tape": seeded_tape(TAPE, drawn, f"{TAPE}/{name}")}, ("Exact",))


def _chosen() -> Iterator[Case]:
    half: dict[str, object] = {"retention": "1/2", "sensitive": [[10, 11, 12, 13]]}
    # Coins 1, 0, 1, 1 release the records 0, 2 and 3; the order 3, 0, 2 of their cells, the places 2, 3, 0.
    order, places = keys(2, 3, 1), keys(3, 1, 2)
    page = "01000101" + order + places
    yield Case("of-the-page", {**half, "tape": page})
    yield Case("masked", {**half, "tape": "fd02ff03" + order + places}, ("Masked",))
    yield Case("one-order-twice", {**half, "tape": "01000101" + order + order}, ("Limit",))
    yield Case("all-stay", {**half, "tape": "00000000"}, ("NothingRead", "Limit"))
    yield Case("one-is-released", {**half, "tape": "00000100"}, ("Limit",))
    yield Case("two-are-released", {**half, "tape": "01000001" + keys(1, 2) + keys(2, 1)})
    yield Case(
        "all-are-released", {**half, "tape": "01010101" + keys(1, 2, 3, 4) + keys(4, 3, 2, 1)}, ("Limit",)
    )
    third = {**half, "retention": "1/3"}
    # 0 stays, 1 and 2 release, 3 is drawn again.
    rejected = "0301" + "030300" + "02" + "01" + order + places
    yield Case("rejections-in-a-row", {**third, "tape": rejected}, ("Rejection", "RejectionsInARow"))
    ties = keys(5, 5, 5, 2, 1, 2, 7, 6)
    yield Case("ties-in-the-order", {**half, "tape": "01000101" + ties + places}, ("Tie", "TieAgain"))
    yield Case("ties-in-the-places", {**half, "tape": "01000101" + order + ties}, ("Tie", "TieAgain"))
    nothing = {"retention": "0", "sensitive": [[3, 2, 1]]}
    yield Case("no-coins", {**nothing, "tape": keys(3, 1, 2) + keys(1, 2, 3)}, ("Limit",))
    two = {**half, "sensitive": [[10, 11, 12, 13], [20, 21, 22, 23]]}
    after = "00010100" + keys(2, 1) + keys(1, 2)
    yield Case("a-column-after-the-other", {**two, "tape": page + after})
    for name, tape in {
        "empty-tape": "",
        "ends-in-the-coins": page[:6],
        "ends-in-the-order": page[:28],
        "ends-in-the-places": page[:-2],
        "ends-between-the-columns": page,
        "ends-in-the-second-column": page + after[:-2],
    }.items():
        yield Case(name, {**two, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _invalid() -> Iterator[Case]:
    valid: dict[str, object] = {"sensitive": [[0, 1], [1, 0]], "retention": "1/2", "tape": "00" * 99}
    for name, flag, changed in (
        ("retention-1", "OutOfRange", {"retention": "1"}),
        ("retention-above-1", "OutOfRange", {"retention": "3/2"}),
        ("retention-negative", "OutOfRange", {"retention": "-1/2"}),
        ("coins-above-2-to-63", "OutOfRange", {"retention": f"1/{(1 << 63) + 1}"}),
        ("no-columns", "Zero", {"sensitive": []}),
        ("no-records", "Zero", {"sensitive": [[]]}),
        ("one-record", "OutOfRange", {"sensitive": [[0]]}),
        ("one-record-of-two-columns", "OutOfRange", {"sensitive": [[0], [1]]}),
        ("unequal-lengths", "OutOfRange", {"sensitive": [[0, 1], [0, 1, 2]]}),
        ("negative-code", "OutOfRange", {"sensitive": [[0, -1]]}),
        ("a-list-of-codes", "WrongType", {"sensitive": [0, 1]}),
        ("codes-as-texts", "WrongType", {"sensitive": [["0", "1"]]}),
        ("fraction", "WrongType", {"sensitive": [[0, 0.5]]}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")
        if flag != "WrongType":
            none = valid | changed | {"tape": ""}
            yield Case(f"{name}-and-no-bytes", none, (flag, "BeforeTheTape"), "parameter")
    for field, value in (("order", "kept"), ("gamma", 2), ("replacing", "uniform")):
        yield Case(f"field-{field}", valid | {field: value}, ("Unknown",), "unsupported")


def _manifests() -> Iterator[Case]:
    entries = [{"column": "job", "domain": ["cook", "nurse"]}]
    valid = document_of(method="swapping", gamma=None, plan=None, retention="3/10", sensitive=entries)
    for name, changed in (
        ("as-told", {}),
        ("decimal", {"retention": "0.30"}),
        ("retention-0", {"retention": "0"}),
    ):
        yield Case(name, sent({**valid, **changed}))
    for label, bad in (
        ("retention-1", "1"),
        ("retention-above-1", "3/2"),
        ("retention-negative", "-1/2"),
        ("retention-number", 0.3),
        ("retention-null", None),
        ("coins-above-2-to-63", f"1/{(1 << 63) + 1}"),
    ):
        yield Case(label, sent({**valid, "retention": bad}), ("OutOfRange",), "parameter")
