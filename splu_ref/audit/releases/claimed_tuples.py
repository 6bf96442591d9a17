"""What is claimed of a release by the alpha-beta algorithm, and what its checks would have noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.scaled_counts import MeanPower
from splu_ref.audit.releases.words import rounded_down, rounded_up
from splu_ref.interfaces import Mechanism
from splu_ref.mechanisms import AlphaBeta
from splu_ref.microdata import Microdata


@dataclass(frozen=True, slots=True)
class ClaimedTuples:
    """How a set of tuples is said to have been published by the alpha-beta algorithm.

    Attributes
    ----------
    mechanism
        The mechanism, with alpha, beta and its domains.
    """

    mechanism: AlphaBeta

    unseen: ClassVar[str] = (
        "how the number of fakes was found: one that was rounded to its mean looks like one that was drawn"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tuples."""
        return tuple(column for column, _ in self.mechanism.domains)

    @property
    def kept(self) -> Fraction:
        """Probability with which a tuple of the original is published: alpha + beta."""
        return self.mechanism.alpha + self.mechanism.beta

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        told = self.mechanism
        return {
            "mechanism": told.name,
            "gamma": None,
            "retention": None,
            "plan": None,
            "alpha": str(told.alpha),
            "beta": str(told.beta),
        }

    @property
    def releasing(self) -> AlphaBeta:
        """The mechanism for any original, also one that repeats rows, and for any number of fakes."""
        told = self.mechanism
        return AlphaBeta(told.alpha, told.beta, dict(told.domains), distinct=True, large=True)

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return isinstance(mechanism, AlphaBeta) and mechanism.facts() == self.mechanism.facts()

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return the columns of an original that have a domain, with these domains.

        Raises
        ------
        DataError
            If a cell lies outside its column's domain.
        """
        return Original(self.mechanism.numbered(table)[0], sensitive)


@dataclass(frozen=True, slots=True)
class ExcludedTuples:
    """Which other releases the checks find with probability 0.999 or more.

    Attributes
    ----------
    claimed
        The claim.
    tuples
        Distinct tuples of the original.
    own
        Which probabilities of publishing them would have been found; None if the claim publishes all.
    fakes
        Which mean numbers of fakes would have been found; None if the claim has none.
    """

    claimed: ClaimedTuples
    tuples: int
    own: RatePower | None
    fakes: MeanPower | None

    @property
    def column(self) -> str:
        """The columns of the tuples."""
        return ", ".join(self.claimed.columns)

    @property
    def numbers(self) -> dict[str, object]:
        """All of it for programs."""
        own, fakes = self.own, self.fakes
        return {
            "column": self.column,
            "known": self.tuples,
            "retention_at_most": None if own is None or own.low is None else str(own.low),
            "retention_at_least": None if own is None or own.high is None else str(own.high),
            "fakes_at_most": None if fakes is None or fakes.low is None else str(fakes.low),
            "fakes_at_least": None if fakes is None or fakes.high is None else str(fakes.high),
            "open": list(self.open),
        }

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        found, most = [], (1 + self.claimed.kept) / 2
        if self.own is not None and (self.own.high is None or self.own.high > most):
            found.append(f"tuples of the original that are published with probability {float(most):.4g}")
        if self.fakes is not None and (self.fakes.low is None or self.fakes.low < self.fakes.mean / 2):
            found.append("half as many fakes")
        return tuple(found)

    def __str__(self) -> str:
        found = []
        own, fakes = self.own, self.fakes
        if own is not None and own.high is not None:
            found.append(f"tuples of the original with probability {rounded_up(own.high)} or more")
        if own is not None and own.low is not None:
            found.append(f"with {rounded_down(own.low)} or less")
        if fakes is not None and fakes.low is not None:
            found.append(f"{float(fakes.low):.6g} fakes on average or fewer")
        if fakes is not None and fakes.high is not None:
            found.append(f"{float(fakes.high):.6g} or more")
        told = f"{self.column}: would detect {', '.join(found) or 'nothing of the draws'}"
        return f"{told}; would not detect {', '.join((*self.open, 'smaller deviations'))}"
