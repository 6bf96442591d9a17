"""Counts with discrete Laplace noise: the comparator of Fu et al. 2014, section 6.2.3.1, without floats.

The noise Z has Pr(Z = z) = (1 - r)/(1 + r) r^abs(z), r = exp(-epsilon), on the integers. Rounding errors of a
continuous Laplace sampler disclose the true count (Mironov 2012). Here every draw is a uniform integer, and
the law is exact. For epsilon = ln 2 or ln 3 the ratio r is 1/2 or 1/3. For a rational epsilon it is
irrational, and the sampler is that of Canonne, Kamath & Steinke 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import narwhals as nw

from splu_ref.channels import Exact, ParameterError, exact, positive, shown
from splu_ref.data import Microdata
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.release import PublishingInput, PublishingMechanism, Release
from splu_ref.randomness import UniformSource


@dataclass(frozen=True, slots=True)
class Budget:
    """A privacy budget epsilon > 0: a rational number, or the natural logarithm of one above 1.

    Attributes
    ----------
    number
        epsilon, or exp(epsilon) if ``is_logarithm``.
    is_logarithm
        Whether epsilon is the natural logarithm of ``number``.
    """

    number: Fraction
    is_logarithm: bool = False

    @classmethod
    def of(cls, epsilon: Exact) -> Self:
        """Return a rational budget; ``Budget.of("ln 2")`` is ``Budget.logarithm(2)``."""
        if isinstance(epsilon, str) and epsilon.strip().startswith("ln "):
            return cls.logarithm(epsilon.strip().removeprefix("ln "))
        return cls(positive(epsilon, "epsilon"))

    @classmethod
    def logarithm(cls, number: Exact) -> Self:
        """Return the budget ln(number), for a number above 1."""
        value = exact(number, "number")
        if value <= 1:
            raise ParameterError(
                f"epsilon = ln {shown(value)} is not above 0: take the logarithm of a number above 1"
            )
        return cls(value, is_logarithm=True)

    def __str__(self) -> str:
        return f"ln {self.number}" if self.is_logarithm else str(self.number)


COUNT = "count"
"""Name of the column of noisy counts."""
LN_2, LN_3 = Budget.logarithm(2), Budget.logarithm(3)
"""The budgets of figure 7 of Fu et al. 2014."""
_LEAST_LOGARITHM = Fraction("1.000001")


@dataclass(frozen=True)
class LaplaceCounts(PublishingMechanism[Release]):
    """The mechanism that adds independent discrete Laplace noise to each count.

    Parameters
    ----------
    budget
        epsilon for each count; k counts of the same records cost k epsilon.

    Raises
    ------
    ParameterError
        For a budget ln q with q below 1.000001, because q/(q-1) integers are drawn on average.
    """

    name: ClassVar[str] = "Laplace counts"

    budget: Budget

    def __post_init__(self) -> None:
        if self.budget.is_logarithm and self.budget.number < _LEAST_LOGARITHM:
            raise ParameterError(
                "noise with a budget below ln 1.000001 takes too long to draw: give a larger budget, or a "
                "rational epsilon"
            )

    def facts(self) -> dict[str, int | str]:
        """Return the budget as recorded in a manifest."""
        return {"budget": str(self.budget)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        return cls(Budget.of(facts.text("budget")))

    def release(self, given: PublishingInput) -> Release:
        """Return the noisy histogram of one column as a table of values and counts.

        A key is refused, because the noise belongs to counts, not to records.
        """
        if len(given.codes) > 1:
            raise ParameterError("counts are published of one sensitive column: name one")
        [column] = given.codes
        source = given.draws_for(column)
        if not isinstance(source, UniformSource):
            raise ParameterError("noise belongs to counts, not to records: publish counts without a key")
        noisy = self.publish_counts(given.table.histogram(column).tolist(), source)
        frame = nw.from_native(given.table.to_frame(), eager_only=True)
        cells = {column: list(given.table.domain(column)), COUNT: noisy}
        counts = nw.from_dict(cells, backend=frame.implementation).to_native()
        return given.release(Microdata.from_frame(counts))

    def publish_counts(self, counts: Sequence[int], source: UniformSource) -> list[int]:
        """Return the counts with noise; results may be negative.

        Parameters
        ----------
        counts
            True counts, each of sensitivity 1.
        source
            Source of random integers, read one by one. Their number depends on the noise.
        """
        return [count + _geometric(self.budget, source) - _geometric(self.budget, source) for count in counts]


def _geometric(budget: Budget, source: UniformSource) -> int:
    """Return G >= 0 with Pr(G >= k) = exp(-epsilon k); the difference of two is discrete Laplace."""
    if budget.is_logarithm:
        above, below = budget.number.denominator, budget.number.numerator  # r = above/below
        successes = 0
        while source.integer_below(below) < above:
            successes += 1
        return successes
    share, parts = budget.number.numerator, budget.number.denominator
    while True:  # fine part of a geometric variate with ratio exp(-1/parts), then its coarse part
        fine = source.integer_below(parts)
        if exponential_trial(Fraction(fine, parts), source):
            break
    coarse = 0
    while exponential_trial(Fraction(1), source):
        coarse += 1
    return (fine + parts * coarse) // share


def exponential_trial(exponent: Fraction, source: UniformSource) -> bool:
    """Return true with probability exactly exp(-exponent), for 0 <= exponent <= 1.

    Trials of probability exponent/1, exponent/2, ... are made until one fails. With x the exponent, the k-th
    is the first to fail with probability x^(k-1)/(k-1)! - x^k/k!; the sum over odd k is exp(-x).
    """
    if not 0 <= exponent <= 1:
        raise ParameterError(f"the exponent is {exponent}: it must lie between 0 and 1")
    number = 1
    while source.integer_below(exponent.denominator * number) < exponent.numerator:
        number += 1
    return number % 2 == 1
