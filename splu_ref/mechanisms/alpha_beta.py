"""The alpha-beta algorithm (Rastogi, Suciu and Hong 2007): some genuine tuples, hidden among fakes.

The original I is a set of n distinct tuples of a declared product domain D of m. What is published is a set
V: each tuple of I is in it with alpha + beta, each other one of D with beta, all independently. So a tuple
that is seen may be a fake, and one that is not seen may be in I all the same. No published row belongs to a
record: the mechanism declares no channel of records.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from splu_ref.channels import DataError, Exact, ParameterError, positive, probability, shown
from splu_ref.data import Microdata, as_table
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.release import Given, Release
from splu_ref.mechanisms.replacement_law import drawn_binomial
from splu_ref.mechanisms.retention_replacement import digest_of
from splu_ref.randomness import IntArray, Randomness, UniformSource

EAGER_MOST = 1 << 20
"""Tuples of the largest domain that is gone through one by one."""
MOST_FAKES = 10**8
"""Fakes to be expected, beyond which a release must be asked for as a large one."""

Numbers: TypeAlias = NDArray[Any]
"""Numbers of tuples: 64-bit integers, or Python's in a domain of more than 2**63 tuples."""


@dataclass(frozen=True, init=False)
class AlphaBeta:
    """The mechanism as a value.

    Parameters
    ----------
    alpha, beta
        A tuple of the original is published with alpha + beta, any other one of the domain with beta;
        alpha > 0, beta >= 0, alpha + beta <= 1.
    domains
        By column all its values as texts, at least two. The tuples of these columns are published and no
        other column is. They are declared, not taken from the table.
    distinct
        Whether rows that repeat another are dropped; they are refused otherwise.
    large
        Whether more than `MOST_FAKES` fakes may be published.

    Raises
    ------
    ParameterError
        If a parameter is out of range, or no column has a domain.
    """

    name: ClassVar[str] = "alpha-beta"

    alpha: Fraction
    beta: Fraction
    domains: tuple[tuple[str, tuple[str, ...]], ...]
    distinct: bool
    large: bool

    def __init__(
        self,
        alpha: Exact,
        beta: Exact,
        domains: Mapping[str, Sequence[str]],
        *,
        distinct: bool = False,
        large: bool = False,
    ) -> None:
        extra, fake = positive(alpha, "alpha"), probability(beta, "beta")
        if extra + fake > 1:
            raise ParameterError(
                f"alpha + beta is {shown(extra + fake)}, the chance that a tuple of the table is published: "
                "choose at most 1"
            )
        if not domains:
            raise ParameterError("no column has a domain: declare the values of each column to publish")
        object.__setattr__(self, "alpha", extra)
        object.__setattr__(self, "beta", fake)
        ordered = {name: tuple(sorted(domains[name])) for name in sorted(domains)}
        object.__setattr__(self, "domains", tuple(ordered.items()))
        object.__setattr__(self, "distinct", distinct)
        object.__setattr__(self, "large", large)

    @property
    def size(self) -> int:
        """Number m of tuples of the domain."""
        return prod(len(values) for _, values in self.domains)

    def expected(self, tuples: int) -> tuple[Fraction, Fraction]:
        """Return how many genuine tuples and how many fakes a release of so many tuples holds on average."""
        return tuples * (self.alpha + self.beta), (self.size - tuples) * self.beta

    def facts(self) -> dict[str, int | str]:
        """Return alpha, beta and a digest of the domains, which a manifest tells beside it."""
        return {"alpha": str(self.alpha), "beta": str(self.beta), "domains": digest_of(self.domains)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        mechanism = cls(facts.text("alpha"), facts.text("beta"), facts.domains())
        if facts.text("domains") != mechanism.facts()["domains"]:
            raise DataError("domains is not the digest of the domains: ask the publisher")
        return mechanism

    def publish(
        self,
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release:
        """Publish a set of tuples, in a random order.

        ``sensitive`` names the columns of the tuples, which are those with a domain. For the other parameters
        and errors see `splu_ref.mechanisms.Mechanism.publish`; ``id_column`` must be None, because a tuple is
        published and not a record. Under a key all is drawn from one stream of the release's key: the same
        table gives the same release.

        Raises
        ------
        DataError
            If rows repeat others and ``distinct`` is false.
        ParameterError
            If the columns are not those with a domain, or too many fakes are to be expected.
        """
        columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
        if sorted(columns) != [column for column, _ in self.domains]:
            raise ParameterError(
                "the columns to publish are not those with a domain: declare the values of each, and of no "
                "other"
            )
        if id_column is not None:
            raise ParameterError("tuples are published, not records: leave out --id")
        original, distinct, repeated = self.tuples(as_table(table, missing))
        given = Given.of(self, original, columns, randomness, None, None)
        source = given.draws_for(columns[0]).plan_secret().block(0)
        published = self.publish_tuples(distinct, self.size, source)
        return given.release(self, _table(given.table, published, self.domains), suppressed=repeated)

    def tuples(self, table: Microdata) -> tuple[Microdata, Numbers, int]:
        """Return what is to be published of a table, after all that would refuse it.

        Returns
        -------
        tuple
            The table of the columns with a domain, the numbers of its distinct tuples, ascending, and how
            many rows repeat another.

        Raises
        ------
        DataError, ParameterError
            As `publish`.
        """
        original, numbers = self.numbered(table)
        return original, *self.members(numbers)

    def members(self, numbers: Numbers) -> tuple[Numbers, int]:
        """Return the distinct ones of the numbers of rows' tuples, ascending, and how many rows repeat one.

        Raises
        ------
        DataError, ParameterError
            As `publish`.
        """
        distinct = np.unique(numbers)
        repeated = len(numbers) - len(distinct)
        if repeated and not self.distinct:
            raise DataError(
                f"{repeated} of {len(numbers)} rows repeat another, and what is published is a set: drop "
                "them with --distinct, or publish more columns"
            )
        fakes = self.expected(len(distinct))[1]
        if not self.large and fakes > MOST_FAKES:
            raise ParameterError(
                f"{shown(round(fakes))} fakes are to be expected, more than {MOST_FAKES}: choose a smaller "
                "beta, or say --force"
            )
        kept = (self.alpha + self.beta).denominator
        _drawable(lcm(kept, self.beta.denominator) if self.size <= EAGER_MOST else kept)
        return distinct, repeated

    def numbered(self, table: Microdata) -> tuple[Microdata, Numbers]:
        """Return a table of the columns with a domain, and the number of each row's tuple, shape (rows,).

        Raises
        ------
        DataError
            If a column is missing, or a cell lies outside its column's domain.
        """
        columns = [column for column, _ in self.domains]
        chosen = table.select(columns)
        for column, domain in self.domains:
            chosen = chosen.with_domain(column, domain)
        return chosen, self.numbers([chosen.codes(column) for column in columns])

    def numbers(self, codes: Sequence[IntArray]) -> Numbers:
        """Return the number of each row's tuple, by the places of its values in the columns' domains."""
        return _numbered(codes, [len(domain) for _, domain in self.domains])

    def publish_tuples(
        self, members: Numbers, size: int, source: UniformSource, *, eager: bool | None = None
    ) -> Numbers:
        """Return the numbers of the published tuples, in a random order.

        Parameters
        ----------
        members
            Numbers of the tuples of the original, distinct, ascending, in 0 .. size - 1.
        size
            Number m of tuples of the domain.
        source
            Where random integers come from.
        eager
            Whether every tuple of the domain is drawn for: by default up to `EAGER_MOST`. The law is the
            same.

        Notes
        -----
        Eager: an integer below w for each tuple of the domain, ascending, w the least common denominator of
        alpha + beta and beta; it is published if the integer is below w (alpha + beta), or w beta.

        Lazy: an integer below the denominator of alpha + beta for each member; then K ~ Bin(m - n, beta), as
        `drawn_binomial` draws it; then K distinct ones of the m - n others, counted ascending, by Floyd's
        rule: for j = m - n - K, .., m - n - 1 an integer below j + 1, which is taken, or j if it is taken
        already.

        In both cases the permutation of the published tuples comes last; before it they ascend, in the lazy
        case the genuine ones first.
        """
        if eager if eager is not None else size <= EAGER_MOST:
            published = self._drawn_for_all(members, size, source)
        else:
            published = self._genuine_and_fakes(members, size, source)
        return published[source.permutation(len(published))]

    def _drawn_for_all(self, members: Numbers, size: int, source: UniformSource) -> Numbers:
        parts = lcm((self.alpha + self.beta).denominator, self.beta.denominator)
        limits = np.full(size, int(_drawable(parts) * self.beta), dtype=np.int64)
        limits[members.astype(np.int64)] = int(parts * (self.alpha + self.beta))
        return np.flatnonzero(source.below(parts, size) < limits)

    def _genuine_and_fakes(self, members: Numbers, size: int, source: UniformSource) -> Numbers:
        kept = self.alpha + self.beta
        genuine = members[source.below(_drawable(kept.denominator), len(members)) < kept.numerator]
        others = size - len(members)
        number = drawn_binomial(others, self.beta, source.integer_below) if self.beta else 0
        taken: set[int] = set()
        for last in range(others - number, others):
            drawn = source.integer_below(last + 1)
            taken.add(last if drawn in taken else drawn)
        # The r-th tuple that is no member stands after as many members as have at most r others before them.
        before = (members - np.arange(len(members))).tolist()
        fakes = [rank + bisect_right(before, rank) for rank in sorted(taken)]
        return np.concatenate([genuine, np.array(fakes, dtype=members.dtype)])


def _drawable(bound: int) -> int:
    if bound > LARGEST_BOUND:
        raise ParameterError("alpha and beta have too many digits to draw by: write them with fewer, as 0.3")
    return bound


def _numbered(codes: Sequence[IntArray], sizes: Sequence[int]) -> Numbers:
    """Return the number of each row's tuple: the place of its values, the last column's changing fastest."""
    numbers: Numbers = np.zeros(len(codes[0]), dtype=np.int64 if prod(sizes) <= LARGEST_BOUND else object)
    for column, size in zip(codes, sizes, strict=True):
        numbers = numbers * size + column
    return numbers


def _table(table: Microdata, numbers: Numbers, domains: Sequence[tuple[str, Sequence[str]]]) -> Microdata:
    """Return the tuples with these numbers as a table like the original."""
    published = table.take(np.zeros(len(numbers), dtype=np.int64))
    if not len(numbers):
        return published
    for column, domain in reversed(domains):
        size = len(domain)
        codes = (numbers % size).astype(np.int64)
        published = published.with_codes(column, codes, domain_of=table)
        numbers = numbers // size
    return published
