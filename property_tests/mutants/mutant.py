"""What a mutant is, and the list of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from property_tests.subject import SHIPPED, Subject


@dataclass(frozen=True)
class Mutant:
    """The shipped code with one deliberate fault.

    Attributes
    ----------
    name
        Stable.
    sentence
        The fault, in a sentence.
    meant_for
        The check that was written to kill it; others may as well.
    subject
        The broken implementation.
    also
        Further checks that must kill it: those for which no mutant was written.
    """

    name: str
    sentence: str
    meant_for: str
    subject: Subject
    also: tuple[str, ...] = ()

    @property
    def meant(self) -> tuple[str, ...]:
        """The checks that must kill it."""
        return (self.meant_for, *self.also)

    @property
    def replaced(self) -> frozenset[str]:
        """The fields of the subject that differ from the shipped ones."""
        return frozenset(
            field.name
            for field in fields(Subject)
            if getattr(self.subject, field.name) is not getattr(SHIPPED, field.name)
        )


MUTANTS: dict[str, Mutant] = {}
"""Every mutant by name, filled when `property_tests.mutants` is imported."""


def mutant(
    name: str, meant_for: str, sentence: str, *, also: Sequence[str] = (), **replacements: Any
) -> None:
    """Add the mutant that replaces the given fields of the shipped subject."""
    if name in MUTANTS:
        raise ValueError(f"two mutants have the name {name!r}")
    MUTANTS[name] = Mutant(name, sentence, meant_for, replace(SHIPPED, **replacements), tuple(also))
