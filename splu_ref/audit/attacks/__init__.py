"""Attacks on releases: the success predicted exactly, then measured and compared."""

from splu_ref.audit.attacks.corruption import corruption
from splu_ref.audit.attacks.duplicate import duplicates, duplicates_in, reading_named
from splu_ref.audit.attacks.informed_adversary import distinction_probability, informed_adversary
from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.presence import presence, proof_of_presence, shared_value
from splu_ref.audit.attacks.release_attack import AttackedRelease, attack_release, presence_in
from splu_ref.audit.attacks.table_attack import Attackable, Victims, attack_table, repeat_attack
from splu_ref.audit.attacks.view import Score, View, best_guess, eliminated

__all__ = [
    "AttackOutcome",
    "Attackable",
    "AttackedRelease",
    "Score",
    "Victims",
    "View",
    "attack_release",
    "attack_table",
    "best_guess",
    "corruption",
    "distinction_probability",
    "duplicates",
    "duplicates_in",
    "eliminated",
    "informed_adversary",
    "presence",
    "presence_in",
    "proof_of_presence",
    "reading_named",
    "repeat_attack",
    "shared_value",
]
