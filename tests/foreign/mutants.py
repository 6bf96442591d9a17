"""The faults of ``mutants.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One fault in the implementation in JavaScript.

    Attributes
    ----------
    name
        What is wrong, in a few words.
    old, new
        A text that occurs once in the implementation, and what stands in its place.
    operations
        Those that are asked, ``*`` for all: the vectors of the others cannot tell.
    equivalent
        Why no request can show the fault; empty if one can.
    """

    name: str
    old: str
    new: str
    operations: tuple[str, ...]
    equivalent: str = ""


def _read() -> tuple[Mutant, ...]:
    document = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text())
    return tuple(
        Mutant(**{**entry, "operations": tuple(entry["operations"])}) for entry in document["mutant"]
    )


MUTANTS = _read()
"""All faults that are tried."""
