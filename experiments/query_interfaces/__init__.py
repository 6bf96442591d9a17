"""Defenses of interfaces that answer queries on a table, and what gets around them, carried out."""

from experiments.query_interfaces.query_noise import QueryNoise, query_noise
from experiments.query_interfaces.query_size import (
    READINGS,
    QueryInterface,
    Reading,
    SizeControl,
    Tracker,
    TrackerAttack,
    run_tracker_attack,
)
from experiments.query_interfaces.reconstruction import (
    Answers,
    Reconstruction,
    distinguishable,
    exact_answers,
    noisy_answers,
    published_answers,
    reconstruct,
)
from experiments.query_interfaces.sums import Class, KnownBits, SumAudit, audit_sums, known_bits

__all__ = [
    "READINGS",
    "Answers",
    "Class",
    "KnownBits",
    "QueryInterface",
    "QueryNoise",
    "Reading",
    "Reconstruction",
    "SizeControl",
    "SumAudit",
    "Tracker",
    "TrackerAttack",
    "audit_sums",
    "distinguishable",
    "exact_answers",
    "known_bits",
    "noisy_answers",
    "published_answers",
    "query_noise",
    "reconstruct",
    "run_tracker_attack",
]
