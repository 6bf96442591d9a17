"""Vectors of publishing one perturbed record of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.randomness import keys

PAGE = "docs/specification/publishing.md"
TAPE = "publish_pg"
TABLES: Mapping[str, Sequence[Sequence[int]]] = {
    "one-column": [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]],
    "sorted": [list(range(9))],
    "all-alike": [[7] * 6, [0] * 6],
    "gaps": [[0, 1, 2, 3, 4, 1000, 1001, 1002], [0, 0, 0, 1, 1, 1, 2, 2]],
    "equal-widths": [[0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 10, 10, 20, 20, 30, 30]],
    "wider-within-the-group": [[0, 0, 0, 0, 5, 6, 7, 8], [1, 2, 3, 4, 1, 1, 1, 1]],
    "most-below-the-median": [[0, 0, 0, 0, 0, 1, 2, 3]],
    "most-at-the-median": [[0, 1, 1, 1, 1, 1, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1]],
    "uncut-by-every-column": [[0, 1, 1, 1, 1, 1, 1, 2], [1, 0, 1, 1, 1, 1, 2, 1]],
    "a-group-of-one-column": [[0, 0, 0, 1, 1, 1, 2, 2, 2], [4] * 9],
    "three-columns": [
        [k * k % 17 for k in range(40)],
        [k * 7 % 5 for k in range(40)],
        [100 - k // 3 for k in range(40)],
    ],
}
LAWS = (("1/2", 3), ("2/6", 3), ("0.9", 14), ("1/200", 256))


def groups() -> Iterator[Group]:
    """Yield the vector files of publishing one record of each group."""
    for name, quasi in TABLES.items():
        fixed: dict[str, object] = {"quasi": [list(column) for column in quasi]}
        about = f"The groups of the table {name}."
        yield Group(TAPE, name, about, PAGE, tuple(_grouped(fixed, len(quasi[0]))), fixed)
    yield Group(TAPE, "laws", "Chances of keeping and numbers of values.", PAGE, tuple(_laws()))
    yield Group(TAPE, "chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    about = "A chance of keeping with a large denominator."
    yield Group(TAPE, "large", about, PAGE, tuple(_large()), requires=("large-integers",))
    yield Group(TAPE, "invalid", "Tables and parameters that are refused.", PAGE, tuple(_invalid()))


def _grouped(fixed: Mapping[str, object], size: int) -> Iterator[Case]:
    for least in sorted({1, 2, 3, size // 2, size // 2 + 1, size}):
        fields: dict[str, object] = {
            "sensitive": [k * k % 7 % 3 for k in range(size)],
            "least": least,
            "values": 3,
            "retention": "1/2",
        }
        tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/{least}", left=least % 2)
        yield Case(f"least-{least}", {**fields, "tape": tape}, ("TapeLeft",) if least % 2 else ())


def _laws() -> Iterator[Case]:
    table: dict[str, object] = {"quasi": [[k // 2 for k in range(24)]], "least": 2}
    for retention, values in LAWS:
        own = [k * k % values for k in range(24)]
        fields = {**table, "sensitive": own, "values": values, "retention": retention}
        name = f"{retention.replace('/', '-in-').replace('.', '-')}-of-{values}"
        yield Case(name, {**fields, "tape": seeded_tape(TAPE, fields, f"{TAPE}/{name}")})
        short = seeded_tape(TAPE, fields, f"{TAPE}/{name}", missing=1)
        yield Case(f"{name}-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _chosen() -> Iterator[Case]:
    alone: dict[str, object] = {
        "sensitive": [1], "quasi": [[5]], "least": 1, "values": 3, "retention": "1/2",
    }  # fmt: skip
    # Of 6: 0 1 2 keep the value, and 3 4 5 are the values 0 1 2.
    for byte, flag in {
        0: "Extremes",
        2: "Limit",
        3: "Limit",
        4: "Steps",
        5: "Extremes",
        13: "Masked",
    }.items():
        yield Case(f"byte-{byte}", {**alone, "tape": f"{byte:02x}"}, (flag,))
    yield Case("rejections", {**alone, "tape": "060705"}, ("Rejection", "RejectionsInARow"))
    pairs = {**alone, "sensitive": [0, 1, 2, 0], "quasi": [[8, 0, 8, 0]], "least": 2}
    yield Case("second-of-each", {**pairs, "tape": keys(2, 2, 1, 1) + "0000"}, ("Steps",))
    yield Case("first-and-second", {**pairs, "tape": keys(1, 9, 2, 3) + "0305"}, ("Steps",))
    yield Case("ties", {**pairs, "tape": keys(5, 1, 5, 2, 2, 1) + "0102"}, ("Tie",))
    for name, tape in {
        "empty-tape": "",
        "ends-in-the-order": keys(1, 2, 3, 4)[:-2],
        "ends-in-the-draws": keys(1, 2, 3, 4) + "00",
    }.items():
        yield Case(name, {**pairs, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _large() -> Iterator[Case]:
    for name, retention in {
        "31": "1000000007/2147483647",
        "53": "1234567890123457/4503599627370496",
        "2-to-63": "4611686018427387903/4611686018427387904",
    }.items():
        fields: dict[str, object] = {
            "sensitive": [0, 1] * 6,
            "quasi": [list(range(12))],
            "least": 2,
            "values": 2,
            "retention": retention,
        }
        yield Case(
            f"drawn-{name}", {**fields, "tape": seeded_tape(TAPE, fields, f"{TAPE}/{name}")}, ("Exact",)
        )


def _invalid() -> Iterator[Case]:
    valid: dict[str, object] = {
        "sensitive": [0, 1, 1], "quasi": [[0, 1, 2]], "least": 1, "values": 2, "retention": "1/2",
        "tape": "00" * 30,
    }  # fmt: skip
    for name, flag, changed in (
        ("no-records", "Zero", {"sensitive": [], "quasi": [[]]}),
        ("no-columns", "Zero", {"quasi": []}),
        ("a-place-too-few", "OutOfRange", {"quasi": [[0, 1]]}),
        ("columns-of-two-lengths", "OutOfRange", {"quasi": [[0, 1, 2], [0, 1]]}),
        ("a-code-too-many", "OutOfRange", {"sensitive": [0, 1, 2]}),
        ("negative-code", "OutOfRange", {"sensitive": [0, 1, -1]}),
        ("negative-place", "OutOfRange", {"quasi": [[0, 1, -2]]}),
        ("least-0", "Zero", {"least": 0}),
        ("fewer-records-than-least", "OutOfRange", {"least": 4}),
        ("one-value", "OutOfRange", {"sensitive": [0, 0, 0], "values": 1}),
        ("retention-0", "Zero", {"retention": "0"}),
        ("retention-1", "OutOfRange", {"retention": "1"}),
        ("retention-above-1", "OutOfRange", {"retention": "3/2"}),
        ("above-2-to-63", "OutOfRange", {"retention": f"1/{2**62 + 1}"}),
        ("codes-as-texts", "WrongType", {"sensitive": ["0", "1", "1"]}),
        ("one-list", "WrongType", {"quasi": [0, 1, 2]}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")
        if flag != "WrongType":
            yield Case(
                f"{name}-and-no-bytes", valid | changed | {"tape": ""}, (flag, "BeforeTheTape"), "parameter"
            )
    for field, value in (("gamma", 2), ("domain", ["a", "b"]), ("order", "kept")):
        yield Case(f"field-{field}", valid | {field: value}, ("Unknown",), "unsupported")
