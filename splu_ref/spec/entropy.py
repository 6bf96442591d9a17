"""What a release costs each record in entropy, exactly: as sums of c lg q over primes q, lg being the logarithm to base 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.operators import Matrix, require_laws


@dataclass(frozen=True)
class Bits:
    """A sum of c lg q: primes with their rational coefficients, none of which is 0. Two are equal exactly if these are."""

    of_prime: dict[int, Fraction]

    def plus(self, other: Bits, factor: Fraction | int = 1) -> Bits:
        """Return this sum and ``factor`` times another."""
        primes = {*self.of_prime, *other.of_prime}
        total = {
            q: self.of_prime.get(q, Fraction(0)) + factor * other.of_prime.get(q, Fraction(0)) for q in primes
        }
        return Bits({q: total[q] for q in sorted(total) if total[q]})

    def positive(self) -> bool:
        """Return whether the sum is above 0: with more and more digits, until they tell."""
        digits = 30
        while self.of_prime:
            with localcontext() as context:
                context.prec = digits
                parts = [
                    Decimal(c.numerator) / Decimal(c.denominator) * Decimal(q).ln()
                    for q, c in self.of_prime.items()
                ]
                total, size = sum(parts, Decimal(0)), sum(map(abs, parts), Decimal(0))
                if abs(total) > size * Decimal(10) ** (5 - digits):
                    return total > 0
            digits *= 2
        return False


ZERO = Bits({})


def lg(number: Fraction) -> Bits:
    """Return the logarithm of a number above 0.

    >>> lg(Fraction(4, 3))
    Bits(of_prime={2: Fraction(2, 1), 3: Fraction(-1, 1)})
    """
    return _factors(number.numerator).plus(_factors(number.denominator), -1)


def _factors(number: int) -> Bits:
    found, prime = ZERO, 2
    while number > 1:
        if prime * prime > number:
            prime = number
        while number % prime == 0:
            number //= prime
            found = found.plus(Bits({prime: Fraction(1)}))
        prime += 1
    return found


def entropy(law: Sequence[Fraction]) -> Bits:
    """Return the sum of p lg 1/p.

    >>> entropy([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    Bits(of_prime={2: Fraction(3, 2)})
    """
    total = ZERO
    for chance in law:
        if chance:
            total = total.plus(lg(1 / chance), chance)
    return total


def largest(amounts: Sequence[Bits]) -> Bits:
    """Return the largest of some sums."""
    best = amounts[0]
    for amount in amounts[1:]:
        if amount.plus(best, -1).positive():
            best = amount
    return best


@dataclass(frozen=True)
class Outcome:
    """What one published state tells: its probability, and the entropy that each record loses."""

    probability: Fraction
    losses: list[Bits]
    loss: Bits


@dataclass(frozen=True)
class Losses:
    """What a release of a table costs its records."""

    entropies: list[Bits]
    outcomes: list[Outcome | None]
    expected: Bits
    worst: Bits
    of_records: list[Bits]
    of_table: Bits
    min_entropy_leakage: Bits


def losses(tables: Sequence[Sequence[int]], prior: Sequence[Fraction], matrix: Matrix) -> Losses:
    """Return the losses; ``tables`` are the tables that there can be, and row t of the matrix what t is released as.

    >>> half = Fraction(1, 2)
    >>> losses([[0], [1]], [half, half], [[Fraction(1)], [Fraction(1)]]).worst
    Bits(of_prime={})
    """
    require_laws(matrix)
    require_laws([prior])
    require(len(tables) == len(prior) == len(matrix), "tables, prior and matrix differ in length")
    require(len({len(table) for table in tables}) == 1 and len(tables[0]) > 0, "the tables have no record")
    require(len({tuple(table) for table in tables}) == len(tables), "a table stands twice")
    records = range(len(tables[0]))

    def of_record(record: int, law: Sequence[Fraction]) -> Bits:
        codes = {table[record] for table in tables}
        return entropy(
            [sum((p for t, p in zip(tables, law) if t[record] == c), Fraction(0)) for c in sorted(codes)]
        )

    entropies = [of_record(record, prior) for record in records]
    outcomes: list[Outcome | None] = []
    expected, means, leaked = ZERO, [ZERO for _ in records], Fraction(0)
    for state in range(len(matrix[0])):
        joint = [chance * row[state] for chance, row in zip(prior, matrix)]
        probability = sum(joint, Fraction(0))
        if not probability:
            outcomes.append(None)
            continue
        posterior = [chance / probability for chance in joint]
        lost = [entropies[record].plus(of_record(record, posterior), -1) for record in records]
        outcomes.append(Outcome(probability, lost, largest(lost)))
        expected = expected.plus(largest(lost), probability)
        means = [mean.plus(own, probability) for mean, own in zip(means, lost)]
        leaked += max(joint)
    released = [outcome for outcome in outcomes if outcome is not None]
    of_table = entropy([outcome.probability for outcome in released])
    for chance, row in zip(prior, matrix):
        of_table = of_table.plus(entropy(row), -chance)
    worst = largest([outcome.loss for outcome in released])
    return Losses(entropies, outcomes, expected, worst, means, of_table, lg(leaked / max(prior)))
