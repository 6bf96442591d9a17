"""splu.B: the published count is binomial, with mean f and variance f (gamma - 1)/gamma."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..arithmetic.law import probability_mass, trial_weight
from ..arithmetic.trials import PASCAL
from ..terms import Claim, Comparisons, Derivation, Gives, Grade, Identity, Kernel, Quantity, Relation, Status
from ..worlds.histograms import greedy_groups, histograms

MEAN = Relation(
    variables=("gamma", "f"),
    left=Quantity(r"\mathrm{E} f'", lambda gamma, f: _moment(gamma, f, lambda k: k)),
    sign="=",
    right=lambda _gamma, f: f,
    cases=lambda: ((gamma, f) for gamma in (2, 3, 5) for f in range(8)),
)
VARIANCE = Relation(
    variables=("gamma", "f"),
    left=Quantity(r"\mathrm{Var} f'", lambda gamma, f: _moment(gamma, f, lambda k: (k - f) ** 2)),
    sign="=",
    right=lambda gamma, f: f * (gamma - 1) / gamma,
    cases=MEAN.cases,
)


def _moment(gamma: int, f: int, of: Callable[[int], int]) -> Fraction:
    return sum((probability_mass(gamma, f, k) * of(k) for k in range(gamma * f + 1)), Fraction(0))


B = Claim(
    id="splu.B",
    module=__name__,
    source="Fu et al. 2014, §4",
    title="law of the published count",
    statement=rf"f' \sim \mathrm{{Bin}}(\gamma f, 1/\gamma),\qquad {MEAN.latex},\qquad {VARIANCE.latex}",
    asserts=(MEAN, VARIANCE),
    words=(
        "A value that occurs f times stands in f decoy groups of gamma records each. Those gamma f "
        "records, and no others, publish it, independently, each with probability 1/gamma. So its "
        "published count is binomial with gamma f trials: unbiased, with variance f (gamma - 1)/gamma."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 0", "the groups hold distinct values"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.S3", "splu.G"),
    licenses=("splu_ref.mechanisms.splu_gen", "splu_ref.mechanisms.plans.plan", "splu_ref.channels.binomial"),
    tests=(
        "tests/audit/test_enumeration.py::test_laws_by_hand",
        "tests/estimators/test_matrices.py::test_the_value_matrix_is_the_law_of_every_outcome",
    ),
    kernel=Kernel(
        theorems=(
            "Mechanism.published_count_law",
            "Counting.law_by_counting",
            "Binomial.prob_total",
            "Chebyshev.mean_is_f",
            "Chebyshev.variance",
        ),
        covers=(
            "The whole statement, from the mechanism: for every plan of groups of gamma distinct values and "
            "every table that it fits, the share of all orders and draws by which a count is published is "
            "binomial; the probabilities add up to 1, with this mean and variance."
        ),
        leaves="That the code draws so. Coq does not read it; the enumeration below does.",
    ),
)


@B.derivation
def law_mean_and_variance_by_trials() -> Derivation:
    """Add one record after the other; each is a trial of probability p = 1/gamma, independent of the rest."""
    return Derivation(
        setting=(
            "X_m counts successes among m of the gamma f records; p = 1/gamma. E stands for the mean and Q "
            "for the second moment of X_m, 'mean' and 'square' in the formulas; X_0 = 0."
        ),
        steps=(
            PASCAL,
            Identity(
                name="the mean grows by p",
                says="E X_{m+1} - E X_m = (1-p) E + p (E + 1) - E = p.",
                variables={"p": 0, "mean": 0},
                left=lambda p, mean: (1 - p) * mean + p * (mean + 1) - mean,
                right=lambda p, _mean: p,
            ),
            Identity(
                name="the variance grows by p(1-p)",
                says="With Q' = (1-p) Q + p (Q + 2E + 1) and E' = E + p: (Q' - E'^2) - (Q - E^2) = p (1-p).",
                variables={"p": 0, "mean": 0, "square": 0},
                left=lambda p, mean, square: (
                    (1 - p) * square + p * (square + 2 * mean + 1) - (mean + p) ** 2 - (square - mean**2)
                ),
                right=lambda p, _mean, _square: p * (1 - p),
            ),
            Identity(
                name="the mean of f'",
                says="The f own records and the (gamma-1) f others: f p + (gamma-1) f p = f.",
                variables={"gamma": 2, "f": 0},
                left=lambda gamma, f: f * (1 / gamma) + (gamma - 1) * f * (1 / gamma),
                right=lambda _gamma, f: f,
            ),
            Identity(
                name="the variance of f'",
                says="gamma f trials: gamma f p (1-p) = f (gamma-1)/gamma.",
                variables={"gamma": 2, "f": 0},
                left=lambda gamma, f: gamma * f * (1 / gamma) * (1 - 1 / gamma),
                right=lambda gamma, f: f * (gamma - 1) / gamma,
            ),
        ),
        conclusion=(
            "PASCAL is the step of the law from m to m + 1 trials, and b(0; 0) = 1 is its start; mean and "
            "variance start at 0 and grow by p and p(1-p) gamma f times."
        ),
        gives=(
            Gives(relation=MEAN, step="the mean of f'", of="right", at=lambda gamma, f: (gamma, f)),
            Gives(relation=VARIANCE, step="the variance of f'", of="right", at=lambda gamma, f: (gamma, f)),
        ),
    )


@B.computation(cases=2243, perturbed="splu_proofs.arithmetic.law:probability_mass larger")
def moments_and_law_in_small_worlds() -> Comparisons:
    """Recurrence and moments in fractions; and the law by multiplying out every record of a plan."""
    for gamma in range(2, 7):
        for m in range(13):
            for a in range(-1, m + 3):
                split = trial_weight(gamma, m, a - 1) / gamma + trial_weight(gamma, m, a) * Fraction(
                    gamma - 1, gamma
                )
                yield (trial_weight(gamma, m + 1, a), "=", split, f"the recurrence fails at m = {m}, a = {a}")
        for f in range(1, 9):
            law = [probability_mass(gamma, f, k) for k in range(gamma * f + 1)]
            mean = sum(k * p for k, p in enumerate(law))
            variance = sum((k - mean) ** 2 * p for k, p in enumerate(law))
            yield (
                (sum(law), mean, variance),
                "=",
                (1, f, Fraction(f * (gamma - 1), gamma)),
                f"gamma = {gamma}, f = {f}",
            )
    for gamma in (2, 3):
        for total in range(gamma, 10, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) <= total:
                    yield from _compare_laws(histogram, gamma)


def _compare_laws(histogram: tuple[int, ...], gamma: int) -> Comparisons:
    groups = greedy_groups(histogram, gamma)
    for value, f in enumerate(histogram):
        law = [Fraction(1)]
        for group in groups:
            for _ in group:  # one record: it publishes the value with 1/gamma if the group holds the value
                chance = Fraction(value in group, gamma)
                law = [
                    (law[k] if k < len(law) else 0) * (1 - chance) + (law[k - 1] if k else 0) * chance
                    for k in range(len(law) + 1)
                ]
        expected = [probability_mass(gamma, f, k) for k in range(len(law))]
        yield (law, "=", expected, f"law of value {value} of {histogram} at gamma = {gamma}")


@B.enumeration(
    cases=12,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.blocks larger",
        "splu_proofs.arithmetic.law:probability_mass larger",
    ),
)
def the_shipped_mechanism_has_this_law() -> Comparisons:
    """Run the shipped mechanism over every outcome of its draws and of the order within values."""
    from ..worlds import shipped  # noqa: PLC0415  it loads numpy and the library

    worlds = ((2, (2, 1, 1)), (2, (2, 2)), (3, (1, 1, 1)), (2, (1, 1, 1, 1)))
    for gamma, histogram in worlds:
        laws: list[dict[int, Fraction]] = [{} for _ in histogram]
        for release, probability in shipped.releases(histogram, gamma):
            published = [value for _, value in release]
            for value, law in enumerate(laws):
                count = published.count(value)
                law[count] = law.get(count, Fraction(0)) + probability
        for value, f in enumerate(histogram):
            expected = {k: probability_mass(gamma, f, k) for k in range(gamma * f + 1)}
            yield (laws[value], "=", expected, f"gamma = {gamma}, {histogram}: value {value} has another law")
