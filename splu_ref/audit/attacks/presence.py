"""Attacks on one value: its presence in a release, and two records that are known to share it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome, point_tested
from splu_ref.audit.attacks.table_attack import Attackable, Victims, require_independent
from splu_ref.audit.e_values import average, counts_point
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


def hiding(column: str) -> str:
    """Return how a value's presence is hidden, where a published value proves it.

    A count that is unbiased and a sum of independent draws is 0 with probability at most e^-f.
    """
    return (
        "no gamma does, under independent draws: the presence of f records is proved in a share of at least "
        f"1 - e^-f, 0.632 for one; group rare values before (publish --group-rare {column}=N), or use "
        "--mechanism retention, which publishes all values of a declared domain"
    )


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
        remedy=hiding(victims.column) if predicted else "",
    )


def _shows(label: object, code: int) -> bool:
    return code in label if isinstance(label, tuple) else label == code


NAME = "shared-value"


def shown_laws(victims: Victims, code: int) -> dict[int, tuple[int, Fraction]]:
    """Return by value how many of its records may be published with ``code``, and each with what probability.

    Given the plan, these are the records of the groups that contain ``code``. They are in different groups,
    so that the number published with ``code`` is binomial under every law of draws in a group.
    """
    mechanism, plan = victims.mechanism, victims.plans[0]
    if plan is None:
        require_independent(victims)
        [channel] = victims.view.channels
        return {own: (count, channel.probability(own, code)) for own, count in victims.counts.items()}
    shared = co_occurrence(plan).row(code).tolist()
    kept = drawn = Fraction(1)
    if isinstance(mechanism, SpluGen):
        kept, drawn = mechanism.retention, mechanism.record_law.decoy
    laws = {own: (shared[own], drawn) for own in victims.counts}
    return laws | {code: (victims.counts[code], kept)}


def pair_weights(victims: Victims, code: int) -> dict[int, Fraction]:
    """Return by value the expected number of ordered pairs of records both published with ``code``."""
    laws = shown_laws(victims, code)
    return {own: records * (records - 1) * chance**2 for own, (records, chance) in laws.items()}


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
        the value, None if there is no such pair. The posterior is not the expectation of this share, so the
        e-value is about the numbers of records published with ``code``, by true value, from which both
        follow: the mean over the values.
    """
    if victims.releases != 1:
        raise ParameterError("this attack uses one release: give no more")
    counts = victims.counts
    if counts.get(code, 0) < 2:
        raise ParameterError("fewer than two published records have the value: choose a more frequent one")
    laws, weights = shown_laws(victims, code), pair_weights(victims, code)
    shown: Counter[int] = Counter()
    for (own, (label,)), count in victims.shown.items():
        if code in label if isinstance(label, tuple) else label == code:
            shown[own] += count
    seen = {own: count * (count - 1) for own, count in shown.items()}
    all_seen = sum(seen.values())
    total = sum(weights.values(), Fraction(0))
    tests = [
        counts_point(records, shown[own], chance) for own, (records, chance) in laws.items() if 0 < chance < 1
    ]
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=Fraction(seen.get(code, 0), all_seen) if all_seen else None,
        predicted=weights[code] / total,
        tested=" of the records shown with the value, by true value",
        baseline=Fraction(
            counts[code] * (counts[code] - 1), sum(count * (count - 1) for count in counts.values())
        ),
        e_value=average(tests) if tests else None,
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
