"""Two mechanisms to compare with: values drawn from the histogram, and counts with Laplace noise.

The paper compares SPLU-Gen with both (Fu and others 2014): distribution based randomization, called DBR
there, is described in section 3 and measured in section 6, and counts with Laplace noise are in section
6.2.3.1. Noise is drawn from the discrete Laplace law here, so that it is exact. How bytes become values and
noise is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import Stream, integer_below, integers_below, permutation


def publish(codes: Sequence[int], stream: Stream) -> tuple[list[int], list[int]]:
    """Publish each record with the value of a random record; return the codes and the record of each row.

    1. For each record, in order, draw an integer r below N. The record is published with the code at place r
       of the sorted codes.
    2. Draw a permutation of the records; row i is the record at place i.

    A table without records is refused (``parameter``).

    >>> from splu_ref.spec.randomness import Tape
    >>> publish([1, 0], Tape(bytes([1, 1]) + bytes.fromhex("00000002 00000001")))
    ([1, 1], [1, 0])
    """
    require(len(codes) > 0, "there is no record")
    ascending = sorted(codes)
    drawn = [ascending[place] for place in integers_below(stream, len(codes), len(codes))]
    rows = permutation(stream, len(codes))
    return [drawn[row] for row in rows], rows


@dataclass(frozen=True)
class Budget:
    """A budget ε of differential privacy: ``number``, or the natural logarithm of ``number``.

    The budget is above 0, so a number is above 0, or above 1 if its logarithm is meant; another one is
    refused (``parameter``).

    >>> Budget(Fraction(1), logarithm=True)
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: the budget is not above 0
    """

    number: Fraction
    logarithm: bool = False

    def __post_init__(self) -> None:
        require(self.number > self.logarithm, "the budget is not above 0")


def noisy_counts(counts: Sequence[int], budget: Budget, stream: Stream) -> list[int]:
    """Add noise to each count: G - H, where G and H are drawn by `geometric`, G first; count after count.

    So the noise is k with a probability proportional to exp(-ε abs(k)). No counts are refused
    (``parameter``).

    >>> from splu_ref.spec.randomness import Tape
    >>> noisy_counts([5], Budget(Fraction(2), logarithm=True), Tape(bytes([0, 0, 1, 1])))
    [7]
    """
    require(len(counts) > 0, "there is no count")
    result = []
    for count in counts:
        more = geometric(budget, stream)
        result.append(count + more - geometric(budget, stream))
    return result


def geometric(budget: Budget, stream: Stream) -> int:
    """Draw k = 0, 1, 2, … with a probability proportional to exp(-k ε).

    - For ε = ln(u/w), u/w in lowest terms: draw integers below u until one is not below w. The result is how
      many were below w.
    - For ε = s/t in lowest terms: draw an integer e below t and make the trial with e/t
      (`exponential_trial`); repeat both until the trial succeeds. Then make trials with 1 until one fails; c
      is how many succeeded. The result is ⌊(e + t c)/s⌋.

    >>> from splu_ref.spec.randomness import Tape
    >>> geometric(Budget(Fraction(2), logarithm=True), Tape(bytes([0, 0, 1])))
    2
    """
    above, below = budget.number.numerator, budget.number.denominator
    if budget.logarithm:
        failures = 0
        while integer_below(stream, above) < below:
            failures += 1
        return failures
    while True:
        part = integer_below(stream, below)
        if exponential_trial(Fraction(part, below), stream):
            break
    whole = 0
    while exponential_trial(Fraction(1), stream):
        whole += 1
    return (part + below * whole) // above


def exponential_trial(x: Fraction, stream: Stream) -> bool:
    """Make a trial that succeeds with probability exp(-x), exactly, for x = a/b with 0 ≤ x ≤ 1.

    Draw an integer below b, one below 2 b, one below 3 b, and so on, until the k-th is not below a. The trial
    succeeds if k is odd. (0 is 0/1: nothing is read, and the trial succeeds.)

    >>> from splu_ref.spec.randomness import Tape
    >>> exponential_trial(Fraction(1, 2), Tape(bytes([0, 1])))  # 0 of 2, then 1 of 4: k = 2
    False
    """
    tries = 1
    while integer_below(stream, tries * x.denominator) < x.numerator:
        tries += 1
    return tries % 2 == 1
