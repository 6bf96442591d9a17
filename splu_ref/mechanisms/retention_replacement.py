"""Retention replacement (Agrawal, Srikant and Thomas 2005, section 3): keep a value, or draw it anew.

Each cell of a sensitive column is kept with probability p, and otherwise drawn from a replacing law g, its
own value included: A = p I + (1 - p) 1 g'. The law is uniform over the declared domain, given by the
publisher, or the column's own histogram ("identity" perturbation). Records and columns are independent,
unless one coin keeps or replaces all of a record's sensitive values: then the record is one value of the
product of the domains (FRAPP). Randomized response and uniform perturbation are the same mechanism under
other parameters, which `from_other_values` and `from_local_privacy` convert.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import (
    Channel,
    DataError,
    Exact,
    Pairs,
    ParameterError,
    exact,
    histogram_pairs,
    probability,
)
from splu_ref.channels import retention as retention_channel
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.release import RowMechanism
from splu_ref.mechanisms.replacement_law import ReplacingLaw
from splu_ref.randomness import Draws, IntArray, UniformSource

LAWS = ("uniform", "given", "identity")

Published: TypeAlias = Mapping[str, Mapping[str, int]]
"""By sensitive column, how many published records hold each value."""


@dataclass(frozen=True, init=False)
class RetentionReplacement(RowMechanism):
    """The mechanism as a value.

    Parameters
    ----------
    retention
        Probability p of keeping a value, 0 <= p < 1. The replacement may be the own value again.
    domains
        By sensitive column all its values as texts, at least two: what the replacements are drawn from. They
        are declared, not taken from the table, whose values would otherwise be told by the manifest.
    replacing
        ``uniform``; ``identity``, the value of a uniform record of the table, the own one included; or by
        column the probability of each of its values, which add up to 1. A value may have 0: then it can be
        published for no record but its own.
    compound
        Whether one coin keeps or replaces all sensitive values of a record.
    shuffled
        Whether the rows leave in a random order. The law of a row does not depend on the others, so an order
        tells no value; but rows that stand where they stood link a release to the original and to others.

    Raises
    ------
    ParameterError
        If p is 1, which publishes the original, out of range or has too many digits to draw by, if no
        column has a domain, or if a law is not one of the domain.
    """

    name: ClassVar[str] = "retention replacement"

    retention: Fraction
    domains: tuple[tuple[str, tuple[str, ...]], ...]
    shuffled: bool
    replacing: str
    laws: tuple[tuple[str, ReplacingLaw], ...]
    """By column the given law, in the order of the domain; empty for another one."""
    compound: bool

    def __init__(
        self,
        retention: Exact,
        domains: Mapping[str, Sequence[str]],
        *,
        shuffled: bool = False,
        replacing: str | Mapping[str, Mapping[str, Exact]] = "uniform",
        compound: bool = False,
    ) -> None:
        keep = probability(retention, "retention")
        if keep == 1:
            raise ParameterError("a retention of 1 publishes every value as it is: choose less than 1")
        if not domains:
            raise ParameterError("no column has a domain: declare the values of each sensitive column")
        ordered = {name: tuple(sorted(domains[name])) for name in sorted(domains)}
        named = replacing if isinstance(replacing, str) else "given"
        if named not in LAWS or replacing == "given":
            raise ParameterError(f"replacing by {named}: choose uniform, identity, or give a law by column")
        if compound and named == "identity":
            raise ParameterError(
                "one coin for a record is known with laws that do not come from the table: choose uniform"
            )
        given = {} if isinstance(replacing, str) else replacing
        if given and set(given) != set(ordered):
            raise ParameterError("a given law is one for each column with a domain, and for no other")
        laws = tuple((name, ReplacingLaw.given(name, ordered[name], given[name])) for name in sorted(given))
        for field, value in (
            ("retention", keep), ("domains", tuple(ordered.items())), ("shuffled", shuffled),
            ("replacing", named), ("laws", laws), ("compound", compound),
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    def facts(self) -> dict[str, int | str]:
        """Return the retention, the law of replacements, the order of rows, and a digest of the domains.

        A manifest tells the domains in any case; by their digest a keyed release depends on them. A given law
        is told in the order of each domain by code points, columns likewise.
        """
        digest = digest_of(self.domains)
        order = "shuffled" if self.shuffled else "kept"
        facts: dict[str, int | str] = {
            "retention": str(self.retention), "replacing": self.replacing, "order": order, "domains": digest,
        }  # fmt: skip
        if self.laws:
            facts["laws"] = json.dumps([list(map(str, law.shares)) for _, law in self.laws])
        return facts | ({"unit": "record"} if self.compound else {})

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        replacing = facts.text("replacing")
        if replacing not in LAWS:
            raise ParameterError(f"replacing is not {', '.join(LAWS)}: ask the publisher")
        order, unit = facts.text("order"), facts.optional_text("unit", "cell")
        if order not in ("kept", "shuffled") or unit not in ("cell", "record"):
            raise ParameterError("order is neither kept nor shuffled, or unit not record: ask the publisher")
        domains = {name: tuple(sorted(values)) for name, values in facts.domains().items()}
        laws: dict[str, Mapping[str, Exact]] = {}
        if replacing == "given":
            laws = _told_laws(facts.text("laws"), domains)
        mechanism = cls(
            facts.text("retention"), domains, shuffled=order == "shuffled",
            replacing=laws or replacing, compound=unit == "record",
        )  # fmt: skip
        if facts.text("domains") != mechanism.facts()["domains"]:
            raise DataError("domains is not the digest of the domains: ask the publisher")
        return mechanism

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The domains."""
        return dict(self.domains)

    @property
    def amplification(self) -> Fraction | None:
        """The largest ratio of the chances of one published record under two true ones: e^epsilon.

        With the least share g of a replacing law it is 1 + p/((1 - p) g) for a column, 1 + p m/(1 - p) for m
        values that are replaced uniformly. Columns are independent, so it is the product of theirs; with one
        coin for all it is that of the product of the shares. None if there is no bound: if values are kept
        and one has share 0, or if they are replaced from a histogram, which the record itself is part of.
        """
        kept = self.retention / (1 - self.retention)
        if not kept and self.replacing != "identity":
            return Fraction(1)
        least = [law.least for law in self._laws().values()]
        if self.replacing == "identity" or not min(least):
            return None
        shares = [prod(least, start=Fraction(1))] if self.compound else least
        return prod((1 + kept / share for share in shares), start=Fraction(1))

    @property
    def pooled(self) -> bool:
        """Whether estimates take a column's shares from all that is published: see `RecordRandomizer`."""
        return self.replacing == "identity"

    def predicate_channels(
        self, sets: Mapping[str, Collection[str]], published: Published
    ) -> dict[tuple[str, ...], Channel[bool, bool]]:
        """Return the laws of whether published values are in sets; see `RecordRandomizer`."""
        shares = {column: self._share(column, values, published) for column, values in sets.items()}
        if self.compound:
            shares_of = {tuple(sets): prod(shares.values(), start=Fraction(1))}
        else:
            shares_of = {(column,): share for column, share in shares.items()}
        return {
            columns: retention_channel(self.retention, {True: share, False: 1 - share})
            for columns, share in shares_of.items()
        }

    def pairs(self, records: int, members: int) -> Pairs:
        """Return weights of pairs of records; see `RecordRandomizer`."""
        return histogram_pairs(self.retention, records, members)

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        """Return the law of a record's published code, in any column: kept with p, else by the law.

        Raises
        ------
        ParameterError
            If columns have laws of their own, so that there is not one channel.
        """
        if self.replacing == "identity":
            law = ReplacingLaw.histogram(histogram.tolist())
        elif len(self.laws) > 1:
            raise ParameterError(
                "each column has a law of its own: publish one column to speak of its channel"
            )
        else:
            law = self.laws[0][1] if self.laws else ReplacingLaw.uniform(len(histogram))
        return retention_channel(self.retention, dict(enumerate(law.shares)))

    def for_column(self, name: str) -> Self:
        """Return the mechanism of one column alone: one coin for a record is a coin of its own there."""
        found = copy(self)
        for field in ("domains", "laws"):
            kept = tuple(pair for pair in getattr(self, field) if pair[0] == name)
            object.__setattr__(found, field, kept)
        object.__setattr__(found, "compound", False)
        return found

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the mechanism with its given laws in the order of these domains."""
        known = dict(self.domains)
        laws = tuple(
            (name, law.reordered([known[name].index(value) for value in domains[name]]))
            for name, law in self.laws
            if name in domains
        )
        found = copy(self)
        object.__setattr__(found, "domains", tuple((name, domains.get(name, known[name])) for name in known))
        object.__setattr__(found, "laws", laws)
        return found

    @property
    def shuffles(self) -> bool:
        """Whether the rows leave in a random order, as was asked for."""
        return self.shuffled

    def published_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Keep or replace each record's values; see `RowMechanism` for parameters.

        A value's code is its place in the domain by code points, or in that of `aligned`. Random integers are
        drawn in this order: for each column one below w W per record, p = u/w in lowest terms, W the sum of
        the law's whole weights: m for a uniform law of m values, the common denominator for a given one, N
        for the histogram. It is the coin and the replacement at once: r below u W keeps the value, and
        otherwise r modulo W is the place of the replacement among the weights. A record has one integer, so
        that a key's tape is read once. With one coin for a record it is the first column's; the others draw
        below W, the replacement alone.

        Raises
        ------
        ParameterError
            If the columns are not those with a domain, w W is above 2**63, or there are no records.
        """
        self._require(codes, histograms)
        given, laws, bounds = dict(self.laws), {}, {}
        for place, column in enumerate(codes):
            laws[column] = law = given.get(column) or self._law_of(histograms[column])
            coins = 1 if self.compound and place else self.retention.denominator
            bounds[column] = coins * law.total
            if bounds[column] > LARGEST_BOUND:
                raise ParameterError(
                    f"retention = {self.retention} and {self._weights(len(histograms[column]))} are too many "
                    "digits to draw by: write the retention with fewer, such as 0.3"
                )
        draws_of = {column: draws_for(column) for column in codes}
        published: dict[str, IntArray] = {}
        kept: NDArray[np.bool_] | None = None
        for column, own in codes.items():
            drawn = draws_of[column].below(bounds[column], len(own))
            if kept is None or not self.compound:
                kept = drawn < self.retention.numerator * laws[column].total
            published[column] = np.where(kept, own, laws[column].drawn(drawn))
        return published

    def _require(self, codes: Mapping[str, IntArray], histograms: Mapping[str, IntArray]) -> None:
        undeclared = [column for column in codes if column not in dict(self.domains)]
        if undeclared or len(codes) < len(self.domains):
            column = (
                undeclared[0] if undeclared else next(name for name, _ in self.domains if name not in codes)
            )
            raise ParameterError(
                f"column {column!r} has a domain or is sensitive, and not both: declare the values of each "
                "sensitive column, and of no other"
            )
        if any(not histograms[column].any() for column in codes):
            raise ParameterError("the table has no records: give at least one")

    def _law_of(self, histogram: IntArray) -> ReplacingLaw:
        """Return a column's law that is not given."""
        if self.replacing == "identity":
            return ReplacingLaw.histogram(histogram.tolist())
        return ReplacingLaw.uniform(len(histogram))

    def _weights(self, size: int) -> str:
        return {"uniform": f"{size} values", "given": "the given law", "identity": "the records"}[
            self.replacing
        ]

    def _laws(self) -> dict[str, ReplacingLaw]:
        """Return by column the law that is uniform or given."""
        return dict(self.laws) or {name: ReplacingLaw.uniform(len(domain)) for name, domain in self.domains}

    def _share(self, column: str, values: Collection[str], published: Published) -> Fraction:
        """Return the share of some values in a column's law; that of a histogram is the published one."""
        if self.replacing == "identity":
            counts = published[column]
            return Fraction(sum(counts[value] for value in values), sum(counts.values()))
        law, domain = self._laws()[column], dict(self.domains)[column]
        chosen = set(values)
        weights = zip(domain, law.weights, strict=True)
        return Fraction(sum(weight for value, weight in weights if value in chosen), law.total)


def _told_laws(text: str, domains: Mapping[str, Sequence[str]]) -> dict[str, Mapping[str, Exact]]:
    """Return by column the law that a manifest tells, for domains by code point."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    shape = [len(domains[name]) for name in sorted(domains)]
    if not isinstance(told, list) or not all(isinstance(law, list) for law in told):
        told = []
    if [len(law) for law in told] != shape or not all(
        isinstance(entry, str) for law in told for entry in law
    ):
        raise DataError("laws does not give each value of each domain a probability: ask the publisher")
    pairs = zip(sorted(domains), told, strict=True)
    return {name: dict(zip(domains[name], law, strict=True)) for name, law in pairs}


def digest_of(domains: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return SHA-256 of declared domains, in hexadecimal digits."""
    told = json.dumps(domains, ensure_ascii=False, separators=(",", ":")).encode()
    return hashlib.sha256(told).hexdigest()


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
