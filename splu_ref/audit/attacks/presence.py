"""Attacks on one value: its presence in a release, and two records that are known to share it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome, point_tested
from splu_ref.audit.attacks.table_attack import Attackable, Victims, require_independent
from splu_ref.channels import ParameterError
from splu_ref.mechanisms import (
    Anatomy,
    DistributionBased,
    RetentionReplacement,
    SpluGen,
    Swapping,
    co_occurrence,
)

MOST_ROWS = 100_000
"""Largest number of records for mechanisms by which every record may be published with the value."""


def proof_of_presence(mechanism: Attackable, frequency: int, rows: int) -> Fraction:
    """Return the probability that a release proves the presence of a value."""
    if isinstance(mechanism, Anatomy | Swapping):
        return Fraction(1)
    if isinstance(mechanism, SpluGen):
        law, draws = mechanism.record_law, mechanism.draws
        if draws.bound is not None and frequency > draws.bound:
            raise ParameterError(
                f"under draws {draws} the probability that a value of {frequency} records is published "
                "depends on the plan: choose a value with fewer"
            )
        if draws.name == "all-or-none":
            return 1 - (1 - law.retention) ** frequency
        others = (law.gamma - 1) * frequency
        absent: Fraction = (1 - law.retention) ** frequency * (1 - law.decoy) ** others
        return 1 - absent
    learned = isinstance(mechanism, RetentionReplacement) and mechanism.replacing == "identity"
    if isinstance(mechanism, DistributionBased) or learned:
        if rows > MOST_ROWS:
            raise ParameterError(
                f"the exact probability has {rows} factors: give a table of at most {MOST_ROWS} rows"
            )
        kept = mechanism.retention if isinstance(mechanism, RetentionReplacement) else Fraction(0)
        drawn = (1 - kept) * Fraction(frequency, rows)
        shown: Fraction = (1 - kept - drawn) ** frequency * (1 - drawn) ** (rows - frequency)
        return 1 - shown
    if isinstance(mechanism, RetentionReplacement):
        if any(not min(law.weights) for _, law in mechanism.laws):
            raise ParameterError(
                "only values of replacement probability 0 prove their presence: choose another attack"
            )
        return Fraction(0)  # all values of the declared domain are published, present or not
    raise ParameterError(f"the attack presence does not support {mechanism.name}: choose another attack")


def presence(victims: Victims, code: int) -> AttackOutcome:
    """Search each release for a value, and infer its presence in the original.

    Parameters
    ----------
    victims
        The records and their releases.
    code
        The value's code.
    """
    mechanism, frequency = victims.mechanism, int(victims.histogram[code])
    if not frequency:
        raise ParameterError("no published record has the value: choose one that occurs")
    predicted = proof_of_presence(mechanism, frequency, victims.view.rows)
    found = sum(
        any(_shows(shown[release], code) for _, shown in victims.shown) for release in range(victims.releases)
    )
    proofs = found if predicted else 0
    e_value, detectable = None, None
    if 0 < predicted < 1:
        e_value, detectable = point_tested(proofs, victims.releases, predicted)
    return AttackOutcome(
        attack="presence",
        mechanism=victims.name,
        success=Fraction(proofs, victims.releases),
        predicted=predicted,
        baseline=Fraction(0),
        e_value=e_value,
        detectable=detectable,
        largest=None,
        measure=(
            "a published value proves that some record has it: values without records are never published"
            if predicted
            else "a published value proves nothing: values without records are published as well"
        ),
    )


def _shows(label: object, code: int) -> bool:
    return code in label if isinstance(label, tuple) else label == code


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
        untested="the share of pairs in one release does not have the predicted posterior as expectation",
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
