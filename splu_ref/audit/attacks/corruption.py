"""Corruption: the attacker knows the values of some other records (Chaytor, chapter 2; Tao et al. 2008)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.table_attack import Victims, attack_table, require_independent
from splu_ref.audit.attacks.view import eliminated
from splu_ref.channels import ParameterError
from splu_ref.mechanisms import Anatomy, DecoyPlan, SpluGen

NAME = "corruption"


def corruption(victims: Victims, others: int) -> AttackOutcome:
    """Attack every record given the values of ``others`` other ones: the mean posterior of its true value.

    Parameters
    ----------
    victims
        The records and one release of them.
    others
        Number of known records: members of the record's group if groups are published, otherwise one record
        of each of the most frequent values, with its label.

    Notes
    -----
    Independently published records disclose nothing about each other. In SPLU-Gen, given the plan, records of
    different values are assigned to groups independently, and two of one value to different groups: so a
    known record of value u changes the weight of u alone, from f_u A[u][w] to
    (f_u^2 A[u][w] A[u][w'] - S)/(f_u A[u][w']), where w' is the label of the known one and S the sum, over
    the groups of u, of the products of both probabilities (`conditional_weights`).
    """
    if victims.releases != 1:
        raise ParameterError("this attack uses one release: give no more")
    mechanism = victims.mechanism
    if isinstance(mechanism, Anatomy):
        return _of_group(victims, others, int(mechanism.gamma))
    if isinstance(mechanism, SpluGen) and mechanism.draws.bound is not None:
        return _of_draws(victims, others, mechanism)
    if isinstance(mechanism, SpluGen):
        return _of_plan(victims, others, mechanism)
    require_independent(victims)
    return attack_table(
        NAME, victims, eliminated(0), f"the values of {others} others have no effect: records are independent"
    )


def _left(others: int, gamma: int) -> Fraction:
    """Return the posterior of the true value if so many other members of the group are known."""
    if others >= gamma:
        raise ParameterError(f"a group of {gamma} has {gamma - 1} other members: give no more")
    return Fraction(1, gamma - others)


def _of_group(victims: Victims, others: int, gamma: int) -> AttackOutcome:
    posterior = _left(others, gamma)
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=posterior,
        predicted=posterior,
        baseline=victims.view.blind().expected(eliminated(0)),
        e_value=None,
        detectable=None,
        largest=posterior,
        measure=f"groups are published: {others} of {gamma - 1} other members' values leave {gamma - others}",
    )


def _of_draws(victims: Victims, others: int, mechanism: SpluGen) -> AttackOutcome:
    """Bound what known records disclose where the draws of a group are dependent (claim splu.PRICE)."""
    largest = _left(others, int(mechanism.gamma))
    shown = (
        "all-or-none draws disclose the group of a rare value that is published alone"
        if mechanism.draws.name == "all-or-none"
        else "how far a release discloses the groups is not computed"
    )
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=None,
        predicted=None,
        baseline=victims.view.blind().expected(eliminated(0)),
        e_value=None,
        detectable=None,
        largest=largest,
        measure=f"with the group known too, the true value has probability at most {largest}; {shown}",
    )


def _of_plan(victims: Victims, others: int, mechanism: SpluGen) -> AttackOutcome:
    [plan], [channel], counts = victims.plans, victims.view.channels, victims.counts
    if plan is None or others > len(counts):
        raise ParameterError(f"there are {len(counts)} values, one known record of each: give no more")
    labels: dict[int, Counter[int]] = {own: Counter() for own in counts}
    for (own, (label,)), count in victims.shown.items():
        if isinstance(label, int):
            labels[own][label] += count
    known = sorted(counts, key=lambda own: -counts[own])[:others]
    # an arbitrary record of each value: the one with its first label
    witness = {own: next(iter(labels[own])) for own in known}
    next_to = {
        own: conditional_weights(plan, own, mechanism, witness[own], len(victims.histogram)) for own in known
    }
    total, victims_left, largest = Fraction(0), 0, Fraction(0)
    for label in range(len(victims.histogram)):
        weights = {
            own: (next_to[own][label] if own in known else counts[own] * channel.probability(own, label))
            for own in counts
        }
        whole = sum(weights.values(), Fraction(0))
        if not whole:
            continue
        for own in counts:
            records = labels[own][label] - (own in known and witness[own] == label)
            if records > 0:
                posterior = weights[own] / whole
                total += records * posterior
                victims_left += records
                largest = max(largest, posterior)
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=total / victims_left,
        predicted=None,
        baseline=victims.view.blind().expected(eliminated(0)),
        e_value=None,
        detectable=None,
        largest=largest,
        measure="groups are not published: a known record changes only the weight of its true value",
    )


def conditional_weights(
    plan: DecoyPlan, own: int, mechanism: SpluGen, shown: int, size: int
) -> Mapping[int, Fraction]:
    """Return the weight of a record of value ``own`` by its label, given that another one has ``shown``."""
    keep, decoy = mechanism.retention, mechanism.record_law.decoy
    with_own = [group for group in plan.groups().tolist() if own in group]
    chance = {True: keep, False: decoy}
    once: Counter[int] = Counter()
    both: Counter[int] = Counter()
    for group in with_own:
        for code in group:
            once[code] += 1
            both[code] += shown in group
    first = once[shown] * chance[shown == own]
    return {
        code: chance[code == own] * (once[code] * first - both[code] * chance[shown == own]) / first
        for code in range(size)
    }
