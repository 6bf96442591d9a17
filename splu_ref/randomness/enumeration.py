"""Enumeration of all outcomes of a random computation with their exact probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import SpluError
from splu_ref.randomness.orders import draw_subset
from splu_ref.randomness.protocol import IntArray, SingleStream, require_bound, require_size, require_vector

Result = TypeVar("Result")
Label = TypeVar("Label", bound=Hashable)


class EnumerationSource(SingleStream):
    """A source that enumerates the paths through the tree of choices one after the other.

    Every choice is a digit below its bound. On the first path every digit is 0; ``advance`` moves to the
    next path like an odometer. Use ``outcomes`` to enumerate them all.

    Parameters
    ----------
    shuffle
        Whether ``permutation`` is enumerated, too. Otherwise it is the identity, which suffices for results
        that do not depend on the order of the published records.
    """

    name = "enumeration"

    def __init__(self, *, shuffle: bool = False) -> None:
        self._shuffle = shuffle
        self._digits: list[int] = []
        self._bounds: list[int] = []
        self._used = 0

    def integer_below(self, bound: int) -> int:
        """Return this path's digit for the next choice."""
        require_bound(bound)
        place = self._used
        self._used += 1
        if place == len(self._digits):
            self._digits.append(0)
            self._bounds.append(bound)
            return 0
        if self._bounds[place] != bound:
            raise SpluError(
                f"choice {place} had the bound {self._bounds[place]} and now has {bound}: "
                "the computation must depend on its source alone"
            )
        return self._digits[place]

    def below(self, bound: int, size: int) -> IntArray:
        """Return ``size`` choices below ``bound``."""
        require_vector(bound, size)
        return np.array([self.integer_below(bound) for _ in range(size)], dtype=np.int64)

    def coins(self, size: int) -> NDArray[np.bool_]:
        """Return ``size`` choices between two."""
        return self.below(2, size).astype(np.bool_)

    def permutation(self, size: int) -> IntArray:
        """Return a permutation by ``size!`` choices, or the identity if the shuffle is not enumerated."""
        require_size(size)
        items = list(range(size))
        return np.array(self._arranged(items) if self._shuffle else items, dtype=np.int64)

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records by ascending code; the orders within the codes are enumerated."""
        members: dict[int, list[int]] = {}
        for record, code in enumerate(codes.tolist()):
            members.setdefault(code, []).append(record)
        order: list[int] = []
        for code in sorted(members):
            order += self._arranged(members[code])
        return np.array(order, dtype=np.int64)

    def subset(self, population: int, count: int) -> IntArray:
        """Return a subset, by the rule of the byte sources: each arises on ``count!`` paths."""
        return draw_subset(self.integer_below, population, count)

    @property
    def choice_count(self) -> int:
        """Number of choices on this path so far."""
        return self._used

    def choices(self, begin: int) -> list[int]:
        """Return the choices from number ``begin`` on."""
        return self._digits[begin : self._used]

    def repeats(self, choices: list[int]) -> bool:
        """Repeat given choices if they are the next ones of this path; return whether they are."""
        end = self._used + len(choices)
        if self._digits[self._used : end] != choices:
            return False
        self._used = end
        return True

    @property
    def paths(self) -> int:
        """The product of the bounds on this path, the inverse of its probability."""
        product = 1
        for bound in self._bounds:
            product *= bound
        return product

    def advance(self) -> bool:
        """Move to the next path; return False if this was the last."""
        if self._used != len(self._digits):
            raise SpluError(
                f"the computation made {self._used} choices where it made {len(self._digits)} before: "
                "it must depend on its source alone"
            )
        self._used = 0
        while self._digits:
            if self._digits[-1] + 1 < self._bounds[-1]:
                self._digits[-1] += 1
                return True
            self._digits.pop()
            self._bounds.pop()
        return False

    def _arranged(self, items: list[int]) -> list[int]:
        """Return ``items`` in an enumerated order."""
        rest = list(items)
        return [rest.pop(self.integer_below(left)) for left in range(len(rest), 1, -1)] + rest


def outcomes(
    run: Callable[[EnumerationSource], Result], *, shuffle: bool = False
) -> Iterator[tuple[Result, Fraction]]:
    """Run a computation on every outcome of its random choices.

    Parameters
    ----------
    run
        The computation. It must depend on its source alone: it is run once per outcome.
    shuffle
        Whether permutations are enumerated (N! outcomes each) or fixed at the identity.

    Yields
    ------
    tuple
        The result, and the outcome's probability. The probabilities sum to 1. Equal results may occur
        several times; add their probabilities.
    """
    source = EnumerationSource(shuffle=shuffle)
    while True:
        result = run(source)
        yield result, Fraction(1, source.paths)
        if not source.advance():
            return


def exact_law(run: Callable[[EnumerationSource], Label], *, shuffle: bool = False) -> dict[Label, Fraction]:
    """Return the law of the result of a computation; see `outcomes` for parameters."""
    law: dict[Label, Fraction] = {}
    for result, probability in outcomes(run, shuffle=shuffle):
        law[result] = law.get(result, Fraction(0)) + probability
    return law
