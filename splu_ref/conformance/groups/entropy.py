"""Vectors of entropy losses: worlds of a few tables, and what is released of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
OPERATION = "entropy_loss"
PRIME = 99_999_989
"""The largest prime below 10^8."""


def groups() -> Iterator[Group]:
    """Yield the vector files of entropy losses."""
    yield Group(OPERATION, "statistics", "Statistics of independent records.", PAGE, tuple(_statistics()))
    yield Group(OPERATION, "channels", "Releases made by chance.", PAGE, tuple(_channels()))
    about = "Logarithms of large primes, and losses that are nearly equal."
    yield Group(OPERATION, "large", about, PAGE, tuple(_large()), requires=("large-integers",))
    yield Group(OPERATION, "invalid", "What is no world or no release.", PAGE, tuple(_invalid()))


def _world(laws: Sequence[Sequence[str]], read: Callable[[tuple[int, ...]], int]) -> dict[str, object]:
    """Return the request for a function of independent records, whose values are numbered from 0."""
    tables = list(product(*(range(len(law)) for law in laws)))
    chances = [prod(Fraction(law[value]) for law, value in zip(laws, table, strict=True)) for table in tables]
    seen = sorted({read(table) for table in tables})
    rows = [["1" if read(table) == value else "0" for value in seen] for table in tables]
    return {"tables": [list(table) for table in tables], "prior": list(map(str, chances)), "matrix": rows}


def _number(table: tuple[int, ...]) -> int:
    return sum(value * 10**place for place, value in enumerate(table))


def _statistics() -> Iterator[Case]:
    even, third, rare = ("1/2", "1/2"), ("1/3", "1/3", "1/3"), ("7/9", "1/9", "1/9")
    for name, laws, read in (
        ("one-bit", [even], sum),
        ("sum-of-two-bits", [even] * 2, sum),
        ("sum-of-four-bits", [even] * 4, sum),
        ("three-salaries", [third] * 3, sum),
        ("uneven-bits", [("1/3", "2/3"), ("1/5", "4/5"), ("3/4", "1/4")], sum),
        ("the-largest", [third, ("1/2", "1/4", "1/4")], max),
        ("the-whole-table", [third, even], _number),
        ("nothing", [third, even], lambda _: 0),
        ("one-record-alone", [third, rare], lambda table: table[1]),
        ("not-healthy", [rare], lambda table: int(table[0] > 0)),  # more uncertain than before
        ("not-both-healthy", [rare, rare], lambda table: int(sum(table) > 0)),
        ("a-chance-of-0", [("1/2", "0", "1/2"), even], sum),
        ("decimals", [("0.25", "0.75"), ("0.1", "0.9")], sum),
    ):
        yield Case(name, _world(laws, read))


def _channels() -> Iterator[Case]:
    two = [[0, 0], [0, 1], [1, 0], [1, 1]]
    even = ["1/4"] * 4
    warner = [["9/16", "3/16", "3/16", "1/16"], ["3/16", "9/16", "1/16", "3/16"],
              ["3/16", "1/16", "9/16", "3/16"], ["1/16", "3/16", "3/16", "9/16"]]  # fmt: skip
    for name, tables, prior, matrix in (
        ("randomized-response", two, even, warner),
        ("randomized-response-of-uneven", two, ["1/2", "1/4", "1/8", "1/8"], warner),
        (
            "depends-on-one-record",
            two,
            ["3/8", "1/8", "1/8", "3/8"],
            [["1", "0"], ["1", "0"], ["1/3", "2/3"], ["1/3", "2/3"]],
        ),
        (
            "never-published",
            two,
            even,
            [["1/2", "0", "1/2"], ["1", "0", "0"], ["0", "0", "1"], ["1/2", "0", "1/2"]],
        ),
        (
            "a-table-that-cannot-be",
            [*two, [2, 2]],
            [*even, "0"],
            [["1", "0"], ["1/2", "1/2"], ["1/2", "1/2"], ["0", "1"], ["0", "1"]],
        ),
        ("no-table-but-one", [[5, 7]], ["1"], [["1/3", "2/3"]]),
        (
            "dependent-records",
            [[0, 0], [1, 1], [2, 0]],
            ["1/2", "1/3", "1/6"],
            [["2/3", "1/3"], ["1/2", "1/2"], ["0", "1"]],
        ),
        ("independent-of-the-table", two, even, [["1/3", "2/3"]] * 4),
        (
            "all-more-uncertain",
            [[0, 0], [1, 1], [2, 2]],
            ["7/9", "1/9", "1/9"],
            [["1", "0"], ["0", "1"], ["0", "1"]],
        ),
        (
            "values-in-another-order",
            [[1, 9], [0, 9], [1, 3]],
            ["1/5", "2/5", "2/5"],
            [["1/2", "1/2"], ["1", "0"], ["0", "1"]],
        ),
        ("equal-losses", two, even, [["1", "0"], ["1/2", "1/2"], ["1/2", "1/2"], ["0", "1"]]),
    ):
        yield Case(name, {"tables": tables, "prior": prior, "matrix": matrix})
        turned = [table[::-1] for table in tables]
        yield Case(f"{name}-records-the-other-way", {"tables": turned, "prior": prior, "matrix": matrix})
        columns = [row[::-1] for row in matrix]
        yield Case(f"{name}-columns-the-other-way", {"tables": tables, "prior": prior, "matrix": columns})


def _large() -> Iterator[Case]:
    rest = PRIME - 1
    told = [["1", "0"], ["0", "1"]]
    for name, prior in (
        ("largest-prime", [f"1/{PRIME}", f"{rest}/{PRIME}"]),
        ("two-primes", ["1/10007", "10006/10007"]),
        ("product-of-primes", [f"9973/{9973 * 9967}", f"{9973 * 9966}/{9973 * 9967}"]),
        ("square-of-a-prime", [f"1/{9973 * 9973}", f"{9973 * 9973 - 1}/{9973 * 9973}"]),
        ("largest-denominator", ["1/100000000", "99999999/100000000"]),
    ):
        yield Case(name, {"tables": [[0], [1]], "prior": prior, "matrix": told}, ("Exact", "Limit"))
    # Two bits of which one is nearer to an even chance by a few of L: it loses more, by about 10/L^2.
    for size in (9_999, 99_999_998, 99_999_996, 99_999_980, 99_990_000):
        half = size // 2
        shares = {(1, 1): half + 1, (0, 1): 1, (0, 0): size - half - 2}
        prior = [f"{share}/{size}" for share in shares.values()]
        for name, turn in (("", 1), ("-turned", -1)):
            tables = [list(table[::turn]) for table in shares]
            for label, matrix in (("told", _IDENTITY), ("half-told", [["1/2", "1/2", "0"], *_IDENTITY[1:]])):
                if label == "told" or size < 10_000:
                    fields = {"tables": tables, "prior": prior, "matrix": matrix}
                    yield Case(f"nearly-equal-{size}-{label}{name}", fields, ("Exact",))


_IDENTITY = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]


def _invalid() -> Iterator[Case]:
    valid: dict[str, object] = {
        "tables": [[0, 0], [0, 1]], "prior": ["1/2", "1/2"], "matrix": [["1", "0"], ["1/3", "2/3"]],
    }  # fmt: skip
    for name, flag, changed in (
        ("prior-below-1", "OutOfRange", {"prior": ["1/2", "1/3"]}),
        ("prior-above-1", "OutOfRange", {"prior": ["1/2", "2/3"]}),
        ("prior-negative", "OutOfRange", {"prior": ["-1/2", "3/2"]}),
        ("a-chance-less", "OutOfRange", {"prior": ["1"]}),
        ("a-row-less", "OutOfRange", {"matrix": [["1", "0"]]}),
        ("a-table-less", "OutOfRange", {"tables": [[0, 0]]}),
        ("a-table-twice", "OutOfRange", {"tables": [[0, 0], [0, 0]]}),
        ("tables-of-two-lengths", "OutOfRange", {"tables": [[0, 0], [0]]}),
        ("tables-without-records", "Zero", {"tables": [[], []]}),
        ("a-table-without-records", "Zero", {"tables": [[]], "prior": ["1"], "matrix": [["1"]]}),
        ("no-tables", "Zero", {"tables": [], "prior": [], "matrix": []}),
        ("no-columns", "Zero", {"matrix": [[], []]}),
        ("negative-value", "OutOfRange", {"tables": [[0, 0], [0, -1]]}),
        ("row-below-1", "OutOfRange", {"matrix": [["1", "0"], ["1/3", "1/3"]]}),
        ("rows-of-two-lengths", "OutOfRange", {"matrix": [["1"], ["1/3", "2/3"]]}),
        ("negative-entry", "OutOfRange", {"matrix": [["1", "0"], ["-1/3", "4/3"]]}),
        (
            "row-of-no-table-below-1",
            "OutOfRange",
            {"prior": ["1", "0"], "matrix": [["1", "0"], ["1/3", "1/3"]]},
        ),
        ("prior-as-numbers", "WrongType", {"prior": [0.5, 0.5]}),
        ("values-as-texts", "WrongType", {"tables": [["0", "0"], ["0", "1"]]}),
        ("entries-as-numbers", "WrongType", {"matrix": [[1, 0], [0, 1]]}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")
    for field in ("base", "counts", "release"):
        yield Case(f"field-{field}", valid | {field: "2"}, ("Unknown",), "unsupported")
