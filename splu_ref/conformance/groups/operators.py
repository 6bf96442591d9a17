"""Vectors of publishing by a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.randomness import keys

PAGE = "docs/specification/publishing.md"
TAPE = "publish_operator"
EXAMPLE = [["1/2", "1/3", "1/6"], ["0", "1/4", "3/4"], ["1/5", "0", "4/5"]]
MATRICES: Mapping[str, Sequence[Sequence[str]]] = {
    "of-the-page": EXAMPLE,
    "two-values": [["3/4", "1/4"], ["0.1", "0.9"]],
    "unreduced": [["2/4", "2/4"], ["6/8", "2/8"]],
    "best": [["9/13", "2/13", "2/13"], ["2/13", "9/13", "2/13"], ["2/13", "2/13", "9/13"]],
    "one-row": [["1/7", "2/7", "4/7"]] * 3,
    "identity": [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
    "moved-on": [["0", "1", "0"], ["0", "0", "1"], ["1", "0", "0"]],
    "never-published": [["1/2", "1/2", "0"], ["1/3", "2/3", "0"], ["1/4", "3/4", "0"]],
    "zeros-first": [
        ["0", "0", "1/3", "2/3"],
        ["0", "1", "0", "0"],
        ["1/2", "0", "0", "1/2"],
        ["0", "0", "0", "1"],
    ],
    "bytes": [["1/256", "255/256"], ["1/257", "256/257"]],
}
SHUFFLED = ("of-the-page", "two-values", "identity")
LONG = {
    "31": ("1000000007/2147483647", "1147483640/2147483647"),
    "53": ("1234567890123457/9007199254740993", "7772631364617536/9007199254740993"),
    "63": ("1/9223372036854775807", "9223372036854775806/9223372036854775807"),
    "2-to-63": ("9223372036854775807/9223372036854775808", "1/9223372036854775808"),
}
"""Rows whose common denominators have so many bits."""


def groups() -> Iterator[Group]:
    """Yield the vector files of publishing by a matrix."""
    for name, matrix in MATRICES.items():
        for order in ("kept", "shuffled") if name in SHUFFLED else ("kept",):
            fixed: dict[str, object] = {"matrix": [list(row) for row in matrix], "order": order}
            about = f"The matrix {name}, rows {order}."
            yield Group(TAPE, f"{name}-{order}", about, PAGE, tuple(_tables(fixed, len(matrix))), fixed)
    yield Group(TAPE, "chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    about = "Rows with large denominators."
    yield Group(TAPE, "large", about, PAGE, tuple(_large()), requires=("large-integers",))
    yield Group(TAPE, "invalid", "Tables and matrices that are refused.", PAGE, tuple(_invalid()))


def _tables(fixed: Mapping[str, object], size: int) -> Iterator[Case]:
    for name, sensitive in {
        "one-record": [size - 1],
        "each-once": list(range(size))[::-1],
        "a-value-is-missing": [0, size - 1, 0, 0, size - 1],
        "mixed": [k * k % 7 % size for k in range(40)],
    }.items():
        fields: dict[str, object] = {"sensitive": sensitive}
        for left in range(2):
            tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/{name}/{left}", left=left)
            yield Case(f"{name}-{left}", {**fields, "tape": tape}, ("TapeLeft",) if left else ())
    if tape[2:]:
        short = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}", missing=1)
        yield Case("mixed-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _chosen() -> Iterator[Case]:
    page: dict[str, object] = {"matrix": EXAMPLE, "order": "kept"}
    # Of 6: 0 1 2 give the first value, 3 4 the second and 5 the third.
    bytes_ = {0: "Extremes", 2: "Limit", 3: "Limit", 4: "Limit", 5: "Extremes", 13: "Masked"}
    for byte, flag in bytes_.items():
        yield Case(f"byte-{byte}", {**page, "sensitive": [0], "tape": f"{byte:02x}"}, (flag,))
    yield Case("rejections", {**page, "sensitive": [0], "tape": "060705"}, ("Rejection", "RejectionsInARow"))
    yield Case("by-value-and-then-by-record", {**page, "sensitive": [1, 0, 0], "tape": "050200"}, ("Steps",))
    yield Case("last-value-first", {**page, "sensitive": [2, 2, 1, 0], "tape": "05010003"}, ("Steps",))
    yield Case("at-the-end-of-a-row", {**page, "sensitive": [1, 2], "tape": "0104"}, ("Limit",))
    shuffled = {**page, "order": "shuffled", "sensitive": [1, 0, 0]}
    yield Case("permuted-at-the-end", {**shuffled, "tape": "050200" + keys(2, 3, 1)}, ("Steps",))
    yield Case("ties", {**shuffled, "tape": "050200" + keys(5, 5, 1, 2, 1)}, ("Tie",))
    sure: dict[str, object] = {"matrix": [["0", "1"], ["1", "0"]], "order": "kept"}
    yield Case("nothing-to-draw", {**sure, "sensitive": [0, 1, 1], "tape": "ff"}, ("NothingRead", "TapeLeft"))
    for name, tape in {
        "empty-tape": "", "ends-in-the-draws": "0502", "ends-in-the-order": "050200" + keys(1, 2, 3)[:-2],
    }.items():  # fmt: skip
        yield Case(name, {**shuffled, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _large() -> Iterator[Case]:
    for name, row in LONG.items():
        fields: dict[str, object] = {
            "sensitive": [0] * 12,
            "order": "kept",
            "matrix": [list(row), ["1/2", "1/2"]],
        }
        tape = seeded_tape(TAPE, fields, f"{TAPE}/{name}")
        yield Case(f"drawn-{name}", {**fields, "tape": tape}, ("Exact",))
        u, w = map(int, row[0].split("/"))
        ends = [0, u - 1, u, w - 1]
        chosen = b"".join(end.to_bytes(-(-(w - 1).bit_length() // 8), "big") for end in ends).hex()
        yield Case(f"ends-{name}", {**fields, "sensitive": [0] * 4, "tape": chosen}, ("Exact", "Limit"))
    mixed = [["1/4294967291", "4294967290/4294967291"], ["1/4294967279", "4294967278/4294967279"]]
    other: dict[str, object] = {"sensitive": [1, 0, 1, 0], "order": "shuffled", "matrix": mixed}
    yield Case("a-bound-for-each-row", {**other, "tape": seeded_tape(TAPE, other, TAPE)}, ("Exact",))


def _invalid() -> Iterator[Case]:
    valid: dict[str, object] = {
        "sensitive": [0, 1, 1],
        "matrix": [["1/2", "1/2"], ["0", "1"]],
        "order": "kept",
    }
    valid["tape"] = "00" * 30
    fine = [[f"1/{2**63 + 1}", f"{2**63}/{2**63 + 1}"], ["0", "1"]]
    wide = [["1"] + ["0"] * 32] + [["0"] * 32 + ["1"]] * 32
    for name, flag, changed in (
        ("no-records", "Zero", {"sensitive": []}),
        ("a-code-too-many", "OutOfRange", {"sensitive": [0, 2]}),
        ("negative-code", "OutOfRange", {"sensitive": [0, -1]}),
        ("one-value", "OutOfRange", {"sensitive": [0], "matrix": [["1"]]}),
        ("not-square", "OutOfRange", {"matrix": [["1/2", "1/2", "0"], ["0", "1", "0"]]}),
        ("a-short-row", "OutOfRange", {"matrix": [["1/2", "1/2"], ["1"]]}),
        ("no-sum-of-1", "OutOfRange", {"matrix": [["1/2", "1/3"], ["0", "1"]]}),
        ("no-sum-of-1-unused", "OutOfRange", {"sensitive": [1], "matrix": [["1/2", "1/3"], ["0", "1"]]}),
        ("negative-entry", "OutOfRange", {"matrix": [["3/2", "-1/2"], ["0", "1"]]}),
        ("above-2-to-63", "OutOfRange", {"matrix": fine}),
        ("above-2-to-63-unused", "OutOfRange", {"sensitive": [1], "matrix": fine}),
        (
            "together-above-2-to-63",
            "OutOfRange",
            {"matrix": [["1/4294967311", "1/4294967291", "0"]] + [["0", "0", "1"]] * 2},
        ),
        ("too-many-values", "OutOfRange", {"matrix": wide}),
        ("no-rows", "Zero", {"matrix": []}),
        ("empty-row", "Zero", {"matrix": [[], []]}),
        ("numbers", "WrongType", {"matrix": [[0.5, 0.5], [0, 1]]}),
        ("codes-as-texts", "WrongType", {"sensitive": ["0", "1"]}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")
        if flag != "WrongType":
            yield Case(
                f"{name}-and-no-bytes", valid | changed | {"tape": ""}, (flag, "BeforeTheTape"), "parameter"
            )
    for field, value in (("retention", "1/2"), ("gamma", 2), ("domain", ["a", "b"])):
        yield Case(f"field-{field}", valid | {field: value}, ("Unknown",), "unsupported")
