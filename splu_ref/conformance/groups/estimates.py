"""Vectors of estimates, intervals and transition matrices."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
ERRORS_PAGE = "docs/specification/estimates.md"
GAMMAS = (2, 3, 5, 10)
# (y3, f', n, N) of the closed form, for gamma up to 10: inside, at and beyond the possible counts.
CONJUNCTIONS: dict[str, tuple[tuple[int, int, int, int], tuple[str, ...]]] = {
    "interior": ((9, 30, 60, 600), ()),
    "nothing-seen": ((0, 30, 60, 600), ("Clipped", "Zero")),
    "all-of-the-predicate": ((7, 30, 7, 600), ("Clipped",)),
    "no-value-published": ((0, 0, 60, 600), ("Zero",)),
    "empty-predicate": ((0, 30, 0, 600), ("Zero",)),
    "everybody": ((30, 30, 600, 600), ("Limit",)),
    "odd-numbers": ((4, 7, 23, 101), ()),
    "large": ((123_456, 400_000, 1_000_003, 9_000_001), ("Large",)),
}


def groups() -> Iterator[Group]:
    """Yield the vector files of estimators."""
    for gamma in GAMMAS:
        about = f"The most likely count of a value, groups of {gamma}."
        parameters = {"method": "mle", "gamma": gamma}
        yield Group("estimate", f"mle-{gamma}", about, PAGE, tuple(_counts()), parameters, ("mle",))
        about = f"The closed form for a predicate together with a value, groups of {gamma}."
        parameters = {"method": "exact", "gamma": gamma}
        cases = tuple(_conjunctions(gamma))
        yield Group("estimate", f"exact-{gamma}", about, PAGE, cases, parameters, ("exact",))
        about = f"Intervals for the count of a value, groups of {gamma}."
        yield Group("interval", f"gamma-{gamma}", about, PAGE, tuple(_intervals()), {"gamma": gamma})
    for gamma, retention in ((2, None), (3, None), (5, None), (10, None), (3, "3/5"), (4, "1/10")):
        words = f"groups of {gamma}" + (f" and the retention {retention}" if retention else "")
        about = f"Variances and intervals of the closed form, {words}."
        name = f"gamma-{gamma}" + (f"-retention-{retention.replace('/', '_')}" if retention else "")
        parameters = {"gamma": gamma} | ({"retention": retention} if retention else {})
        needed = ("retention",) if retention else ()
        yield Group("conjunction", name, about, ERRORS_PAGE, tuple(_errors(gamma)), parameters, needed)
    yield Group("estimate", "invalid", "Estimates that do not exist.", PAGE, tuple(_no_estimates()))
    for gamma in (2, 3, 7):
        about = f"Two states: another value, and the value; groups of {gamma}."
        parameters = {"model": "two-state", "gamma": gamma}
        yield Group(
            "transition",
            f"two-state-{gamma}",
            about,
            PAGE,
            tuple(_two_states(gamma)),
            parameters,
            ("two-state",),
        )
        about = f"Two states with a retention probability of its own; groups of {gamma}."
        retained = parameters | {"retention": "2/5"}
        features = ("two-state", "retention")
        name = f"two-state-{gamma}-retention-2_5"
        yield Group("transition", name, about, PAGE, tuple(_two_states(gamma)), retained, features)
    for method in ("anatomy", "cyclic"):
        for gamma in (2, 3):
            parameters = {"model": "per-value", "method": method, "gamma": gamma}
            about = f"Every value to every value, groups of {gamma} by the method {method}."
            features = ("per-value", method)
            cases = tuple(_per_value(gamma))
            yield Group("transition", f"per-value-{method}-{gamma}", about, PAGE, cases, parameters, features)
            retained = parameters | {"retention": "0.7"}
            name = f"per-value-{method}-{gamma}-retention-0.7"
            yield Group("transition", name, about, PAGE, cases, retained, (*features, "retention"))
    yield Group("transition", "invalid", "Matrices that do not exist.", PAGE, tuple(_no_matrices()))


def _counts() -> Iterator[Case]:
    for count in (0, 1, 17, 12_345):
        yield Case(f"count-{count}", {"published_count": count}, ("Zero",) if count == 0 else ())
    yield Case("below-the-bound", {"published_count": 7, "bound": 8})
    yield Case("at-the-bound", {"published_count": 8, "bound": 8}, ("Limit",))
    yield Case("above-the-bound", {"published_count": 9, "bound": 8}, ("Clipped",))
    yield Case("negative", {"published_count": -1}, ("OutOfRange",), "parameter")


def _conjunctions(gamma: int) -> Iterator[Case]:
    def fields(both: int, published: int, inside: int, rows: int) -> dict[str, int]:
        return {
            "both_count": both,
            "published_count": published,
            "predicate_count": inside,
            "rows": rows,
        }

    for name, (counts, flags) in CONJUNCTIONS.items():
        yield Case(name, fields(*counts), flags)
    at_the_limit = fields(3, 20, 20, 20 * gamma)
    yield Case("value-too-frequent", at_the_limit, ("Limit",), "parameter")
    below_the_limit = fields(3, 20, 20, 20 * gamma + 1)
    yield Case("value-barely-rare-enough", below_the_limit, ("Limit", "Clipped"))
    yield Case("more-than-the-predicate", fields(8, 30, 7, 600), ("OutOfRange",), "parameter")
    yield Case("more-than-the-value", fields(8, 7, 60, 600), ("OutOfRange",), "parameter")
    yield Case("predicate-beyond-the-table", fields(8, 30, 601, 600), ("OutOfRange",), "parameter")
    yield Case("too-few-outside", fields(1, 30, 590, 600), ("OutOfRange",), "parameter")
    yield Case("empty-table", fields(0, 0, 0, 0), ("OutOfRange",), "parameter")


def _errors(gamma: int) -> Iterator[Case]:
    def fields(both: int, published: int, inside: int, rows: int) -> dict[str, int]:
        return {
            "both_count": both,
            "published_count": published,
            "predicate_count": inside,
            "rows": rows,
        }

    for name, counts, flags in (
        ("interior", (9, 30, 60, 600), ()),
        ("few", (1, 4, 9, 200), ()),
        ("one", (1, 3, 1, 100), ("Limit",)),
        ("nothing-seen", (0, 30, 60, 600), ("Clipped", "Zero")),
        ("nothing-published", (0, 0, 60, 600), ("Zero",)),
        ("empty-predicate", (0, 30, 0, 600), ("Zero",)),
        ("everybody", (30, 30, 600, 600), ("Limit",)),
        ("odd-numbers", (4, 7, 23, 101), ()),
        ("much-of-the-value", (4, 12, 40, 500), ()),
        ("more-than-the-value", (7, 8, 90, 700), ("Limit",)),
        ("large", (700, 4_000, 10_003, 90_001), ("Large",)),
    ):
        yield Case(name, fields(*counts), flags)
    yield Case("value-too-frequent", fields(3, 20, 20, 20), ("Limit",), "parameter")
    yield Case("more-than-the-predicate", fields(8, 30, 7, 600), ("OutOfRange",), "parameter")
    yield Case("too-few-outside", fields(1, 30, 590, 600), ("OutOfRange",), "parameter")
    if gamma == 10:
        yield Case("no-whole-number", fields(12, 12, 40, 500), ("Impossible",), "parameter")
    yield Case("one-row", fields(0, 0, 1, 1), ("OutOfRange",), "parameter")


def _intervals() -> Iterator[Case]:
    for count in (0, 1, 5, 40):
        for confidence in ("0.95", "1/2", "0.999"):
            name = f"{count}-{confidence.replace('/', '_')}"
            yield Case(name, {"published_count": count, "confidence": confidence})
    for name, text in {"certain": "1", "never": "0", "beyond": "95", "word": "high"}.items():
        fields = {"published_count": 5, "confidence": text}
        yield Case(f"confidence-{name}", fields, ("OutOfRange",), "parameter")


def _no_estimates() -> Iterator[Case]:
    fields = {"published_count": 7, "gamma": 3}
    yield Case("unknown-method", fields | {"method": "guess"}, ("Unknown",), "unsupported")
    yield Case("no-method", fields, ("Missing",), "parameter")
    yield Case("gamma-1", fields | {"method": "mle", "gamma": 1}, ("OutOfRange",), "parameter")
    yield Case(
        "count-fraction", fields | {"method": "mle", "published_count": 7.5}, ("WrongType",), "parameter"
    )


def _two_states(gamma: int) -> Iterator[Case]:
    for frequency, rows in ((1, 4 * gamma), (3, 5 * gamma), (7, 100 * gamma), (1_000_003, 90_000_001)):
        yield Case(f"{frequency}-of-{rows}", {"frequency": frequency, "rows": rows})
    at_the_limit = {"frequency": 6, "rows": 6 * gamma}
    yield Case("at-the-limit", at_the_limit, ("Limit",))
    yield Case("above-the-limit", {"frequency": 7, "rows": 6 * gamma}, ("Infeasible",), "parameter")
    yield Case("frequency-0", {"frequency": 0, "rows": 60}, ("OutOfRange",), "parameter")


def _per_value(gamma: int) -> Iterator[Case]:
    histograms = {
        2: {
            "two-values": [3, 3],
            "three-values": [3, 2, 1],
            "with-zero": [2, 0, 1, 1],
            "many": [5, 4, 3, 2, 1, 1],
        },
        3: {"example": [3, 2, 2, 1, 1], "with-zero": [2, 2, 0, 1, 1], "many": [6, 5, 4, 3, 2, 1]},
    }
    for name, histogram in histograms[gamma].items():
        yield Case(name, {"histogram": histogram}, ("Zero",) if 0 in histogram else ())
    yield Case("infeasible", {"histogram": [5, 1, 0]}, ("Infeasible",), "parameter")


def _no_matrices() -> Iterator[Case]:
    fields = {"gamma": 3, "frequency": 2, "rows": 30}
    yield Case("unknown-model", fields | {"model": "printed"}, ("Unknown",), "unsupported")
    yield Case("no-model", fields, ("Missing",), "parameter")
    yield Case("gamma-1", fields | {"model": "two-state", "gamma": 1}, ("OutOfRange",), "parameter")
