"""Definitions 5 and 6: the four states of a conjunction, and the transition between them."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Comparisons, Status
from ..worlds.conjunctions import together
from ..worlds.histograms import greedy_groups

D5 = Claim(
    id="splu.D5",
    module=__name__,
    source="Fu et al. 2014, §5.1, Definition 5",
    title="states of a conjunction",
    statement=(
        r"\phi_0=\bar P\wedge\bar s,\quad \phi_1=\bar P\wedge s,\quad \phi_2=P\wedge\bar s,\quad "
        r"\phi_3=P\wedge s;\qquad x_i=\#\phi_i(D),\ y_i=\#\phi_i(D')"
    ),
    words=(
        "A predicate P on the non-sensitive columns and a sensitive value s put every record in one of four "
        "states, according to whether it satisfies P and whether it carries s. x counts the states in the "
        "original table and y in the published one. Release leaves P alone, so n = x_2 + x_3 = y_2 + "
        "y_3; f = x_1 + x_3 and f' = y_1 + y_3. The count that is sought is x_3."
    ),
    status=Status.DEFINITION,
    grade=None,
)

D6 = Claim(
    id="splu.D6",
    module=__name__,
    source="Fu et al. 2014, §5.1, Definition 6",
    title="transition matrix",
    statement=r"a_{ij} = \Pr[\text{a record in state } i \text{ is published in state } j]",
    words=(
        "The transition matrix gives, for a record in state i of the original table, the probability that "
        "it is published in state j. The definition does not say over which records of state i the "
        "probability is taken, and that matters: for one record of another value it depends on how often "
        "the plan groups its value with s, so the entries a_01 and a_23 are averages."
    ),
    status=Status.DEFINITION,
    grade=None,
    rests_on=("splu.D5",),
)


@D6.computation(cases=1, perturbed="splu_proofs.worlds.conjunctions:together larger")
def records_of_one_state_differ() -> Comparisons:
    """Four values once each, gamma = 2, s = 0: of the records without s, one publishes s and two cannot."""
    groups = greedy_groups((1, 1, 1, 1), 2)
    gained = [Fraction(together(groups, value, 0), 2) for value in (1, 2, 3)]
    yield (sorted(gained), "=", [0, 0, Fraction(1, 2)], f"the transitions to s are {gained}")
