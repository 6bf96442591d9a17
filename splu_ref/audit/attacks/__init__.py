"""Attacks whose success can be told in advance: exactly predicted, then carried out and measured."""

from splu_ref.audit.attacks.carried_out import Attackable, Victims, carried_out, repeated
from splu_ref.audit.attacks.corruption import corrupted
from splu_ref.audit.attacks.duplicate import duplicates, duplicates_in, reading_named
from splu_ref.audit.attacks.known_others import known_others, told_apart
from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.presence import presence, proof_of_presence
from splu_ref.audit.attacks.released import Released, attack_release, presence_in
from splu_ref.audit.attacks.shared_value import shared_value
from splu_ref.audit.attacks.view import Score, View, best_guess, eliminated

__all__ = [
    "AttackOutcome",
    "Attackable",
    "Released",
    "Score",
    "Victims",
    "View",
    "attack_release",
    "best_guess",
    "carried_out",
    "corrupted",
    "duplicates",
    "duplicates_in",
    "eliminated",
    "known_others",
    "presence",
    "presence_in",
    "proof_of_presence",
    "reading_named",
    "repeated",
    "shared_value",
    "told_apart",
]
