"""Presence: a published value may prove that some record has it."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome, point_tested
from splu_ref.audit.attacks.table_attack import Attackable, Victims
from splu_ref.channels import ParameterError
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen, Swapping

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
