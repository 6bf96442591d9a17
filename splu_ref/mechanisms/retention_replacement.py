"""Retention replacement (Agrawal, Srikant and Thomas 2005, section 3): retain a value or replace it.

Each cell of a sensitive column is retained with probability p, and otherwise replaced by a value drawn from a
replacement law g, possibly the same value: A = p I + (1 - p) 1 g'. The law is uniform over the declared
domain, given by the publisher, or the column's histogram ("identity" perturbation). Records and columns are
independent, unless one coin retains or replaces all of a record's sensitive values; then the record is one
value of the product of the domains (FRAPP). Randomized response and uniform perturbation are the same
mechanism with other parameters, which `from_other_values` and `from_local_privacy` convert.
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
from splu_ref.mechanisms.record_mechanism import RowMechanism
from splu_ref.mechanisms.replacement_law import ReplacementLaw
from splu_ref.randomness import Draws, IntArray, UniformSource

LAWS = ("uniform", "given", "identity")

Published: TypeAlias = Mapping[str, Mapping[str, int]]
"""Published count of each value by sensitive column."""


@dataclass(frozen=True, init=False)
class RetentionReplacement(RowMechanism):
    """Retention replacement with its public parameters.

    Parameters
    ----------
    retention
        Retention probability p, 0 <= p < 1. The replacement may equal the true value.
    domains
        Declared values of each sensitive column as texts, at least two, by column; replacements are drawn
        from them. They are not taken from the table, because the manifest would disclose which values occur.
    replacing
        ``uniform``; ``identity``, the value of a uniformly chosen record of the table, possibly the same one;
        or the probability of each value by column, with the sum 1. A value with probability 0 can be
        published only for records that have it.
    compound
        Whether one coin retains or replaces all sensitive values of a record.
    shuffled
        Whether the published rows are in a random order. Rows are published independently, so the original
        order discloses no value, but it links a release to the original and to other releases.

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
    laws: tuple[tuple[str, ReplacementLaw], ...]
    """The given laws by column, in the order of the domain; empty for other laws."""
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
        laws = tuple(
            (name, ReplacementLaw.from_probabilities(name, ordered[name], given[name]))
            for name in sorted(given)
        )
        for field, value in (
            ("retention", keep), ("domains", tuple(ordered.items())), ("shuffled", shuffled),
            ("replacing", named), ("laws", laws), ("compound", compound),
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    def facts(self) -> dict[str, int | str]:
        """Return the retention, the replacement law, the order of rows, and a digest of the domains.

        The digest makes a keyed release depend on the domains, which the manifest records separately. Given
        laws are recorded with columns and values in code point order.
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
        """Return the mechanism with the parameters recorded in a manifest."""
        replacing = facts.text("replacing")
        if replacing not in LAWS:
            raise ParameterError(f"replacing is not {', '.join(LAWS)}: ask the publisher")
        unit = facts.optional_text("unit", "cell")
        if unit not in ("cell", "record"):
            raise ParameterError("unit is not record: ask the publisher")
        domains = {name: tuple(sorted(values)) for name, values in facts.domains().items()}
        laws: dict[str, Mapping[str, Exact]] = {}
        if replacing == "given":
            laws = _laws(facts.parsed("laws"), domains)
        mechanism = cls(
            facts.text("retention"), domains, shuffled=facts.shuffled(),
            replacing=laws or replacing, compound=unit == "record",
        )  # fmt: skip
        facts.require_digest(mechanism.facts()["domains"])
        return mechanism

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The declared domains by column."""
        return dict(self.domains)

    @property
    def amplification(self) -> Fraction | None:
        """The largest ratio of a published record's probabilities under two true records: e^epsilon.

        For a column it is 1 + p/((1 - p) g), g the least probability of the replacement law, which is 1 + p
        m/(1 - p) for m values that are replaced uniformly. For independent columns it is the product; with
        one coin for all columns g is the product of their least probabilities. None if there is no bound: if
        p > 0 and g = 0, or for the histogram, which depends on the record.
        """
        odds = self.retention / (1 - self.retention)
        if not odds and self.replacing != "identity":
            return Fraction(1)
        least = [law.least for law in self._laws().values()]
        if self.replacing == "identity" or not min(least):
            return None
        shares = [prod(least, start=Fraction(1))] if self.compound else least
        return prod((1 + odds / share for share in shares), start=Fraction(1))

    @property
    def pooled(self) -> bool:
        """Whether estimates use pairs of records; see `RecordRandomizer`."""
        return self.replacing == "identity"

    def predicate_channels(
        self, sets: Mapping[str, Collection[str]], published: Published
    ) -> dict[tuple[str, ...], Channel[bool, bool]]:
        """Return the channels of predicates; see `RecordRandomizer`."""
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
        """Return the channel of a record in any column: retained with p, else drawn from the law.

        Raises
        ------
        ParameterError
            If several columns have given laws, so that their channels differ.
        """
        if self.replacing == "identity":
            law = ReplacementLaw.from_histogram(histogram.tolist())
        elif len(self.laws) > 1:
            raise ParameterError(
                "each column has a law of its own: publish one column to speak of its channel"
            )
        else:
            law = self.laws[0][1] if self.laws else ReplacementLaw.uniform(len(histogram))
        return retention_channel(self.retention, dict(enumerate(law.shares)))

    def for_column(self, name: str) -> Self:
        """Return the mechanism of one column, where one coin for a record is a coin for its value."""
        mechanism = copy(self)
        for field in ("domains", "laws"):
            of_column = tuple(pair for pair in getattr(self, field) if pair[0] == name)
            object.__setattr__(mechanism, field, of_column)
        object.__setattr__(mechanism, "compound", False)
        return mechanism

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the mechanism with its given laws in the order of these domains."""
        known = dict(self.domains)
        laws = tuple(
            (name, law.reordered([known[name].index(value) for value in domains[name]]))
            for name, law in self.laws
            if name in domains
        )
        mechanism = copy(self)
        ordered = tuple((name, domains.get(name, known[name])) for name in known)
        object.__setattr__(mechanism, "domains", ordered)
        object.__setattr__(mechanism, "laws", laws)
        return mechanism

    @property
    def shuffles(self) -> bool:
        """Whether the published rows are in a random order."""
        return self.shuffled

    def publish_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Retain or replace each record's values; see `RowMechanism` for parameters.

        Codes are indices into the domains in code point order, or into those of `aligned`. Random integers
        are drawn in this order: for each column one integer r below w W per record, p = u/w in lowest terms,
        W the sum of the law's integer weights: m for a uniform law of m values, the common denominator for a
        given law, N for the histogram. The integer decides both retention and replacement: if r < u W, the
        value is retained; otherwise r modulo W selects the replacement by its weights. With one coin for a
        record, r of the first column decides retention for all, and the other columns draw integers below W.

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
        retained: NDArray[np.bool_] | None = None
        for column, own in codes.items():
            drawn = draws_of[column].below(bounds[column], len(own))
            if retained is None or not self.compound:
                retained = drawn < self.retention.numerator * laws[column].total
            published[column] = np.where(retained, own, laws[column].select(drawn))
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

    def _law_of(self, histogram: IntArray) -> ReplacementLaw:
        """Return the uniform law or the histogram of a column."""
        if self.replacing == "identity":
            return ReplacementLaw.from_histogram(histogram.tolist())
        return ReplacementLaw.uniform(len(histogram))

    def _weights(self, size: int) -> str:
        return {"uniform": f"{size} values", "given": "the given law", "identity": "the records"}[
            self.replacing
        ]

    def _laws(self) -> dict[str, ReplacementLaw]:
        """Return the uniform or given laws by column."""
        return dict(self.laws) or {name: ReplacementLaw.uniform(len(domain)) for name, domain in self.domains}

    def _share(self, column: str, values: Collection[str], published: Published) -> Fraction:
        """Return the probability of some values in a column's law; a histogram is taken as published."""
        if self.replacing == "identity":
            counts = published[column]
            return Fraction(sum(counts[value] for value in values), sum(counts.values()))
        law, domain = self._laws()[column], dict(self.domains)[column]
        chosen = set(values)
        weights = zip(domain, law.weights, strict=True)
        return Fraction(sum(weight for value, weight in weights if value in chosen), law.total)


def _laws(laws: object, domains: Mapping[str, Sequence[str]]) -> dict[str, Mapping[str, Exact]]:
    """Return the laws recorded in a manifest by column, for domains in code point order."""
    shape = [len(domains[name]) for name in sorted(domains)]
    if not isinstance(laws, list) or not all(isinstance(law, list) for law in laws):
        laws = []
    if [len(law) for law in laws] != shape or not all(
        isinstance(entry, str) for law in laws for entry in law
    ):
        raise DataError("laws does not give each value of each domain a probability: ask the publisher")
    pairs = zip(sorted(domains), laws, strict=True)
    return {name: dict(zip(domains[name], law, strict=True)) for name, law in pairs}


def digest_of(domains: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return SHA-256 of declared domains, in hexadecimal digits."""
    content = json.dumps(domains, ensure_ascii=False, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def from_other_values(keep: Exact, values: int) -> Fraction:
    """Return the retention p of randomized response that replaces a value by one of the *others*.

    Fu et al. 2014, section 3, describe randomized response as publishing the true value with probability p'
    and each of the m - 1 others with probability (1 - p')/(m - 1). That is p = (m p' - 1)/(m - 1).

    Parameters
    ----------
    keep
        p', from 1/m to 1.
    values
        Number m of values.

    Raises
    ------
    ParameterError
        If p' is below 1/m, where the true value is the least likely one.
    """
    share = probability(keep, "keep")
    if share * values < 1:
        raise ParameterError(
            f"{keep} is below 1/{values}: no replacement makes the true value the least likely one"
        )
    return (values * share - 1) / (values - 1)


def from_local_privacy(amplification: Exact, values: int) -> Fraction:
    """Return p of k-ary randomized response with e^epsilon = ``amplification``: (a - 1)/(a - 1 + m)."""
    ratio = exact(amplification, "amplification")
    if ratio < 1:
        raise ParameterError(f"e^epsilon = {amplification} is below 1: give 1 or more")
    return (ratio - 1) / (ratio - 1 + values)
