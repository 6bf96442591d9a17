"""Retention replacement (Agrawal, Srikant and Thomas 2005, section 3): keep a value, or draw it anew.

Each cell of a sensitive column is kept with probability p, and otherwise drawn uniformly from the declared
domain, its own value included: A = p I + (1 - p)/m. Records and columns are independent. Randomized response
and uniform perturbation are the same mechanism under other parameters, which `from_other_values` and
`from_local_privacy` convert.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar, Self

import numpy as np

from splu_ref.channels import Channel
from splu_ref.channels import retention as retention_channel
from splu_ref.manifest import Facts
from splu_ref.mechanisms.draws import LARGEST_BOUND
from splu_ref.mechanisms.release import ColumnsRelease, RecordMechanism
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, Exact, ParameterError, exact, probability
from splu_ref.randomness import Draws, IntArray, UniformSource


@dataclass(frozen=True, init=False)
class RetentionReplacement(RecordMechanism):
    """The mechanism as a value.

    Parameters
    ----------
    retention
        Probability p of keeping a value, 0 <= p < 1. The replacement may be the own value again.
    domains
        By sensitive column all its values as texts, at least two: what the replacements are drawn from. They
        are declared, not taken from the table, whose values would otherwise be told by the manifest.
    shuffled
        Whether the rows leave in a random order. The law of a row does not depend on the others, so an order
        tells no value; but rows that stand where they stood link a release to the original and to others.

    Raises
    ------
    ParameterError
        If p is 1, which publishes the original, out of range or has too many digits to draw by, or if no
        column has a domain.
    """

    name: ClassVar[str] = "retention replacement"

    retention: Fraction
    domains: tuple[tuple[str, tuple[str, ...]], ...]
    shuffled: bool

    def __init__(
        self, retention: Exact, domains: Mapping[str, Sequence[str]], *, shuffled: bool = False
    ) -> None:
        keep = probability(retention, "retention")
        if keep == 1:
            raise ParameterError("a retention of 1 publishes every value as it is: choose less than 1")
        if not domains:
            raise ParameterError("no column has a domain: declare the values of each sensitive column")
        object.__setattr__(self, "retention", keep)
        ordered = {name: tuple(sorted(domains[name])) for name in sorted(domains)}
        object.__setattr__(self, "domains", tuple(ordered.items()))
        object.__setattr__(self, "shuffled", shuffled)

    def facts(self) -> dict[str, int | str]:
        """Return the retention, the law of replacements, the order of rows, and a digest of the domains.

        A manifest tells the domains in any case; by their digest a keyed release depends on them.
        """
        told = json.dumps(self.domains, ensure_ascii=False, separators=(",", ":")).encode()
        digest = hashlib.sha256(told).hexdigest()
        order = "shuffled" if self.shuffled else "kept"
        return {
            "retention": str(self.retention), "replacing": "uniform", "order": order, "domains": digest,
        }  # fmt: skip

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        if facts.text("replacing") != "uniform":
            raise ParameterError("replacing is not uniform: no other law is known, ask the publisher")
        order = facts.text("order")
        if order not in ("kept", "shuffled"):
            raise ParameterError("order is neither kept nor shuffled: ask the publisher")
        mechanism = cls(facts.text("retention"), facts.domains(), shuffled=order == "shuffled")
        if facts.text("domains") != mechanism.facts()["domains"]:
            raise DataError("domains is not the digest of the domains: ask the publisher")
        return mechanism

    def declared(self, table: Microdata) -> Microdata:
        """Return the table with the declared domains."""
        for column, domain in self.domains:
            table = table.with_domain(column, domain)
        return table

    @property
    def amplification(self) -> Fraction:
        """The largest ratio of the chances of one published record under two true ones: e^epsilon.

        Columns are independent, so it is the product of theirs, 1 + p m/(1 - p) for a domain of m values.
        """
        kept = self.retention / (1 - self.retention)
        return prod((1 + kept * len(domain) for _, domain in self.domains), start=Fraction(1))

    def predicate_channel(self, members: int, values: int) -> Channel[bool, bool]:
        """Return the law of whether a published value is one of ``members`` of the ``values`` of a domain."""
        share = Fraction(members, values)
        return retention_channel(self.retention, {True: share, False: 1 - share})

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        """Return the law of a record's published code: kept with p, else any of the domain."""
        size = len(histogram)
        return retention_channel(self.retention, dict.fromkeys(range(size), Fraction(1, size)))

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        """Keep or replace each record's values; see `RecordMechanism` for parameters.

        Random integers are drawn in this order: for each column one below w m per record, p = u/w in lowest
        terms, m values. It is the coin and the replacement at once: r below u m keeps the value, and
        otherwise r modulo m is the replacement. A record has one integer, so that a key's tape is read once.
        If the rows are shuffled, the permutation comes last, of the first column's draws.

        Raises
        ------
        ParameterError
            If the columns are not those with a domain, w m is above 2**63, or there are no records.
        """
        undeclared = [column for column in codes if column not in dict(self.domains)]
        if undeclared or len(codes) < len(self.domains):
            column = (
                undeclared[0] if undeclared else next(name for name, _ in self.domains if name not in codes)
            )
            raise ParameterError(
                f"column {column!r} has a domain or is sensitive, and not both: declare the values of each "
                "sensitive column, and of no other"
            )
        for column, own in codes.items():
            if not len(own):
                raise ParameterError("the table has no records: give at least one")
            if self.retention.denominator * domain_sizes[column] > LARGEST_BOUND:
                raise ParameterError(
                    f"retention = {self.retention} and {domain_sizes[column]} values are too many digits to "
                    "draw by: write the retention with fewer, such as 0.3"
                )
        draws_of = {column: draws_for(column) for column in codes}
        published = {}
        for column, own in codes.items():
            size = domain_sizes[column]
            drawn = draws_of[column].below(self.retention.denominator * size, len(own))
            kept = drawn < self.retention.numerator * size
            published[column] = np.where(kept, own, drawn % size)
        first = next(iter(codes))
        rows = np.arange(len(codes[first]), dtype=np.int64)
        if self.shuffled:
            rows = draws_of[first].permutation(len(rows))
        return ColumnsRelease(rows, {name: cells[rows] for name, cells in published.items()}, rows[:0])


def from_other_values(keep: Exact, values: int) -> Fraction:
    """Return p for a channel that keeps a value with ``keep`` and else picks any *other* one.

    Fu et al. 2014, section 3, describe randomized response so: with probability p' the own value, each of the
    m - 1 others with (1 - p')/(m - 1). That is p = (m p' - 1)/(m - 1).

    Raises
    ------
    ParameterError
        If p' is below 1/m: the own value is then the least likely one, which no replacement does.
    """
    share = probability(keep, "keep")
    if share * values < 1:
        raise ParameterError(f"{keep} is below 1/{values}: no replacement makes the own value the rarest one")
    return (values * share - 1) / (values - 1)


def from_local_privacy(amplification: Exact, values: int) -> Fraction:
    """Return p of k-ary randomized response with e^epsilon = ``amplification``: (a - 1)/(a - 1 + m)."""
    ratio = exact(amplification, "amplification")
    if ratio < 1:
        raise ParameterError(f"e^epsilon = {amplification} is below 1: give 1 or more")
    return (ratio - 1) / (ratio - 1 + values)
