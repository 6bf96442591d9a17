"""How the draws of one decoy group hang together, by name: the parameter that Fu et al. 2014, 3.1 leaves out.

The marginal law of a record's draw is the same under each of them, that of retention 1 / gamma; the law of
a published count is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from splu_ref.model import ParameterError, whole

DrawsName: TypeAlias = Literal["independent", "capped", "all-or-none"]

_WANTED = "write independent, capped:M or all-or-none:A with a whole number of at least 1, such as capped:100"


@dataclass(frozen=True, slots=True)
class GroupDraws:
    """The law of the draws of a decoy group.

    Attributes
    ----------
    name
        ``"independent"``: each member draws for itself, as in the paper. ``"capped"``: the first ``bound``
        groups of each value, in a random order, draw it as ever, and the other slots share what is left
        evenly. ``"all-or-none"``: a slot is chosen, and takes every place of the group if its value occurs
        at most ``bound`` times; otherwise the common values of the group share the places evenly.
    bound
        M or A, at least 1; None with ``"independent"``.
    """

    name: DrawsName = "independent"
    bound: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the law written as ``independent``, ``capped:M`` or ``all-or-none:A``.

        Raises
        ------
        ParameterError
            For another name, or without a whole number of at least 1 where one belongs.
        """
        name, colon, bound = text.partition(":")
        if name == "independent" and not colon:
            return cls()
        if name == "capped" and colon:
            return cls("capped", whole(bound, "the cap of --draws", 1))
        if name == "all-or-none" and colon:
            return cls("all-or-none", whole(bound, "the bound of --draws", 1))
        raise ParameterError(f"--draws {text[:40]!r} is not known: {_WANTED}")

    def __str__(self) -> str:
        return self.name if self.bound is None else f"{self.name}:{self.bound}"
