"""Vectors of who of a group has which of its values."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
OPERATION = "permanent_posterior"


def groups() -> Iterator[Group]:
    """Yield the vector files of assignments."""
    yield Group(OPERATION, "groups", "Groups of up to five records.", PAGE, tuple(_groups()))
    about = "Large groups, and likelihoods of many digits."
    yield Group(OPERATION, "large", about, PAGE, tuple(_large()), requires=("large-integers",))
    yield Group(OPERATION, "invalid", "What is no table of likelihoods.", PAGE, tuple(_invalid()))


def _groups() -> Iterator[Case]:
    for name, rows in {
        "of-the-page": ["1/2 1/2", "1/4 3/4"],
        "one-record": ["3/7"],
        "alike": ["1/3 1/3 1/3"] * 3,
        "alike-and-not-scaled": ["5 5", "2 2"],
        "sure": ["1 0 0", "0 0 1", "0 1 0"],
        "one-is-told": ["1 0 0", "1/2 1/4 1/4", "1/3 1/3 1/3"],
        "told-by-the-others": ["1/2 1/2 0", "1/2 1/2 0", "1/5 2/5 2/5"],
        "permanent-is-not-determinant": ["1 2", "3 6"],
        "not-symmetric": ["1/2 1/3 1/6", "1/10 2/5 1/2", "3/4 1/8 1/8"],
        "rows-are-no-laws": ["0.9 0.4", "3 0.25"],
        "four": ["1/2 1/6 1/6 1/6", "1/4 1/4 1/4 1/4", "1/10 2/10 3/10 4/10", "0 1/3 1/3 1/3"],
        "five": ["5 1 1 1 1", "1 5 1 1 1", "1 1 5 1 1", "1 1 1 5 1", "2 2 2 2 7"],
        "a-column-of-zeros-but-one": ["0 1 2", "0 2 1", "3 1 1"],
    }.items():
        yield Case(name, {"likelihoods": [row.split() for row in rows]})
    for name, rows in {
        "two-of-one-value": ["1 0", "1 0"],
        "nobody-has-it": ["1/2 1/2 0", "1/3 2/3 0", "1 1 0"],
        "a-record-without-values": ["0 0", "1 1"],
    }.items():
        yield Case(name, {"likelihoods": [row.split() for row in rows]}, ("Impossible",))


def _large() -> Iterator[Case]:
    for size in (6, 7, 8):
        rows = [[f"{(3 * i + 5 * j + i * j) % 11 + 1}/{13 + i}" for j in range(size)] for i in range(size)]
        yield Case(f"of-{size}", {"likelihoods": rows}, ("Exact",))
    band = [["1" if abs(i - j) < 2 else "0" for j in range(8)] for i in range(8)]
    yield Case("neighbors", {"likelihoods": band})
    primes = ("1/99999989", "3/99999971", "7/99999959", "1/2147483647")
    yield Case("large-primes", {"likelihoods": [[*primes[i:], *primes[:i]] for i in range(4)]}, ("Exact",))
    rare = [["1" if i == j else f"1/{10**60 + i}" for j in range(3)] for i in range(3)]
    yield Case("nearly-sure", {"likelihoods": rare}, ("Exact",))


def _invalid() -> Iterator[Case]:
    for name, flag, rows in (
        ("no-records", "Zero", []),
        ("empty-rows", "Zero", [[], []]),
        ("not-square", "OutOfRange", [["1", "1", "1"], ["1", "1", "1"]]),
        ("a-short-row", "OutOfRange", [["1", "1"], ["1"]]),
        ("negative", "OutOfRange", [["1", "-1/2"], ["1", "1"]]),
        ("too-many", "OutOfRange", [["1"] * 9] * 9),
        ("numbers", "WrongType", [[1, 2], [2, 1]]),
        ("not-rows", "WrongType", ["1", "1"]),
        ("blank", "WrongType", [["1 ", "1"], ["1", "1"]]),
    ):
        yield Case(name, {"likelihoods": rows}, (flag,), "parameter")
    yield Case("field-matrix", {"likelihoods": [["1"]], "matrix": [["1"]]}, ("Unknown",), "unsupported")
