"""A claim that a release was made by a mechanism whose every parameter is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from splu_ref.interfaces import Mechanism

_Told = TypeVar("_Told", bound=Mechanism[object])


@dataclass(frozen=True, slots=True)
class ClaimedMechanism(Generic[_Told]):
    """What claims of such mechanisms have in common.

    Attributes
    ----------
    mechanism
        The mechanism as its manifest tells it.
    """

    mechanism: _Told

    @property
    def releasing(self) -> _Told:
        """The mechanism that makes the release again."""
        return self.mechanism

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return mechanism == self.mechanism
