"""Vectors of channels: inverses, amplifications, and beliefs that are lifted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.channels import retention
from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
Rows = Sequence[Sequence[str]]
TINY = Fraction(1, 10**30)
HALF = Fraction(1, 2)


def groups() -> Iterator[Group]:
    """Yield the vector files of channels."""
    yield Group("channel_inverse", "square", "Inverses of square channels.", PAGE, tuple(_inverses()))
    about = "Channels of which some rows depend on others."
    yield Group("channel_inverse", "singular", about, PAGE, tuple(_singular()))
    yield Group("amplification", "ratios", "Largest ratios in one column.", PAGE, tuple(_ratios()))
    for operation, rest in (
        ("channel_inverse", {}),
        ("amplification", {}),
        ("breach_profile", {"rho1": "1/10", "rho2": "1/2"}),
    ):
        yield Group(operation, "invalid", "What is no channel.", PAGE, tuple(_no_channels()), rest)
    about = "Largest posteriors over all priors."
    yield Group("breach_profile", "any-prior", about, PAGE, tuple(_any_prior()))
    about = "Largest posteriors under one prior."
    yield Group("breach_profile", "one-prior", about, PAGE, tuple(_one_prior()))
    about = "Levels and priors that are refused."
    yield Group(
        "breach_profile", "refused", about, PAGE, tuple(_no_levels()), {"matrix": _retained("1/2", 3)}
    )


def _retained(keep: str, values: int, law: Sequence[str] | None = None) -> list[list[str]]:
    weights = law or [f"1/{values}"] * values
    channel = retention(keep, dict(enumerate(weights)))
    return [[str(channel.probability(row, column)) for column in range(values)] for row in range(values)]


OBLONG: Rows = [["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]]
SQUARE: Mapping[str, Rows] = {
    "one-state": [["1"]],
    "warner": [["3/4", "1/4"], ["1/4", "3/4"]],
    "nearly-a-coin": [["0.5000001", "0.4999999"], ["0.4999999", "0.5000001"]],
    "first-entry-0": [["0", "1"], ["1/2", "1/2"]],
    "cycle": [["0", "1", "0"], ["0", "0", "1"], ["1", "0", "0"]],
    "not-symmetric": [["1/2", "1/3", "1/6"], ["0", "1/4", "3/4"], ["1/5", "0", "4/5"]],
    "retention-1_2-of-4": _retained("1/2", 4),
    "retention-1_3-of-5": _retained("1/3", 5),
    "given-weights": _retained("2/5", 3, ["1/2", "1/3", "1/6"]),
    "a-weight-of-0": _retained("2/5", 3, ["1/2", "0", "1/2"]),
    "retention-of-53-bits": _retained("1234567890123457/9007199254740997", 3),
    "retention-of-80-bits": _retained("1/1208925819614629174706189", 3),
    "second-pivot-0": [["1/2", "1/2", "0"], ["1/4", "1/4", "1/2"], ["0", "1/3", "2/3"]],
    "nine-states": _retained("3/7", 9),
    "nearly-singular-above-64-bits": [
        ["1/3", "2/3"],
        [str(Fraction(1, 3) + TINY), str(Fraction(2, 3) - TINY)],
    ],
}


def _inverses() -> Iterator[Case]:
    for name, matrix in SQUARE.items():
        yield Case(name, {"matrix": matrix}, ("Exact",) if "bits" in name else ())
    for name, rows in (("two-of-three", OBLONG), ("three-of-two", [["1", "0"], ["0", "1"], ["1/2", "1/2"]])):
        yield Case(name, {"matrix": rows}, ("OutOfRange",), "parameter")


def _singular() -> Iterator[Case]:
    for name, matrix in {
        "equal-rows": [["1/2", "1/2"], ["0.5", "2/4"]],
        "nothing-kept": _retained("0", 3),
        "a-column-of-0": [["1", "0"], ["1", "0"]],
        "the-last-is-a-mean": [["1", "0", "0"], ["0", "1/2", "1/2"], ["1/2", "1/4", "1/4"]],
        "the-middle-is-a-mean": [["1", "0", "0"], ["1/2", "1/4", "1/4"], ["0", "1/2", "1/2"]],
        "two-relations": [["1/2", "1/2", "0"], ["1/2", "1/2", "0"], ["1/4", "1/4", "1/2"]],
        "weights-with-a-common-factor": [["2/3", "1/3", "0"], ["0", "1/3", "2/3"], ["4/9", "3/9", "2/9"]],
    }.items():
        yield Case(name, {"matrix": matrix})


def _ratios() -> Iterator[Case]:
    for name, matrix in {
        **SQUARE,
        "one-row": [["1/3", "2/3"]],
        "one-column": [["1"], ["1"]],
        "two-rows-of-three": OBLONG,
        "a-column-of-0": [["1/3", "0", "2/3"], ["2/3", "0", "1/3"]],
        "equal-rows": [["1/4", "3/4"], ["1/4", "3/4"], ["1/4", "3/4"]],
        "a-tie-of-columns": [["1/3", "2/3"], ["2/3", "1/3"]],
        "a-tie-of-rows": [["1/4", "3/4"], ["1/2", "1/2"], ["1/4", "3/4"], ["1/2", "1/2"]],
        "infinite-in-the-last-column": [["1/2", "1/2", "0"], ["1/4", "1/2", "1/4"]],
        "ratios-that-differ-in-the-last-digit": [
            ["1/4", str(HALF / 2 + TINY), str(HALF - TINY)],
            ["1/8", "1/8", "3/4"],
        ],
        "differs-in-the-last-digit": [[str(HALF - TINY), str(HALF + TINY)], ["1/2", "1/2"]],
    }.items():
        yield Case(name, {"matrix": matrix}, ("Exact",) if "bits" in name or "digit" in name else ())


def _no_channels() -> Iterator[Case]:
    valid = [["1/2", "1/2"], ["1/4", "3/4"]]
    for name, flag, matrix in (
        ("no-rows", "Zero", []),
        ("empty-row", "Zero", [[], []]),
        ("unequal-rows", "OutOfRange", [["1"], ["1/2", "1/2"]]),
        ("a-row-too-short", "OutOfRange", [["1/2", "1/2"], ["1"]]),
        ("sum-below-1", "OutOfRange", [["1/2", "1/3"], valid[1]]),
        ("sum-above-1", "OutOfRange", [["1/2", "2/3"], valid[1]]),
        ("sum-of-decimals", "OutOfRange", [["0.33", "0.67"], ["0.333", "0.666"]]),
        ("sum-off-by-little", "OutOfRange", [["1/2", str(Fraction(1, 2) - TINY)], valid[1]]),
        ("negative-entry", "OutOfRange", [["-1/2", "3/2"], valid[1]]),
        ("entries-as-numbers", "WrongType", [[0.5, 0.5], valid[1]]),
        ("whole-entries-as-numbers", "WrongType", [[1, 0], [0, 1]]),
        ("row-as-text", "WrongType", ["1/2", "1/2"]),
        ("matrix-as-text", "WrongType", "1"),
        ("blank-in-an-entry", "WrongType", [["1/2 ", "1/2"], valid[1]]),
        ("denominator-0", "OutOfRange", [["1/0", "1/2"], valid[1]]),
    ):
        yield Case(name, {"matrix": matrix}, (flag,), "parameter")
    yield Case("unknown-field", {"matrix": valid, "labels": ["a", "b"]}, ("Unknown",), "unsupported")


def _any_prior() -> Iterator[Case]:
    for name, matrix in {
        "warner": [["3/4", "1/4"], ["1/4", "3/4"]],
        "retention-1_5-of-14": _retained("1/5", 14),
        "given-weights": _retained("2/5", 3, ["1/2", "1/3", "1/6"]),
        "infinite": [["1", "0"], ["1/2", "1/2"]],
        "says-nothing": [["1/2", "1/2"], ["1/2", "1/2"]],
        "two-rows-of-three": OBLONG,
    }.items():
        for rho1, rho2 in (("1/10", "1/2"), ("1/2", "9/10"), ("1/100", "1/20")):
            label = f"{name}-{rho1}-{rho2}".replace("/", "_")
            yield Case(label, {"matrix": matrix, "rho1": rho1, "rho2": rho2})
    # Prior 1/10 and the amplification 9: the posterior is 1/2, and a posterior of exactly rho2 is a breach.
    nine = [["9/10", "1/10"], ["1/10", "9/10"]]
    for name, level in _about(Fraction(1, 2)):
        yield Case(
            f"attained{name}", {"matrix": nine, "rho1": "1/10", "rho2": str(level)}, ("Limit", "Exact")
        )


def _one_prior() -> Iterator[Case]:
    warner, three = [["3/4", "1/4"], ["1/4", "3/4"]], _retained("1/2", 3)
    uneven = [
        ["1/2", "1/4", "1/8", "1/8"],
        ["1/8", "1/2", "1/4", "1/8"],
        ["1/8", "1/8", "1/2", "1/4"],
        ["1/4", "1/8", "1/8", "1/2"],
    ]
    wide = [["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"], ["0", "1"], ["7/8", "1/8"]]
    for name, matrix, counts, rho1, rho2 in (
        ("even", warner, [5, 5], "1/2", "3/4"),
        ("rare", warner, [1, 99], "1/100", "1/10"),
        ("just-too-frequent", warner, [1, 99], "99/10000", "1/10"),
        ("no-property", warner, [5, 5], "1/3", "1/2"),
        ("a-state-without-records", three, [0, 4, 6], "2/5", "3/5"),
        ("one-state-has-all", three, [0, 7, 0], "1/2", "3/4"),
        ("three", three, [1, 2, 3], "1/2", "3/4"),
        ("knapsack", uneven, [3, 4, 5, 9], "1/2", "3/4"),
        ("room-for-two", uneven, [7, 6, 6, 11], "2/5", "3/5"),
        ("a-set-beats-its-best-state", wide, [6, 5, 5, 1, 9], "11/26", "1/2"),
        ("ratio-first-is-wrong", wide, [4, 10, 3, 2, 6], "2/5", "1/2"),
        ("a-state-never-published", [["1", "0"], ["1", "0"], ["1/2", "1/2"]], [3, 3, 2], "3/8", "1/2"),
        ("a-state-that-adds-nothing", [["1", "0"], ["1", "0"], ["1/2", "1/2"]], [3, 3, 2], "5/8", "3/4"),
        ("a-column-of-0", [["1/3", "0", "2/3"], ["2/3", "0", "1/3"]], [2, 3], "2/5", "1/2"),
        ("large-counts", uneven, [101, 203, 307, 389], "1/3", "1/2"),
    ):
        fields = {"matrix": matrix, "counts": counts, "rho1": rho1, "rho2": rho2}
        yield Case(name, fields)
    # The first value of two: (3/4) / (3/4 + 1/4) with five of ten.
    for name, level in _about(Fraction(3, 4)):
        fields = {"matrix": warner, "counts": [5, 5], "rho1": "1/2", "rho2": str(level)}
        yield Case(f"attained{name}", fields, ("Limit", "Exact"))
    for name, level in _about(Fraction(3, 7)):
        fields = {"matrix": three, "counts": [1, 3, 3], "rho1": str(level), "rho2": "3/4"}
        yield Case(f"room-attained{name}", fields, ("Limit", "Exact"))


def _about(level: Fraction) -> tuple[tuple[str, Fraction], ...]:
    return ("", level), ("-less", level - TINY), ("-more", level + TINY)


def _no_levels() -> Iterator[Case]:
    valid: dict[str, object] = {"rho1": "1/10", "rho2": "1/2", "counts": [1, 1, 1]}
    for name, flag, changed in (
        ("rho1-0", "OutOfRange", {"rho1": "0"}),
        ("rho2-1", "OutOfRange", {"rho2": "1"}),
        ("equal-levels", "OutOfRange", {"rho1": "1/2"}),
        ("exchanged-levels", "OutOfRange", {"rho1": "1/2", "rho2": "1/10"}),
        ("rho1-negative", "OutOfRange", {"rho1": "-1/10"}),
        ("rho1-number", "WrongType", {"rho1": 0.1}),
        ("a-count-less", "OutOfRange", {"counts": [1, 1]}),
        ("a-count-more", "OutOfRange", {"counts": [1, 1, 1, 1]}),
        ("no-records", "Zero", {"counts": [0, 0, 0]}),
        ("negative-count", "OutOfRange", {"counts": [2, -1, 2]}),
        ("counts-as-texts", "WrongType", {"counts": ["1", "1", "1"]}),
        ("counts-as-object", "WrongType", {"counts": {"0": 1, "1": 1, "2": 1}}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")
    yield Case("unknown-field", valid | {"gamma": 3}, ("Unknown",), "unsupported")
