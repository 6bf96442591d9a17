"""The alpha-beta algorithm (Rastogi, Suciu and Hong 2007): a random subset of tuples, mixed with fake tuples.

The original I is a set of n distinct tuples of a declared product domain D of size m. The published set V
contains each tuple of I with probability alpha + beta and each other tuple of D with probability beta,
independently. A published tuple may be a fake, and an absent tuple may be in I. Published rows do not belong
to records, so the mechanism has no channel of records.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, Exact, ParameterError, positive, probability, shown
from splu_ref.data import Microdata
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.release import PublishingInput, PublishingMechanism, Release
from splu_ref.mechanisms.replacement_law import draw_binomial
from splu_ref.mechanisms.retention_replacement import digest_of
from splu_ref.randomness import IntArray, UniformSource

EAGER_MOST = 1 << 20
"""Size of the largest domain that is enumerated tuple by tuple."""
MOST_FAKES = 10**8
"""Largest expected number of fakes of a release that is not declared as large."""

Numbers: TypeAlias = NDArray[Any]
"""Tuple numbers: 64-bit integers, or Python integers for a domain of more than 2**63 tuples."""


@dataclass(frozen=True, init=False)
class AlphaBeta(PublishingMechanism[Release]):
    """The alpha-beta algorithm with its public parameters.

    Parameters
    ----------
    alpha, beta
        A tuple of the original is published with probability alpha + beta, any other tuple of the domain with
        probability beta; alpha > 0, beta >= 0, alpha + beta <= 1.
    domains
        Declared values of each published column as texts, at least two, by column. Other columns are not
        published.
    distinct
        Whether duplicate rows are dropped; otherwise they are an error.
    large
        Whether more than `MOST_FAKES` expected fakes are allowed.

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
        """Return the expected numbers of genuine and of fake tuples in a release of so many tuples."""
        return tuples * (self.alpha + self.beta), (self.size - tuples) * self.beta

    def facts(self) -> dict[str, int | str]:
        """Return alpha, beta and a digest of the domains as recorded in a manifest."""
        return {"alpha": str(self.alpha), "beta": str(self.beta), "domains": digest_of(self.domains)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        mechanism = cls(facts.text("alpha"), facts.text("beta"), facts.domains())
        facts.require_digest(mechanism.facts()["domains"])
        return mechanism

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The domain of each published column."""
        return dict(self.domains)

    def require_publishable(self, columns: Sequence[str], id_column: str | None) -> None:
        """Raise unless the sensitive columns are those with a domain, and no column identifies records."""
        if sorted(columns) != [column for column, _ in self.domains]:
            raise ParameterError(
                "the columns to publish are not those with a domain: declare the values of each, and of no "
                "other"
            )
        if id_column is not None:
            raise ParameterError("tuples are published, not records: leave out --id")

    def declared(self, table: Microdata) -> Microdata:
        """Return the columns with a domain, with their domains."""
        return super().declared(table.select([column for column, _ in self.domains]))

    def release(self, given: PublishingInput) -> Release:
        """Return a set of tuples in a random order.

        Under a key all random integers come from one stream of the release's key, so the same table gives the
        same release. Duplicate rows are an error unless ``distinct`` is true, and so are too many expected
        fakes.
        """
        _, distinct, repeated = self.tuples(given.table)
        source = given.draws_for(next(iter(given.codes))).plan_secret().block(0)
        published = self.publish_tuples(distinct, self.size, source)
        return given.release(_table(given.table, published, self.domains), suppressed=repeated)

    def tuples(self, table: Microdata) -> tuple[Microdata, Numbers, int]:
        """Validate a table and return its distinct tuples.

        Returns
        -------
        tuple
            The table of the columns with a domain, the numbers of its distinct tuples in ascending order, and
            the number of duplicate rows.

        Raises
        ------
        DataError, ParameterError
            As `publish`.
        """
        original, numbers = self.numbered(table)
        return original, *self.members(numbers)

    def members(self, numbers: Numbers) -> tuple[Numbers, int]:
        """Return the distinct tuple numbers, ascending, and the number of duplicate rows.

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
        bound = (self.alpha + self.beta).denominator
        _drawable(lcm(bound, self.beta.denominator) if self.size <= EAGER_MOST else bound)
        return distinct, repeated

    def numbered(self, table: Microdata) -> tuple[Microdata, Numbers]:
        """Return the table of the columns with a domain, and the tuple number of each row, shape (rows,).

        Raises
        ------
        DataError
            If a column is missing, or a cell lies outside its column's domain.
        """
        chosen = self.declared(table)
        return chosen, self.numbers([chosen.codes(column) for column, _ in self.domains])

    def numbers(self, codes: Sequence[IntArray]) -> Numbers:
        """Return the tuple number of each row from its codes in the columns' domains."""
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
            Source of random integers.
        eager
            Whether the domain is enumerated tuple by tuple; by default up to `EAGER_MOST` tuples. The law is
            the same.

        Notes
        -----
        Eager: an integer below w for each tuple of the domain, ascending, w the least common denominator of
        alpha + beta and beta; it is published if the integer is below w (alpha + beta), or w beta.

        Lazy: an integer below the denominator of alpha + beta for each member; then K ~ Bin(m - n, beta), as
        `draw_binomial` draws it; then K distinct ones of the m - n others, numbered in ascending order, by
        Floyd's algorithm: for j = m - n - K, .., m - n - 1 an integer below j + 1, which is selected, or j if
        it has been selected before.

        In both cases the permutation of the published tuples is drawn last. Before it they ascend; in the
        lazy case the genuine ones precede the fakes.
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
        chance = self.alpha + self.beta
        genuine = members[source.below(_drawable(chance.denominator), len(members)) < chance.numerator]
        others = size - len(members)
        number = draw_binomial(others, self.beta, source.integer_below) if self.beta else 0
        selected: set[int] = set()
        for last in range(others - number, others):
            drawn = source.integer_below(last + 1)
            selected.add(last if drawn in selected else drawn)
        # The r-th tuple that is no member follows as many members as have at most r others before them.
        before = (members - np.arange(len(members))).tolist()
        fakes = [rank + bisect_right(before, rank) for rank in sorted(selected)]
        return np.concatenate([genuine, np.array(fakes, dtype=members.dtype)])


def _drawable(bound: int) -> int:
    if bound > LARGEST_BOUND:
        raise ParameterError("alpha and beta have too many digits to draw by: write them with fewer, as 0.3")
    return bound


def _numbered(codes: Sequence[IntArray], sizes: Sequence[int]) -> Numbers:
    """Return the tuple number of each row: mixed-radix digits, the last column the least significant."""
    numbers: Numbers = np.zeros(len(codes[0]), dtype=np.int64 if prod(sizes) <= LARGEST_BOUND else object)
    for column, size in zip(codes, sizes, strict=True):
        numbers = numbers * size + column
    return numbers


def _table(table: Microdata, numbers: Numbers, domains: Sequence[tuple[str, Sequence[str]]]) -> Microdata:
    """Return the tuples with these numbers as a table of the same types as the original."""
    published = table.take(np.zeros(len(numbers), dtype=np.int64))
    if not len(numbers):
        return published
    for column, domain in reversed(domains):
        size = len(domain)
        codes = (numbers % size).astype(np.int64)
        published = published.with_codes(column, codes, domain_of=table)
        numbers = numbers // size
    return published
