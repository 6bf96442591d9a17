"""Privacy loss in entropy, exactly: how much a release of a table lowers the entropy of each record.

The loss is that of Chirayath, Longpré and Kreinovich ("Measuring privacy loss in statistical databases",
2006): H(X_i) before less H(X_i) after a release for record i, and its maximum over the records (Definition
2, section 3.3). Averages over releases, mutual information, min-entropy leakage and exact numbers are
additions of this specification.

Entropies are in bits. lg is the logarithm to base 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import lcm

from splu_ref.spec.errors import require
from splu_ref.spec.operators import Matrix, require_laws

LARGEST_DENOMINATOR = 10**8
"""Of all probabilities of a table and a released value: every number of an answer is split into primes."""


@dataclass(frozen=True)
class Bits:
    """A sum of c lg q over primes q with rational c: each prime whose c is not 0, ascending, with its c.

    Each number of this form has one such sum, so two are equal exactly if their primes and coefficients are.

    >>> two, three = lg(Fraction(2)), lg(Fraction(3))
    >>> three.plus(two) == lg(Fraction(6)), three.plus(two, -1).positive()
    (True, True)
    """

    of_prime: dict[int, Fraction]

    def plus(self, other: Bits, factor: Fraction | int = 1) -> Bits:
        """Return this sum and ``factor`` times another one."""
        primes = {*self.of_prime, *other.of_prime}
        total = {
            q: self.of_prime.get(q, Fraction(0)) + factor * other.of_prime.get(q, Fraction(0)) for q in primes
        }
        return Bits({q: total[q] for q in sorted(total) if total[q]})

    def positive(self) -> bool:
        """Return whether the sum is above 0, computed with more and more digits until they decide."""
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
    """Return the logarithm of a whole number, by its prime factors."""
    result, prime = ZERO, 2
    while number > 1:
        if prime * prime > number:
            prime = number
        while number % prime == 0:
            number //= prime
            result = result.plus(Bits({prime: Fraction(1)}))
        prime += 1
    return result


def entropy(law: Sequence[Fraction]) -> Bits:
    """Return the entropy of a law: the sum of p lg(1/p) over its p > 0.

    >>> entropy([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    Bits(of_prime={2: Fraction(3, 2)})
    """
    total = ZERO
    for chance in law:
        if chance:
            total = total.plus(lg(1 / chance), chance)
    return total


def largest(amounts: Sequence[Bits]) -> Bits:
    """Return the largest of some sums.

    >>> largest([lg(Fraction(2)), lg(Fraction(3))])
    Bits(of_prime={3: Fraction(1, 1)})
    """
    best = amounts[0]
    for amount in amounts[1:]:
        if amount.plus(best, -1).positive():
            best = amount
    return best


@dataclass(frozen=True)
class Outcome:
    """A released value: its probability, the loss of each record (it may be negative), the largest loss."""

    probability: Fraction
    losses: list[Bits]
    loss: Bits


@dataclass(frozen=True)
class Losses:
    """The losses of a release of a table.

    Attributes ---------- entropies
        H(X_i) of each record i.
    outcomes
        For each value that can be released its `Outcome`; None for a value of probability 0.
    expected, worst
        The mean and the maximum of the largest loss over the released values.
    of_records
        The mean loss of each record, which is its mutual information with the release.
    of_table
        The mutual information of the table and the release: H(S) less the mean entropy of the rows of the
        matrix.
    min_entropy_leakage
        lg of Σ_s max_t Pr[T = t, S = s] over max_t Pr[T = t].
    """

    entropies: list[Bits]
    outcomes: list[Outcome | None]
    expected: Bits
    worst: Bits
    of_records: list[Bits]
    of_table: Bits
    min_entropy_leakage: Bits


def losses(tables: Sequence[Sequence[int]], prior: Sequence[Fraction], matrix: Matrix) -> Losses:
    """Return the losses of a release.

    ``tables`` are the possible tables T, each a code for each record X_1, …, X_n; ``prior`` is their law, in
    which a table may have probability 0; row t of ``matrix`` is the law of the released value S for table t.

    Refused (``parameter``): rows or a prior that are no laws; another number of rows or probabilities than
    tables; no table or no record; tables of different lengths; a table that occurs twice; a least common
    denominator of the products of the prior and the entries of the row above 10^8.

    In the example two fair bits are the records and their sum is released. If it is 0, each record loses one
    bit.

    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> matrix = [[one, 0, 0], [0, one, 0], [0, one, 0], [0, 0, one]]
    >>> matrix = [[Fraction(entry) for entry in row] for row in matrix]
    >>> of_sum = losses([[0, 0], [0, 1], [1, 0], [1, 1]], [half / 2] * 4, matrix)
    >>> [outcome.loss.of_prime for outcome in of_sum.outcomes if outcome]
    [{2: Fraction(1, 1)}, {}, {2: Fraction(1, 1)}]
    >>> of_sum.expected.of_prime, of_sum.min_entropy_leakage.of_prime
    ({2: Fraction(1, 2)}, {3: Fraction(1, 1)})
    """
    require_laws(matrix)
    require_laws([prior])
    require(
        len(tables) == len(prior) == len(matrix), "there are other numbers of tables, probabilities and rows"
    )
    require(len({len(table) for table in tables}) == 1 and len(tables[0]) > 0, "the tables have no record")
    require(len({tuple(table) for table in tables}) == len(tables), "a table occurs twice")
    chances = zip(prior, matrix, strict=True)
    whole = lcm(*((chance * entry).denominator for chance, row in chances for entry in row))
    require(whole <= LARGEST_DENOMINATOR, "the probabilities have too large a common denominator")
    records = range(len(tables[0]))

    def of_record(record: int, law: Sequence[Fraction]) -> Bits:
        """Return the entropy of a record under a law of the tables."""
        of_code: dict[int, Fraction] = {}
        for table, chance in zip(tables, law, strict=True):
            of_code[table[record]] = of_code.get(table[record], Fraction(0)) + chance
        return entropy(list(of_code.values()))

    entropies = [of_record(record, prior) for record in records]
    outcomes: list[Outcome | None] = []
    expected, means, guessed = ZERO, [ZERO for _ in records], Fraction(0)
    for state in range(len(matrix[0])):
        joint = [chance * row[state] for chance, row in zip(prior, matrix, strict=True)]
        probability = sum(joint, Fraction(0))
        if not probability:
            outcomes.append(None)
            continue
        posterior = [chance / probability for chance in joint]
        lost = [entropies[record].plus(of_record(record, posterior), -1) for record in records]
        outcomes.append(Outcome(probability, lost, largest(lost)))
        expected = expected.plus(largest(lost), probability)
        means = [mean.plus(loss, probability) for mean, loss in zip(means, lost, strict=True)]
        guessed += max(joint)
    released = [outcome for outcome in outcomes if outcome is not None]
    of_table = entropy([outcome.probability for outcome in released])
    for chance, row in zip(prior, matrix, strict=True):
        of_table = of_table.plus(entropy(row), -chance)
    worst = largest([outcome.loss for outcome in released])
    return Losses(entropies, outcomes, expected, worst, means, of_table, lg(guessed / max(prior)))
