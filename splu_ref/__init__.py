"""Reference implementation of small-sum-privacy / large-sum-utility data publishing.

Data flows left to right (microdata, decoy plan, mechanism, published data, estimator, estimate);
promises flow top to bottom (claim, proof, exact computation, certificate).
"""

from __future__ import annotations

TYPE_CHECKING = False  # checkers take it for true, and importing typing would take longer than all the rest
if TYPE_CHECKING:
    from typing import Any

    from splu_ref.api import ExactProbability, answers, audit_release, crosstab, recode, t_f, t_p, tabulate
    from splu_ref.data import Microdata, embedded_table, read_table
    from splu_ref.mechanisms import (
        AlphaBeta,
        Anatomy,
        Budget,
        DistributionBased,
        LaplaceCounts,
        PublishedTable,
        Release,
        SpluGen,
        SpluGenByColumn,
        Transcript,
        read_manifest,
        read_release,
        read_transcript,
        transcribed,
    )
    from splu_ref.randomness import Key, KeyedSource, SeededSource

__version__ = "0.1.0"
SPECIFICATION = "2"
"""Version of the written specification: byte rules, plans, certificates. It moves only when they do."""

_ROOMS = {
    "api": ("ExactProbability", "answers", "audit_release", "crosstab", "recode", "t_f", "t_p", "tabulate"),
    "mechanisms": (
        "AlphaBeta",
        "Anatomy",
        "Budget",
        "DistributionBased",
        "LaplaceCounts",
        "PublishedTable",
        "Release",
        "SpluGen",
        "SpluGenByColumn",
        "Transcript",
        "read_manifest",
        "read_release",
        "read_transcript",
        "transcribed",
    ),
    "data": ("Microdata", "embedded_table", "read_table"),
    "randomness": ("Key", "KeyedSource", "SeededSource"),
}
"""Where each name lives. Its room is loaded when the name is first used (PEP 562)."""

__all__ = [
    "SPECIFICATION",
    "AlphaBeta",
    "Anatomy",
    "Budget",
    "DistributionBased",
    "ExactProbability",
    "Key",
    "KeyedSource",
    "LaplaceCounts",
    "Microdata",
    "PublishedTable",
    "Release",
    "SeededSource",
    "SpluGen",
    "SpluGenByColumn",
    "Transcript",
    "__version__",
    "answers",
    "audit_release",
    "crosstab",
    "embedded_table",
    "read_manifest",
    "read_release",
    "read_table",
    "read_transcript",
    "recode",
    "t_f",
    "t_p",
    "tabulate",
    "transcribed",
]


def __getattr__(name: str) -> Any:
    """Load a name from its room."""
    for room, names in _ROOMS.items():
        if name in names:
            from importlib import import_module  # noqa: PLC0415  the version alone does not need it

            value = getattr(import_module(f"{__name__}.{room}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
