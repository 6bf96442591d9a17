"""splu.DBRp: the count of a value alone under distribution-based randomization, beside SPLU-Gen's."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from ..arithmetic.law import error
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.histograms import histograms

DBRP = Claim(
    id="splu.DBRp",
    module=__name__,
    source="new; the comparison is Fu et al. 2014, §6.2.3.3",
    title="distribution-based randomization: a value alone",
    statement=(
        r"f' \sim \mathrm{Bin}(N, \tfrac fN),\qquad \operatorname{E} f' = f,\qquad "
        r"\operatorname{Var} f' - f\tfrac{\gamma-1}\gamma = f\left(\tfrac1\gamma - \tfrac fN\right) \ge 0"
    ),
    words=(
        "The published count of a value alone is unbiased, and its variance is at least that of SPLU-Gen for "
        "every gamma that the table allows (f at most N/gamma), with equality at f = N/gamma, where the two "
        "laws are the same. So small counts are about as wrong as SPLU-Gen's with a large gamma, and in the "
        "range computed never less often: the price is paid by conjunctions, of which nothing is left "
        "(splu.DBRc)."
    ),
    hypotheses=(r"\text{each value drawn independently from the histogram of } D", r"f \le N/\gamma"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B",),
    licenses=(
        "splu_ref.mechanisms.distribution_based:DistributionBased",
        "splu_ref.estimators.comparators:distribution_based_moments",
    ),
    tests=("tests/estimators/test_comparators.py::test_distribution_based_counts_over_every_outcome",),
)


@DBRP.derivation
def the_variances() -> Derivation:
    """N draws of probability f/N, against gamma f of probability 1/gamma."""
    return Derivation(
        setting="f' counts N independent draws, each s with probability f/N. N = f + m.",
        steps=(
            Identity(
                name="the difference",
                says="N (f/N)(1 - f/N) - f (gamma-1)/gamma = f (1/gamma - f/N).",
                variables={"f": 1, "m": 1, "gamma": 2},
                left=lambda f, m, gamma: f * (1 - f / (f + m)) - f * (gamma - 1) / gamma,
                right=lambda f, m, gamma: f * (1 / gamma - f / (f + m)),
            ),
        ),
        conclusion="It is at least 0 because f <= N/gamma, and 0 only at f = N/gamma.",
    )


@DBRP.computation(cases=456, perturbed="splu_proofs.arithmetic.law:error larger")
def errors_beside_splu_gen() -> Comparisons:
    """Compare Pr(abs(f' - f) >= eps f) for N = 60, gamma = 2..10 and every count that gamma allows."""
    rows = 60
    for gamma in range(2, 11):
        for f in range(1, rows // gamma + 1):
            weights = [comb(rows, k) * f**k * (rows - f) ** (rows - k) for k in range(rows + 1)]
            for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1)):
                far = sum(weight for k, weight in enumerate(weights) if abs(k - f) >= epsilon * f)
                drawn = Fraction(far, rows**rows)
                yield (
                    drawn,
                    ">=",
                    error(gamma, epsilon, f),
                    f"gamma = {gamma}, f = {f}, epsilon = {epsilon}",
                )


@DBRP.enumeration(
    cases=613, perturbed="splu_ref.mechanisms.distribution_based:DistributionBased.publish_rows smaller"
)
def the_shipped_draws() -> Comparisons:
    """Run the shipped mechanism on every outcome of every table with N <= 4: N independent draws."""
    import numpy as np  # noqa: PLC0415  only the enumeration needs it

    from splu_ref.mechanisms import DistributionBased  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    for total in range(1, 5):
        for histogram in histograms(total):
            codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)

            def run(
                source: Draws, codes: np.typing.NDArray[np.int64] = codes, size: int = len(histogram)
            ) -> tuple[int, ...]:
                return tuple(DistributionBased().publish_codes(codes, size, source).published.tolist())

            law: dict[tuple[int, ...], Fraction] = {}
            for published, chance in outcomes(run):
                law[published] = law.get(published, Fraction(0)) + chance
            yield (sum(law.values()), "=", 1, f"histogram {histogram}: the outcomes do not add up to 1")
            for published, chance in law.items():
                expected = Fraction(1)
                for value in published:
                    expected *= Fraction(histogram[value], total)
                yield (chance, "=", expected, f"histogram {histogram}: {published} has another probability")
