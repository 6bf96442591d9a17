"""Two records known to have equal values are both published with one value (Fu et al. 2014, footnote 2)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.table_attack import Victims, require_independent
from splu_ref.channels import ParameterError
from splu_ref.mechanisms import Anatomy, SpluGen, co_occurrence

NAME = "shared-value"


def pair_weights(victims: Victims, code: int) -> dict[int, Fraction]:
    """Return by value the expected number of ordered pairs of records both published with ``code``.

    Given the plan, two records with value u are in two different groups, and all pairs of the f_u groups of u
    are equally likely. Both groups contain ``code`` in c (c - 1) of the f_u (f_u - 1) ordered pairs,
    c = c(u, code); for u = ``code`` all do. For independent records the probability is the square of the
    channel's entry.
    """
    counts = victims.counts
    pairs = {own: Fraction(count * (count - 1)) for own, count in counts.items()}
    mechanism, plan = victims.mechanism, victims.plans[0]
    if plan is None:
        require_independent(victims)
        [channel] = victims.view.channels
        return {own: pairs[own] * channel.probability(own, code) ** 2 for own in counts}
    shared = co_occurrence(plan).row(code).tolist()
    one, other = Fraction(1), Fraction(1)
    if isinstance(mechanism, SpluGen):
        one, other = mechanism.retention**2, mechanism.record_law.decoy**2
    return {
        own: pairs[own] * one if own == code else shared[own] * (shared[own] - 1) * other for own in counts
    }


def shared_value(victims: Victims, code: int) -> AttackOutcome:
    """Infer that two records with equal values have ``code``, since both are published with it.

    Parameters
    ----------
    victims
        The records and one release of them.
    code
        The value's code; at least two published records have it.

    Returns
    -------
    AttackOutcome
        ``predicted`` is the exact posterior, ``success`` the share of such pairs in this release that have
        the value, None if there is no such pair. The posterior is not the expectation of this share, so
        there is no e-value.
    """
    if victims.releases != 1:
        raise ParameterError("this attack uses one release: give no more")
    counts = victims.counts
    if counts.get(code, 0) < 2:
        raise ParameterError("fewer than two published records have the value: choose a more frequent one")
    weights = pair_weights(victims, code)
    shown: Counter[int] = Counter()
    for (own, (label,)), count in victims.shown.items():
        if code in label if isinstance(label, tuple) else label == code:
            shown[own] += count
    seen = {own: count * (count - 1) for own, count in shown.items()}
    all_seen = sum(seen.values())
    total = sum(weights.values(), Fraction(0))
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=Fraction(seen.get(code, 0), all_seen) if all_seen else None,
        predicted=weights[code] / total,
        baseline=Fraction(
            counts[code] * (counts[code] - 1), sum(count * (count - 1) for count in counts.values())
        ),
        e_value=None,
        detectable=None,
        largest=None,
        measure=(
            "the probability that two records known to share a value, whose groups both contain this value, "
            "have it"
            if isinstance(victims.mechanism, Anatomy)
            else "the probability that two records known to share a value, both published with this value, "
            "have it"
        ),
    )
