"""splu.M1c: the transition of a record, value by value and on average."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Gives, Grade, Identity, Kernel, Quantity, Relation, Status
from ..worlds.conjunctions import WORLDS, records, shipped_groups, shipped_laws, together
from ..worlds.histograms import greedy_groups, histograms

AVERAGE = Relation(
    variables=("gamma", "N", "f", "groups", "s"),
    left=Quantity(
        r"\frac{1}{N-f}\sum_{u\ne s} f_u\,T[u,s]",
        lambda gamma, rows, f, groups, s: Fraction(_draws_of(groups, s), gamma * (rows - f)),
    ),
    sign="=",
    right=lambda gamma, rows, f, *_: f * (gamma - 1) / (gamma * (rows - f)),
    cases=lambda: (
        (gamma, sum(histogram), f, groups, s)
        for gamma, histogram in ((2, (2, 1, 1)), (2, (3, 2, 2, 1)), (3, (2, 2, 1, 1)), (3, (3, 2, 2, 1, 1)))
        for groups in [tuple(greedy_groups(histogram, gamma))]
        for s, f in enumerate(histogram)
    ),
)


def _draws_of(groups: tuple[tuple[int, ...], ...], s: int) -> int:
    """Return how many of all gamma N draws give s to a record of another value."""
    return sum(drawn == s != own for group in groups for own in group for drawn in group)


M1C = Claim(
    id="splu.M1c",
    module=__name__,
    source="corrects Fu et al. 2014, §5.1, equations (6) to (9)",
    title="transition of a record",
    statement=(rf"T[u,v]=\frac{{c(u,v)}}{{\gamma f_u}};\qquad {AVERAGE.latex}=a_{{23}}=a_{{01}}"),
    asserts=(AVERAGE,),
    words=(
        "With random places within each value, a record of value u is published as v with probability "
        "c(u,v)/(gamma f_u), where c(u,v) counts the groups that hold both: exactly, and for every plan. "
        "Averaged over the records that do not carry s, the probability of publishing s is "
        "f(gamma-1)/(gamma(N-f)), whatever the plan, and the matrix with this entry preserves E f' = f. It "
        "is an average over all records without s: for the records of a predicate P it is right if they "
        "are a fair sample of those (splu.V), or if all values stand with s equally often per record."
    ),
    hypotheses=(r"\gamma \ge 2", r"0 \le f < N", r"c(u,u)=f_u", "random places within values"),
    status=Status.CORRECTED,
    grade=Grade.KERNEL,
    rests_on=("splu.D6", "splu.S3", "splu.G", "splu.B"),
    licenses=(
        "splu_ref.mechanisms.plans.co_occurrence",
        "splu_ref.estimators.linear.two_state:conjunction_estimate",
    ),
    tests=(
        "tests/mechanisms/plans/test_co_occurrence.py::test_it_counts_the_groups_that_hold_both",
        "tests/estimators/test_conjunctions.py::test_it_is_the_stated_closed_form_wherever_it_is_defined",
    ),
    kernel=Kernel(
        theorems=(
            "Posterior.transition_law",
            "Transition.gained_law",
            "Transition.corrected_mean",
        ),
        covers=(
            "The whole statement, from the mechanism, for every plan and every table that it fits; and that "
            "the mean is preserved."
        ),
        leaves=(
            "What is said of the records of a predicate, and of the library's form: the derivation and the "
            "computations below."
        ),
    ),
)


@M1C.derivation
def place_and_draw() -> Derivation:
    """Take a uniform place among the f_u groups of the value, then a uniform draw among gamma values."""
    return Derivation(
        setting=(
            "The record stands in each of the f_u groups of its value with probability 1/f_u; c(u, v) of "
            "them hold v, and there it draws v with probability 1/gamma. In the formulas r = N - f."
        ),
        steps=(
            Identity(
                name="a row adds up",
                says=(
                    "With T[u,v] = c(u,v) (1/f_u) (1/gamma): f/(gamma f) for u itself, (gamma-1) f/(gamma "
                    "f) for all others."
                ),
                variables={"gamma": 2, "fu": 1},
                left=lambda gamma, fu: fu / (gamma * fu) + (gamma - 1) * fu / (gamma * fu),
                right=lambda gamma, _fu: 1 + gamma * 0,
            ),
            Identity(
                name="the average over other values",
                says=(
                    "f_u T[u,s] = c(u,s)/gamma, and the c(u,s) over u other than s count the other members "
                    "of the f groups of s: gamma f - f in all. So the average is ((gamma f - f)/gamma)/(N-f)."
                ),
                variables={"gamma": 2, "f": 0, "r": 1},
                left=lambda gamma, f, r: (gamma * f - f) / gamma / r,
                right=lambda gamma, f, r: f * (gamma - 1) / (gamma * r),
            ),
            Identity(
                name="the mean is preserved",
                says="f/gamma + (N-f) f(gamma-1)/(gamma(N-f)) = f.",
                variables={"gamma": 2, "f": 0, "r": 1},
                left=lambda gamma, f, r: f / gamma + r * (f * (gamma - 1) / (gamma * r)),
                right=lambda _gamma, f, _r: f,
            ),
            Identity(
                name="as the library writes the estimate",
                says=(
                    "With a = f'(gamma-1)/(gamma(N-f')) and N = f' + r: (y3 - n a)/(1/gamma - a) = "
                    "(gamma (N-f') y3 - n f'(gamma-1)) / (N - gamma f')."
                ),
                variables={"gamma": 2, "f": 1, "r": 60, "n": 0, "y3": 0},
                left=lambda gamma, f, r, n, y3: (
                    (y3 - n * (f * (gamma - 1) / (gamma * r))) / (1 / gamma - f * (gamma - 1) / (gamma * r))
                ),
                right=lambda gamma, f, r, n, y3: (gamma * r * y3 - n * f * (gamma - 1)) / (f + r - gamma * f),
            ),
        ),
        conclusion="The average follows by summing f_u T[u,s] over u other than s and dividing by N - f.",
        gives=(
            Gives(
                relation=AVERAGE,
                step="the average over other values",
                of="right",
                at=lambda gamma, rows, f, _groups, _s: (gamma, f, rows - f),
            ),
        ),
    )


@M1C.computation(cases=2691, perturbed="splu_proofs.worlds.conjunctions:together larger")
def rows_and_averages_of_small_plans() -> Comparisons:
    """In the greedy plan of every eligible histogram with N <= 8: rows sum to 1, the average is as stated."""
    for gamma in range(2, 5):
        for total in range(gamma, 9, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) <= total:
                    yield from _compare_rows(histogram, gamma)


def _compare_rows(histogram: tuple[int, ...], gamma: int) -> Comparisons:
    groups, total = greedy_groups(histogram, gamma), sum(histogram)
    values = range(len(histogram))
    transition = [[Fraction(together(groups, u, v), gamma * histogram[u]) for v in values] for u in values]
    for s, f in enumerate(histogram):
        yield (sum(transition[s]), "=", 1, f"sum of row {s} of {histogram} at gamma = {gamma}")
        yield (transition[s][s], "=", Fraction(1, gamma), f"retention of value {s} of {histogram}")
        gained = sum((histogram[u] * transition[u][s] for u in values if u != s), Fraction(0))
        average = Fraction(f * (gamma - 1), gamma * (total - f))
        yield (gained / (total - f), "=", average, f"average over the other values than {s} of {histogram}")


@M1C.enumeration(
    cases=384,
    perturbed=(
        "splu_ref.mechanisms.plans.co_occurrence:co_occurrence larger",
        "splu_proofs.worlds.conjunctions:together larger",
    ),
)
def the_shipped_mechanism_has_this_transition() -> Comparisons:
    """Compare each record's published law, over every outcome, with c(u,v)/(gamma f_u) as shipped."""
    import numpy as np  # noqa: PLC0415  only the enumeration needs it

    from splu_ref.channels.parameters import Gamma  # noqa: PLC0415  only runs need it
    from splu_ref.mechanisms import PLANS, co_occurrence  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import SystemSource  # noqa: PLC0415  only runs need it

    for (gamma, histogram), plan in product(WORLDS, ("anatomy", "cyclic")):
        counted = co_occurrence(PLANS[plan](np.array(histogram), Gamma(gamma), SystemSource()))
        groups = shipped_groups(histogram, gamma, plan)
        shipped = shipped_laws(histogram, gamma, plan)
        for record, u in enumerate(records(histogram)):
            for v in range(len(histogram)):
                c = counted(u, v)
                yield (c, "=", together(groups, u, v), f"{plan} of {histogram}: c({u},{v}) = {c}")
                seen = sum((chance for values, chance in shipped if values[record] == v), Fraction(0))
                yield (seen, "=", Fraction(c, gamma * histogram[u]), f"{plan} of {histogram}: T[{u},{v}]")
