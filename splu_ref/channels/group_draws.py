"""How the draws of one decoy group hang together, by name: the parameter that Fu et al. 2014, 3.1 leaves out.

The marginal law of a record's draw is the same under each of them, that of retention 1 / gamma; the law of
a published count is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from splu_ref.model import ParameterError

DrawsName: TypeAlias = Literal["independent", "capped", "all-or-none"]

_WANTED = (
    "write independent, capped:M or all-or-none:A with a whole number from 1 to 10^15 - 1, as capped:100"
)
_BOUNDED = re.compile("(capped|all-or-none):([1-9][0-9]{0,14})")


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
            For another text: the number has 1 to 15 digits 0-9, and does not begin with 0.
        """
        if text == "independent":
            return cls()
        found = _BOUNDED.fullmatch(text)
        if found is None:
            raise ParameterError(f"--draws {text[:40]!r} is not known: {_WANTED}")
        return cls("capped" if found[1] == "capped" else "all-or-none", int(found[2]))

    def __str__(self) -> str:
        return self.name if self.bound is None else f"{self.name}:{self.bound}"
