"""splu.M1: the printed transition matrix forgets its own condition, and inflates every count."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..printed.transition import decoy_probability, matrix
from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Kernel, Status, Witness
from ..worlds.histograms import greedy_groups, histograms

M1 = Claim(
    id="splu.M1",
    module=__name__,
    source="Fu et al. 2014, §5.1, equations (6) to (9) and figure 6",
    title="the printed transition matrix",
    statement=(
        r"\Pr[s\in\mathrm{decoys}(t)\mid t.s\ne s]=\frac{\gamma f}{N},\qquad "
        r"M_1=\begin{pmatrix}1-f/N&f/N\\(\gamma-1)/\gamma&1/\gamma\end{pmatrix}"
    ),
    words=(
        "False for every count f below N/gamma. gamma f/N is the probability that the group of a record "
        "drawn from the whole table holds s. The records that carry s themselves are among those; under the "
        "condition that the record carries another value, the probability is f(gamma-1)/(N-f). The printed "
        "one is too large by a factor of (gamma/(gamma-1))(1 - f/N), which tends to gamma/(gamma-1), 2 at "
        "worst, as s becomes rare. It also contradicts E f' = f: the printed matrix makes it f + f(1/gamma - "
        "f/N). The smallest case is gamma = 2, N = 4, f = 1: 1/2 is printed where 1/3 is true."
    ),
    hypotheses=(r"\gamma \ge 2", r"1 \le f \le N/\gamma", r"\gamma \mid N"),
    status=Status.REFUTED,
    grade=Grade.KERNEL,
    rests_on=("splu.D6", "splu.S3", "splu.B"),
    corrected_by="splu.M1c",
    topples=("splu.I", "splu.K"),
    tests=("tests/docs/test_witnesses.py::test_equations_6_to_9",),
    kernel=Kernel(
        theorems=(
            "Transition.decoy_law",
            "Transition.printed_share_too_large",
            "Transition.printed_share_right_at_the_limit",
            "Transition.smallest_counterexample",
            "Transition.printed_share_refuted",
            "Transition.printed_share_right_below_four_records",
            "Transition.printed_mean",
        ),
        covers=(
            "The refutation, from the mechanism: the probability under the condition for every plan, the two "
            "sides at the counterexample, that fewer than four records give none, that the printed share is "
            "too large at every f below N/gamma and right at N/gamma, and the mean that the printed matrix "
            "gives."
        ),
    ),
)


def outside_group(gamma: int, f: int, rows: int) -> Fraction:
    """Count it in a greedy plan: Pr[s not in decoys(t) | t.s is not s], with the other values all single."""
    groups = greedy_groups((f,) + (1,) * (rows - f), gamma)
    others = [group for group in groups for value in group if value != 0]
    return Fraction(sum(0 not in group for group in others), len(others))


@M1.refutation
def smallest_counterexample() -> Witness:
    """At gamma = 2, N = 4, f = 1 the group of another record misses s with 2/3; 1 - 1/2 is printed."""
    return Witness(
        parameters={"gamma": 2, "N": 4, "f": 1},
        premises=(
            lambda gamma, _rows, _f: gamma >= 2,
            lambda gamma, rows, f: 1 <= f <= Fraction(rows, gamma),
            lambda gamma, rows, _f: rows % gamma == 0,
        ),
        allowed=lambda gamma, rows, f: 1 - decoy_probability(gamma, f, rows),
        actual=lambda gamma, rows, f: outside_group(gamma, f, rows),
        sign="=",
        printed=Fraction(1, 2),
        true=Fraction(2, 3),
        smaller=cases_before_the_witness,
        count=2,
        order="N, then gamma, then f; the quantity is Pr[s not in decoys(t) | t.s is not s]",
        perturbed="splu_proofs.worlds.histograms:greedy_groups larger",
        by_hand=(
            "Two groups of two records, and one record carries s. Of the three others one is in its group: "
            "1/3. Printed is 2 * 1/4 = 1/2. So the group misses s with probability 2/3, printed 1/2."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate N < 4: the only cases are N = gamma with f = 1."""
    for rows in range(2, 4):
        for gamma in range(2, rows + 1):
            yield from ((gamma, rows, f) for f in range(1, rows // gamma + 1))


@M1.derivation
def too_large_below_n_over_gamma() -> Derivation:
    """Count the records whose group holds s, with and without the condition."""
    return Derivation(
        setting=(
            "f groups hold s, with gamma f records, of which f carry s. The other f(gamma-1) are among the "
            "N - f records with other values. In the formulas r = N - f."
        ),
        steps=(
            Identity(
                name="the gap",
                says="gamma f/N - f(gamma-1)/(N-f) = f(N - gamma f)/(N(N-f)): positive for gamma f < N.",
                variables={"gamma": 2, "f": 1, "r": 1},
                left=lambda gamma, f, r: gamma * f / (f + r) - f * (gamma - 1) / r,
                right=lambda gamma, f, r: f * (f + r - gamma * f) / ((f + r) * r),
            ),
            Identity(
                name="the factor",
                says="(gamma f/N) / (f(gamma-1)/(N-f)) = (gamma/(gamma-1)) (1 - f/N).",
                variables={"gamma": 2, "f": 1, "r": 1},
                left=lambda gamma, f, r: (gamma * f / (f + r)) / (f * (gamma - 1) / r),
                right=lambda gamma, f, r: gamma / (gamma - 1) * (1 - f / (f + r)),
            ),
            Identity(
                name="the mean it would give",
                says="f/gamma + (N-f) f/N = f + f(1/gamma - f/N), while splu.B says E f' = f.",
                variables={"gamma": 2, "f": 1, "r": 1},
                left=lambda gamma, f, r: f / gamma + r * (f / (f + r)),
                right=lambda gamma, f, r: f + f * (1 / gamma - f / (f + r)),
            ),
        ),
        conclusion="The printed matrix is right only at f = N/gamma, where every group holds s.",
    )


@M1.flaw
def the_condition_is_dropped() -> Derivation:
    """Average over all records instead: then gamma f/N is right."""
    return Derivation(
        setting="A record with s has s among its decoys with probability 1; r = N - f.",
        steps=(
            Identity(
                name="without the condition",
                says="(f * 1 + (N-f) * f(gamma-1)/(N-f)) / N = gamma f/N.",
                variables={"gamma": 2, "f": 1, "r": 1},
                left=lambda gamma, f, r: (f + r * (f * (gamma - 1) / r)) / (f + r),
                right=lambda gamma, f, r: gamma * f / (f + r),
            ),
        ),
        conclusion=(
            "The text counts the groups that hold s, f of N/gamma, which answers for a record of any value; "
            "it then uses the answer for records of other values."
        ),
    )


@M1.computation(cases=2691, perturbed="splu_proofs.printed.transition:decoy_probability larger")
def every_small_table() -> Comparisons:
    """Count in the greedy plan of every eligible histogram with N <= 8; compare print and truth."""
    for gamma in range(2, 5):
        for rows in range(gamma, 9, gamma):
            for histogram in histograms(rows):
                if gamma * max(histogram) > rows:
                    continue
                groups = greedy_groups(histogram, gamma)
                for s, f in enumerate(histogram):
                    others = [group for group in groups for value in group if value != s]
                    true = Fraction(sum(s in group for group in others), len(others))
                    yield (true, "=", Fraction(f * (gamma - 1), rows - f), f"{histogram}, s = {s}: {true}")
                    right = decoy_probability(gamma, f, rows) == true
                    yield (right, "=", (gamma * f == rows), f"{histogram}, s = {s}: print against truth")
                    (_, gained), (_, kept) = matrix(gamma, f, rows)
                    excess = f * kept + (rows - f) * gained - f
                    yield (excess, "=", f * (Fraction(1, gamma) - Fraction(f, rows)), f"{histogram}, s = {s}")
