"""The privacy constraint and the objective of an optimal operator: the parameters of one linear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self, TypeAlias, get_args

from splu_ref.channels import Levels, ParameterError, integer

Keep: TypeAlias = Literal["share", "mean", "least"]
Against: TypeAlias = Literal["any", "values", "sets"]
Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
KEEP: tuple[Keep, ...] = get_args(Keep)
AGAINST: tuple[Against, ...] = get_args(Against)
MOST_VALUES = 500


@dataclass(frozen=True)
class Requirement:
    """Constraint and objective of an operator P on m values: rows true values, columns published ones."""

    counts: tuple[int, ...]  #: the prior: how many of N records have each value, each at least 1
    #: No belief of at most rho1 may rise above rho2. A belief of exactly rho2 is admitted here, so that there
    #: is an optimal operator; where that counts as a breach, choose a rho2 just below.
    levels: Levels
    #: the objective: ``share``, the expected share of retained records; ``mean``, the mean of P's diagonal;
    #: ``least``, its least entry
    keep: Keep
    #: the constrained beliefs: ``any``, those under every prior; ``values``, those in single values under
    #: this prior; ``sets``, those in all sets of values under this prior
    against: Against

    @classmethod
    def of(cls, counts: Sequence[int], levels: Levels, keep: str, against: str) -> Self:
        """Return the requirement.

        Raises
        ------
        ParameterError
            For fewer than two values or more than 500, a count below 1, or an unknown word.
        """
        if not 2 <= len(counts) <= MOST_VALUES:
            raise ParameterError(f"an operator is sought for 2 to {MOST_VALUES} values, not {len(counts)}")
        validated = tuple(integer(count, "a count of the prior", 1) for count in counts)
        for found in KEEP:
            for whom in AGAINST:
                if (found, whom) == (keep, against):
                    return cls(validated, levels, found, whom)
        raise ParameterError(
            f"keep is {keep} and against {against}: choose from {', '.join(KEEP)} and {', '.join(AGAINST)}"
        )

    @property
    def ratio(self) -> Fraction:
        """G, the largest amplification that lifts no belief of rho1 above rho2 under any prior."""
        return self.levels.amplification

    @property
    def room(self) -> int:
        """The most records that a set of values may have for its prior to be at most rho1."""
        return int(self.levels.rho1 * sum(self.counts))

    @property
    def small(self) -> tuple[int, ...]:
        """The values with a prior of at most rho1: no other one is protected under this prior."""
        return tuple(place for place, count in enumerate(self.counts) if count <= self.room)

    def weights(self) -> tuple[Fraction, ...] | None:
        """Return the weights of the diagonal entries in the objective; None for the least entry."""
        if self.keep == "least":
            return None
        total = sum(self.counts)
        if self.keep == "mean":
            return (Fraction(1, len(self.counts)),) * len(self.counts)
        return tuple(Fraction(count, total) for count in self.counts)

    def kept(self, matrix: Matrix) -> Fraction:
        """Return the objective at a matrix."""
        diagonal = [row[place] for place, row in enumerate(matrix)]
        weights = self.weights()
        if weights is None:
            return min(diagonal)
        return sum((weight * entry for weight, entry in zip(weights, diagonal, strict=True)), Fraction(0))
