"""splu.Rp: the published count for any retention probability p."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from splu_ref.guarantees import (
    chebyshev_bound,
    chernoff_bound,
    error_probability,
    privacy_minimum,
    utility_threshold,
)

from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Quantity,
    Relation,
    Status,
    decimal,
)
from ..worlds.conjunctions import records
from ..worlds.retention import WORLDS, published, shipped_laws

MEAN = Relation(
    variables=("gamma", "f", "p", "q"),
    left=Quantity(r"\mathrm{E} f'", lambda gamma, f, p, _q: _moment(gamma, f, p, lambda k: k)),
    sign="=",
    right=lambda _gamma, f, _p, _q: f,
    cases=lambda: (
        (gamma, f, p, (1 - p) / (gamma - 1))
        for gamma in (2, 3, 5)
        for f in range(1, 5)
        for p in map(Fraction, ("1/20", "1/3", "1/2", "4/5", "1"))
    ),
)
VARIANCE = Relation(
    variables=("gamma", "f", "p", "q"),
    left=Quantity(r"\mathrm{Var} f'", lambda gamma, f, p, _q: _moment(gamma, f, p, lambda k: (k - f) ** 2)),
    sign="=",
    right=lambda _gamma, f, p, q: f * (p * (1 - p) + (1 - p) * (1 - q)),
    cases=MEAN.cases,
)


def _moment(gamma: int, f: int, p: Fraction, of: Callable[[int], int]) -> Fraction:
    return sum((chance * of(k) for k, chance in enumerate(published(gamma, f, p))), Fraction(0))


RP = Claim(
    id="splu.Rp",
    module=__name__,
    source="new; Fu et al. 2014, §3.1, step 3, before p is set to 1/gamma",
    title="law of the published count for any retention",
    statement=(
        r"f' \sim \mathrm{Bin}(f, p) * \mathrm{Bin}((\gamma-1)f, q),\ q=\frac{1-p}{\gamma-1};\quad "
        rf"{MEAN.latex};\quad {VARIANCE.latex};\quad \Pr(\text{{true}}=\text{{published}})=p"
    ),
    asserts=(MEAN, VARIANCE),
    words=(
        "Of the gamma f records in groups that hold a value of count f, the f that carry it publish it with "
        "probability p, the others each with q = (1-p)/(gamma-1), all independently. So f' is unbiased for "
        "every p. Its variance falls to 0 as p grows to 1. A published value is the record's own with "
        "probability p, and any other given one with probability at most q: the chance to point at a "
        "record's value is the larger of p and q, least at p = 1/gamma, where both are 1/gamma. Chebyshev's "
        "and Chernoff's bounds hold with this variance and the product of the two generating functions. At "
        "gamma = 5, epsilon = 3/10 and alpha = 10, p = 1/2 lowers T_P (Definition 2) from .289 to .251, and "
        "at epsilon = 1/10, T_E = 1/20 the least accurate count from 311 to 271."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"0 < p \le 1", "the groups hold distinct values"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.S3", "splu.G", "splu.T3c"),
    licenses=(
        "splu_ref.channels.published_count",
        "splu_ref.guarantees.count_error",
        "splu_ref.channels.two_binomials",
        "splu_ref.channels.two_binomials",
    ),
    tests=("tests/guarantees/test_retention.py::test_against_laws_multiplied_out",),
)


@RP.derivation
def mean_variance_and_posterior() -> Derivation:
    """Add the f own records and the (gamma-1) f others; and ask who published the value."""
    return Derivation(
        setting=(
            "q = (1-p)/(gamma-1), so that the chances of a group add up to p + (gamma-1) q = 1. A published "
            "s comes from a record with s in f p cases on average, and from a record with v in c q cases, c "
            "= c(v, s) <= f groups holding both; f' has mean f. Records of one value are exchangeable."
        ),
        steps=(
            Identity(
                name="the mean",
                says="f p + (gamma-1) f q = f, whatever p is.",
                variables={"gamma": 2, "f": 0, "p": 0},
                left=lambda gamma, f, p: f * p + (gamma - 1) * f * ((1 - p) / (gamma - 1)),
                right=lambda _gamma, f, _p: f,
            ),
            Identity(
                name="the variance",
                says="f p (1-p) + (gamma-1) f q (1-q) = f (1-p)(p + 1 - q).",
                variables={"gamma": 2, "f": 0, "p": 0},
                left=lambda gamma, f, p: (
                    f * p * (1 - p) + (gamma - 1) * f * ((1 - p) / (gamma - 1)) * (1 - (1 - p) / (gamma - 1))
                ),
                right=lambda gamma, f, p: f * (1 - p) * (p + 1 - (1 - p) / (gamma - 1)),
            ),
            Identity(
                name="it is that of splu.B for p = 1/gamma",
                says="With p = 1/gamma, q = 1/gamma too: (1-1/gamma)(1/gamma + 1 - 1/gamma) f.",
                variables={"gamma": 2, "f": 0},
                left=lambda gamma, f: f * (1 - 1 / gamma) * (1 / gamma + 1 - (1 - 1 / gamma) / (gamma - 1)),
                right=lambda gamma, f: f * (gamma - 1) / gamma,
            ),
            Inequality(
                name="no other value is likelier than q",
                says=(
                    "c <= f gives f q - c q >= 0, in whole units of q: c q/f <= q. The true value has f p/f "
                    "= p."
                ),
                variables=("f", "c", "q"),
                given=lambda f, c, q: (f - c, c, q),
                slack=lambda d, c, q: (d + c, c, q),
                then=lambda f, c, q: f * q - c * q,
            ),
            Identity(
                name="which of p and q is larger",
                says="p - q = (gamma p - 1)/(gamma-1): it has the sign of p - 1/gamma.",
                variables={"gamma": 2, "p": 0},
                left=lambda gamma, p: p - (1 - p) / (gamma - 1),
                right=lambda gamma, p: (gamma * p - 1) / (gamma - 1),
            ),
            Identity(
                name="the mean of a power, group by group",
                says=(
                    "Records are independent, and one of chance r multiplies the mean of z^f' by 1 + r "
                    "(z-1): a record with s and gamma-1 others, (1+p(z-1)) (1+q(z-1))^(gamma-1) for each of "
                    "the f records. Here the two factors of one own and one other record."
                ),
                variables={"p": 0, "q": 0, "z": 0},
                left=lambda p, q, z: (1 - p) * (1 - q) + (p * (1 - q) + (1 - p) * q) * z + p * q * z**2,
                right=lambda p, q, z: (1 + p * (z - 1)) * (1 + q * (z - 1)),
            ),
        ),
        conclusion=(
            "Markov's inequality for (f'-f)^2 and for z^f' gives the bounds, as in splu.T3c. The largest "
            "posterior, max(p, q), is least where p = q."
        ),
        gives=(
            Gives(relation=MEAN, step="the mean", of="right", at=lambda gamma, f, p, _q: (gamma, f, p)),
            Gives(
                relation=VARIANCE, step="the variance", of="right", at=lambda gamma, f, p, _q: (gamma, f, p)
            ),
        ),
    )


@RP.computation(
    cases=816,
    perturbed=(
        "splu_ref.guarantees.count_error:error_probability larger",
        "splu_proofs.worlds.retention:published larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare probabilities, bounds and minima with the law multiplied out record by record."""
    for gamma in (2, 3, 5):
        for p in (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
            for f in (1, 2, 3, 7):
                law = published(gamma, f, p)
                mean = sum(k * chance for k, chance in enumerate(law))
                variance = sum((k - f) ** 2 * chance for k, chance in enumerate(law))
                yield (mean, "=", f, f"gamma = {gamma}, p = {p}, f = {f}: mean {mean}")
                for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(5, 2)):
                    true = sum(
                        chance for k, chance in enumerate(law) if abs(k - f) >= epsilon * f
                    ) + Fraction(0)
                    at = f"gamma = {gamma}, p = {p}, f = {f}, epsilon = {epsilon}"
                    yield (error_probability(gamma, epsilon, f, retention=p).exact(), "=", true, at)
                    bound = chebyshev_bound(gamma, epsilon, f, retention=p)
                    yield (bound, "=", variance / (epsilon * f) ** 2, f"Chebyshev at {at}")
                    yield (variance / (epsilon * f) ** 2, ">=", true, f"Chebyshev at {at}")
                    yield (chernoff_bound(gamma, epsilon, f, retention=p), ">=", true, f"Chernoff at {at}")


@RP.computation(cases=2, perturbed="splu_ref.channels.published_count:PublishedCount.error_enclosure larger")
def what_one_half_buys_and_costs() -> Comparisons:
    """Hold p = 1/2 against p = 1/5 at gamma = 5: small counts better known, large counts sooner right."""
    levels = [privacy_minimum(5, "3/10", 10, retention=p).t_p_definition.exact() for p in ("1/5", "1/2")]
    counts = [utility_threshold(5, "1/10", "1/20", retention=p).threshold for p in ("1/5", "1/2")]
    derived = [decimal(level, 3) for level in levels]
    yield (derived, "=", ["0.289...", "0.251..."], f"{derived}, {counts}")
    yield (counts, "=", [311, 271], f"{derived}, {counts}")


@RP.enumeration(
    cases=92,
    perturbed=(
        "splu_ref.audit.enumeration:made_once reversed",
        "splu_proofs.worlds.retention:published larger",
        "splu_proofs.worlds.retention:shipped_laws larger",
    ),
)
def the_shipped_mechanism_has_this_law() -> Comparisons:
    """Run the shipped mechanism over every outcome: the law of every value's count, and the posterior."""
    for gamma, histogram, p in WORLDS:
        truth, q = records(histogram), (1 - p) / (gamma - 1)
        laws: list[dict[int, Fraction]] = [{} for _ in histogram]
        pairs: dict[tuple[int, int], Fraction] = {}
        for values, chance in shipped_laws(histogram, gamma, p):
            for value, law in enumerate(laws):
                count = values.count(value)
                law[count] = law.get(count, Fraction(0)) + chance
            for own, derived in zip(truth, values, strict=True):
                pairs[own, derived] = pairs.get((own, derived), Fraction(0)) + chance
        for value, f in enumerate(histogram):
            expected = {k: chance for k, chance in enumerate(published(gamma, f, p)) if chance}
            yield (laws[value], "=", expected, f"gamma = {gamma}, p = {p}, {histogram}: value {value}")
            for other in range(len(histogram)):
                chance = pairs.get((other, value), Fraction(0)) / f
                yield (
                    chance,
                    "=" if other == value else "<=",
                    p if other == value else q,
                    f"gamma = {gamma}, p = {p}, {histogram}: {other} behind a published {value}",
                )
