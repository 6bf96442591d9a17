"""Vectors where a bound is attained, and where only exact arithmetic tells one side from the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from splu_ref.channels import PublishedCount
from splu_ref.conformance.build import Case, Group
from splu_ref.estimators import conjunction_estimate
from splu_ref.guarantees import error_probability
from splu_ref.model import Gamma

PAGE = "docs/specification/conformance.md"
GUARANTEES_PAGE = "docs/specification/certificates.md"
EXACT = ("Exact",)
LIMIT = ("Limit",)
TINY = Fraction(1, 10**30)


def groups() -> Iterator[Group]:
    """Yield the vector files of limits that are attained, and of long numbers."""
    for gamma in (2, 3, 5):
        fixed: dict[str, object] = {"gamma": gamma}
        about = f"Intervals of which an end attains its level, groups of {gamma}."
        yield Group("interval", f"attained-{gamma}", about, PAGE, tuple(_intervals(gamma)), fixed)
        about = f"Relative errors that are attained, or missed by little, groups of {gamma}."
        cases = tuple(_errors())
        yield Group("error_probability", f"attained-{gamma}", about, GUARANTEES_PAGE, cases, fixed)
        about = f"Thresholds of which the level is attained, groups of {gamma}."
        cases = tuple(_thresholds(gamma))
        yield Group("utility_threshold", f"attained-{gamma}", about, GUARANTEES_PAGE, cases, fixed)
        about = f"Concepts of which an estimate errs by epsilon exactly, groups of {gamma}."
        yield Group("concept_error", f"attained-{gamma}", about, PAGE, tuple(_concepts(gamma)), fixed)
        about = f"The closed form with long numbers, groups of {gamma}."
        parameters = {"method": "exact", "gamma": gamma}
        features: tuple[str, ...] = ("exact", "large-integers")
        yield Group(
            "estimate", f"exact-long-{gamma}", about, PAGE, tuple(_estimates(gamma)), parameters, features
        )
        parameters = {"model": "two-state", "gamma": gamma}
        features = ("two-state", "large-integers")
        about = f"Two states with long numbers, groups of {gamma}."
        yield Group(
            "transition", f"two-state-long-{gamma}", about, PAGE, tuple(_states(gamma)), parameters, features
        )
    retained: dict[str, object] = {"gamma": 3, "retention": "1/2"}
    about = "Thresholds of which the level is attained, with a retention of 1/2."
    cases = tuple(_thresholds(3, "1/2"))
    features = ("retention",)
    yield Group(
        "utility_threshold", "attained-3-retention-1_2", about, GUARANTEES_PAGE, cases, retained, features
    )
    about = "Levels next to Chebyshev's bound, which two of three outcomes attain."
    features = ("retention",)
    yield Group(
        "utility_threshold", "chebyshev", about, GUARANTEES_PAGE, tuple(_next_to_chebyshev()), {}, features
    )
    yield Group(
        "privacy_minimum", "ties", "Minima that several counts attain.", GUARANTEES_PAGE, tuple(_minima())
    )
    about = "Minima with a retention, of which no run of counts is skipped."
    cases = tuple(_retained_minima())
    yield Group("privacy_minimum", "retention-runs", about, GUARANTEES_PAGE, cases, {}, features)
    yield Group("estimate", "ends", "Bounds and counts of 0.", PAGE, tuple(_no_counts()), {"gamma": 4})
    yield Group("concept_error", "impossible", "Counts that no table has.", PAGE, tuple(_impossible()))


def _intervals(gamma: int) -> Iterator[Case]:
    law = PublishedCount.of(gamma)
    for published, true in ((1, 3), (2, 2), (4, 6), (5, 3)):
        chances = law.law(true)
        for side, tail in (
            ("above", sum((p for k, p in chances.items() if k >= published), Fraction(0))),
            ("below", sum((p for k, p in chances.items() if k <= published), Fraction(0))),
        ):
            for name, level in (("", tail), ("-less", tail - TINY), ("-more", tail + TINY)):
                if 0 < level < Fraction(1, 2):
                    confidence = 1 - 2 * level
                    fields = {"published_count": published, "confidence": str(confidence)}
                    yield Case(f"{published}-of-{true}-{side}{name}", fields, (*LIMIT, *EXACT))


def _errors() -> Iterator[Case]:
    for epsilon, frequency in (
        ("3/10", 10),
        ("1/3", 3),
        ("2/7", 14),
        ("1", 1),
        ("1", 5),
        ("1/1000000007", 7),
    ):
        attained = Fraction(epsilon)
        for name, value in (("attained", attained), ("less", attained - TINY), ("more", attained + TINY)):
            fields = {"epsilon": str(value), "frequency": frequency}
            yield Case(f"{frequency}-{epsilon.replace('/', '_')}-{name}", fields, ("Boundary", *EXACT))


def _thresholds(gamma: int, retention: str | None = None) -> Iterator[Case]:
    for epsilon in ("1/2", "1", "3/4"):
        for frequency in (2, 4, 8, 9):
            level = error_probability(Gamma(gamma), epsilon, frequency, retention=retention).exact()
            if not 0 < level < 1 - TINY:
                continue
            for name, t_e in (("", level), ("-less", level - TINY), ("-more", level + TINY)):
                if t_e >= Fraction(1, 50):
                    label = f"epsilon-{epsilon.replace('/', '_')}-at-{frequency}{name}"
                    yield Case(label, {"epsilon": epsilon, "t_e": str(t_e)}, (*LIMIT, *EXACT))
    if retention is None:
        # Chebyshev's bound is attained at f = 1, and a level just below it needs the next count.
        yield Case(
            "next-to-chebyshev", {"epsilon": "1", "t_e": str(Fraction(gamma - 1, gamma) - TINY)}, EXACT
        )
    for epsilon, allowed in ((f"{gamma - 1}", "1/100"), (f"{gamma - 1}.01", "1/100"), (f"{gamma - 1}", "0")):
        label = f"largest-error-{epsilon}-t_e-{allowed.replace('/', '_')}"
        impossible = allowed == "0" and Fraction(epsilon) <= gamma - 1
        yield Case(label, {"epsilon": epsilon, "t_e": allowed}, LIMIT, "parameter" if impossible else None)


def _next_to_chebyshev() -> Iterator[Case]:
    for retention in ("9/10", "3/4", "1/10", "1/2"):
        p = Fraction(retention)
        bound = 2 * p * (1 - p)  # of |f' - 1| >= 1 for f = 1 in groups of two, and its probability if p = 1/2
        for name, level in (
            ("below", bound * Fraction(17, 18)),
            ("little-below", bound - TINY),
            ("at", bound),
        ):
            fields = {"gamma": 2, "retention": retention, "epsilon": "1", "t_e": str(level)}
            yield Case(f"retention-{retention.replace('/', '_')}-{name}", fields, (*LIMIT, *EXACT))


def _concepts(gamma: int) -> Iterator[Case]:
    law = PublishedCount.of(gamma)
    n, x, f, rows, decoys = 4, 2, 3, 14 * gamma, 1
    fields: dict[str, object] = {
        "predicate_count": n,
        "concept_count": x,
        "sensitive_count": f,
        "rows": rows,
        "decoys_in_predicate": decoys,
    }
    errors = {
        abs(conjunction_estimate(y, y + z, n, rows, law) - x) / x
        for y in range(x + decoys + 1)
        for z in range(gamma * f - x - decoys + 1)
        if (y + z) * gamma < rows
    }
    for place, epsilon in enumerate(sorted(error for error in errors if error)[:6]):
        for name, value in (("attained", epsilon), ("less", epsilon - TINY), ("more", epsilon + TINY)):
            yield Case(f"error-{place}-{name}", {**fields, "epsilon": str(value)}, (*LIMIT, *EXACT))
    whole = fields | {"predicate_count": 3, "concept_count": 3, "decoys_in_predicate": 0}
    for text in ("1/20", "1/7", "1/3", "2/5", "1/2", "2/3", "19/20", "1"):
        yield Case(f"whole-predicate-{text.replace('/', '_')}", {**whole, "epsilon": text})
    frequent = fields | {"rows": 3 * gamma + 2, "predicate_count": 3}
    yield Case("published-too-often", {**frequent, "epsilon": "1/2"}, LIMIT)


def _impossible() -> Iterator[Case]:
    valid: dict[str, object] = {
        "gamma": 3,
        "epsilon": "1/2",
        "predicate_count": 20,
        "concept_count": 1,
        "sensitive_count": 3,
        "rows": 200,
        "decoys_in_predicate": 3,
    }
    yield Case("possible", valid)
    yield Case("decoys-of-all", {**valid, "decoys_in_predicate": 6}, LIMIT)
    for name, changed in (
        ("more-decoys-than-places", {"decoys_in_predicate": 7}),
        ("decoys-take-the-places-of-the-value", {"concept_count": 1, "decoys_in_predicate": 8}),
        ("more-than-the-predicate", {"predicate_count": 3}),
        ("too-few-outside", {"rows": 24}),
        ("concept-above-the-value", {"concept_count": 4}),
        ("concept-0", {"concept_count": 0}),
        ("predicate-0", {"predicate_count": 0}),
        ("sensitive-0", {"sensitive_count": 0}),
        ("epsilon-0", {"epsilon": "0"}),
    ):
        yield Case(name, {**valid, **changed}, ("OutOfRange",), "parameter")
    yield Case("just-enough-outside", {**valid, "rows": 25}, LIMIT)


def _estimates(gamma: int) -> Iterator[Case]:
    def fields(both: int, published: int, inside: int, rows: int) -> dict[str, object]:
        counts = {"both_count": both, "published_count": published, "predicate_count": inside, "rows": rows}
        return {name: count if count < 1 << 53 else str(count) for name, count in counts.items()}

    for power in (7, 10, 17, 25):
        unit = 10**power
        yield Case(f"of-{power}-digits", fields(unit + 3, 3 * unit + 1, 5 * unit + 7, 90 * unit + 11), EXACT)
        clipped = fields(7, 3 * unit + 1, 5 * unit + 7, 90 * unit + 11)
        yield Case(f"of-{power}-digits-clipped", clipped, (*EXACT, "Clipped"))
        rows = 40 * unit * gamma
        yield Case(f"of-{power}-digits-at-the-limit", fields(3, 40 * unit, 20, rows), LIMIT, "parameter")
        below = fields(unit, 40 * unit, 20 * unit, rows + 1)
        yield Case(f"of-{power}-digits-below-the-limit", below, (*LIMIT, *EXACT, "Clipped"))
    # x is whole, or next to a whole number by less than a double can tell.
    for number, both in enumerate((10**12, 10**12 + 1, 10**15 + 1)):
        yield Case(f"nearly-whole-{number}", fields(both, 10**16, 3 * 10**15 + 1, 9 * 10**17 + number), EXACT)


def _states(gamma: int) -> Iterator[Case]:
    for power in (9, 16, 30):
        fields = {"frequency": str(10**power + 1), "rows": str(30 * gamma * 10**power + 7)}
        yield Case(f"of-{power}-digits", fields, EXACT)
        limit = {"frequency": str(10**power), "rows": str(gamma * 10**power)}
        yield Case(f"of-{power}-digits-at-the-limit", limit, LIMIT)
        above = {"frequency": str(10**power), "rows": str(gamma * 10**power - 1)}
        yield Case(f"of-{power}-digits-above-the-limit", above, LIMIT, "parameter")


def _minima() -> Iterator[Case]:
    for gamma, epsilon, alpha in (
        (2, "3", 4),
        (3, "5", 7),
        (2, "1", 1),
        (2, "1", 6),
        (4, "2", 5),
        (3, "2", 4),
    ):
        label = f"gamma-{gamma}-epsilon-{epsilon}-alpha-{alpha}"
        yield Case(label, {"gamma": gamma, "epsilon": epsilon, "alpha": alpha}, ("Tie",))
    third = Fraction(1, 3)
    for name, epsilon_ in (("attained", third), ("less", third - TINY), ("more", third + TINY)):
        yield Case(
            f"a-third-{name}", {"gamma": 3, "epsilon": str(epsilon_), "alpha": 12}, ("Boundary", *EXACT)
        )


def _retained_minima() -> Iterator[Case]:
    for gamma, retention in ((2, "9/10"), (3, "1/10"), (4, "19/20"), (3, "1")):
        for epsilon in ("1/4", "3/5", "1", "1/50"):
            for alpha in (4, 9):
                label = f"gamma-{gamma}-retention-{retention}-epsilon-{epsilon}-alpha-{alpha}".replace(
                    "/", "_"
                )
                fields = {"gamma": gamma, "retention": retention, "epsilon": epsilon, "alpha": alpha}
                yield Case(label, fields, ("Tie",) if retention == "1" else ())


def _no_counts() -> Iterator[Case]:
    fields: dict[str, object] = {"method": "mle"}
    yield Case("bound-0", {**fields, "published_count": 5, "bound": 0}, ("Clipped", "Zero"))
    yield Case("nothing-with-bound-0", {**fields, "published_count": 0, "bound": 0}, ("Zero",))
    exact: dict[str, object] = {"method": "exact", "both_count": 0, "published_count": 0}
    beyond = {**exact, "predicate_count": 11, "rows": 10}
    yield Case("predicate-beyond-the-table", beyond, ("OutOfRange",), "parameter")
    unknown = {"method": "mle", "published_count": 5, "rows": 10}
    yield Case("field-of-the-other-method", unknown, ("Unknown",), "unsupported")
    bound = {**exact, "predicate_count": 2, "rows": 10, "bound": 3}
    yield Case("bound-of-the-other-method", bound, ("Unknown",), "unsupported")
