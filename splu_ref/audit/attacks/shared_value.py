"""Two people who are known to have the same value are both shown with one (Fu et al. 2014, footnote 2)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from splu_ref.audit.attacks.carried_out import Victims, require_independent
from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.channels import ParameterError
from splu_ref.mechanisms import Anatomy, SpluGen, co_occurrence

NAME = "shared-value"


def pair_weights(victims: Victims, code: int) -> dict[int, Fraction]:
    """Return how many ordered pairs of records with one value are expected to show ``code`` both, by value.

    Given the plan, two records with value u stand in two different groups, each pair of the f_u groups of u
    being equally likely. Both of the groups hold ``code`` in c (c - 1) of the f_u (f_u - 1) ordered pairs,
    c = c(u, code); with u = ``code`` all do. Mechanisms whose records are independent have the square of the
    channel's entry.
    """
    counts = victims.counts
    pairs = {own: Fraction(count * (count - 1)) for own, count in counts.items()}
    mechanism, plan = victims.mechanism, victims.plans[0]
    if plan is None:
        require_independent(victims)
        [channel] = victims.view.channels
        return {own: pairs[own] * channel.probability(own, code) ** 2 for own in counts}
    together = co_occurrence(plan).row(code).tolist()
    one, other = Fraction(1), Fraction(1)
    if isinstance(mechanism, SpluGen):
        one, other = mechanism.retention**2, mechanism.record_law.decoy**2
    return {
        own: pairs[own] * one if own == code else together[own] * (together[own] - 1) * other
        for own in counts
    }


def shared_value(victims: Victims, code: int) -> AttackOutcome:
    """Conclude from two records with one value, both shown with ``code``, that they have it.

    Parameters
    ----------
    victims
        The records and one release of them.
    code
        The value's code; two published records have it.

    Returns
    -------
    AttackOutcome
        ``predicted`` is the exact posterior, ``success`` the share of such pairs in this release that have
        the value, None if there is no such pair. A share of what is shown has not the posterior as its
        expectation, so there is no e-value.
    """
    if victims.releases != 1:
        raise ParameterError("this attack looks at one release: give no more")
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
        noticed=None,
        largest=None,
        says=(
            "two records that are known to share a value, and both show this one's group, have it with this "
            "probability"
            if isinstance(victims.mechanism, Anatomy)
            else "two records that are known to share a value, and are both published with this one, have it "
            "with this probability"
        ),
    )
