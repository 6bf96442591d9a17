"""olap.T3: relative a-priori probabilities of a set and of its complement stand on either side of 1."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.histograms import spreads

T3 = Claim(
    id="olap.T3",
    module=__name__,
    source="Agrawal et al. 2005, §5.1, Theorem 3",
    title="the median relative a-priori probability",
    statement=(r"\#\{S : p_S/m_S < 1\} = \#\{S : p_S/m_S > 1\},\qquad \emptyset \ne S \subsetneq V_X"),
    words=(
        "True in the sense that as many sets lie below 1 as above it, since a set and its complement never "
        "lie on one side: 1 is a median of the relative a-priori probabilities p_S/m_S, whatever the prior "
        "and the replacing law are. It is the only one if some set has exactly 1; otherwise every number "
        "between the two in the middle is one, and their mean may be another: for counts 1, 1, 4 of three "
        "values it is 7/8. So rare sets, with p_S/m_S < 1, are at most half of all sets. The empty set has "
        "no relative prior, and the set of all values has 1."
    ),
    hypotheses=(r"0 < m_S < 1 \text{ for these } S",),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.D45",),
)


@T3.derivation
def complements_lie_on_the_other_side() -> Derivation:
    """Compare the relative prior of a set with that of its complement."""
    return Derivation(
        setting="P = p_S and m = m_S, so the complement has 1 - P and 1 - m, and 0 < m < 1.",
        steps=(
            Identity(
                name="the other side of 1",
                says="(1-P)/(1-m) - 1 = -(m/(1-m)) (P/m - 1): the signs are opposite, or both are 0.",
                variables={"P": 0, "m": 2},
                left=lambda own, m: (1 - own) / (1 - m) - 1,
                right=lambda own, m: -(m / (1 - m)) * (own / m - 1),
            ),
        ),
        conclusion=(
            "Taking complements maps the sets below 1 one to one onto the sets above 1, and those at 1 onto "
            "each other."
        ),
    )


@T3.computation(cases=337, perturbed="splu_proofs.worlds.histograms:spreads larger")
def every_small_prior() -> Comparisons:
    """Count sets on either side of 1 for all priors of 6 records on 3 and 4 values, three replacing laws."""
    middle = Fraction(1)
    for size in (3, 4):
        for weights in ((1,) * size, tuple(range(1, size + 1)), (5,) + (1,) * (size - 1)):
            for counts in spreads(6, size):
                ratios = []
                for members in range(1, 2**size - 1):
                    own = sum(counts[value] for value in range(size) if members >> value & 1)
                    other = sum(weights[value] for value in range(size) if members >> value & 1)
                    ratios.append(Fraction(own, 6) / Fraction(other, sum(weights)))
                below, above = sum(ratio < 1 for ratio in ratios), sum(ratio > 1 for ratio in ratios)
                yield (below, "=", above, f"{counts}: {below} sets below 1, {above} above")
                if counts == (1, 1, 4) and len(set(weights)) == 1:
                    ratios.sort()
                    middle = (ratios[2] + ratios[3]) / 2
    yield (middle, "=", Fraction(7, 8), f"the mean of the middle two is {middle}")
