"""Claims about a table published in groups of alike records: k-anonymity, l-diversity, t-closeness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from shlex import join
from typing import Self, TypeAlias

from splu_ref.audit.anonymity import OPEN, Anonymity
from splu_ref.audit.claims.claim import Claim, Common
from splu_ref.audit.claims.document import TABLE
from splu_ref.audit.claims.fields import Fields, count, not_negative
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.channels import (
    STEP,
    InputError,
    LogForm,
    ParameterError,
    entropy_of_weights,
    exact,
    integer,
    shown,
)
from splu_ref.data import current_separator, open_regular, read_table
from splu_ref.estimators import Columns
from splu_ref.guarantees import ExactJson, Progress, decimal_down, decimal_up, exact_json

MOST_QUASI = 100
"""Columns that a claim names."""
_PACKED = 10
"""Bytes of a table for each of a file that is compressed, at about."""
MEASURES = ("distinct", "entropy", "recursive")
"""What l counts."""


@dataclass(frozen=True)
class Grouped:
    """A table by groups of alike records."""

    # path, file: where the table is, and its name beside the file of claims
    path: Path
    file: str
    quasi: tuple[str, ...]  # the columns that may be known of a person
    sensitive: str  # the column that is to be protected; empty where the claim is of none

    @classmethod
    def read(cls, fields: Fields, *, of_values: bool = True) -> Self:
        """Read the table's name and the columns, also the sensitive one if the claim is ``of_values``."""
        file = fields.text("table")
        if not file or Path(file).name != file:
            fields.refuse(
                "table",
                'table does not name a file in the folder of the claims: write table = "released.csv"',
            )
        path = Path(fields.document.path).parent / file
        if not path.is_file():
            fields.refuse("table", f"table {file}: there is no such file: name one beside this file")
        sensitive = fields.text("sensitive")
        if of_values and not sensitive:
            fields.refuse("sensitive", 'sensitive is no column: write sensitive = "diagnosis"')
        return cls(path, file, fields.texts("quasi", MOST_QUASI), sensitive)

    def counted(self) -> Anonymity:
        """Return how anonymous the table is."""
        try:
            return Anonymity.of(Columns(read_table(self.path), {}), self.quasi, self.sensitive or None)
        except (InputError, OSError) as error:
            raise InputError(f"table {self.file}: {error}") from None

    @property
    def identified(self) -> str:
        """Digest of the table, which identifies it."""
        with open_regular(self.path) as file:
            digest = sha256(file.read()).hexdigest()
        return f"The SHA-256 digest of {self.file} is {digest}: the verdict is on that file and no other"

    @property
    def command(self) -> str:
        """What counts again."""
        named = [word for name in self.quasi for word in ("--quasi", name)]
        named += ["--sensitive", self.sensitive] if self.sensitive else []
        separator = current_separator()
        named += [] if separator is None else ["--separator", separator]
        return join(["splu-ref", "anonymity", self.file, *named])


@dataclass(frozen=True, kw_only=True)
class TableClaim(Claim):
    """A claim about a table whose records are alike in groups."""

    mechanism = TABLE
    inherited = ("table", "quasi", "sensitive")

    grouped: Grouped  # the table

    def finding(
        self, found: Anonymity, stated: str, finding_text: str, numbers: dict[str, ExactJson | int | None],
        *, holds: bool, within: int, instead: str,
    ) -> Finding:  # fmt: skip
        """Return the verdict of a claim that is true for ``within`` of the table's records."""
        part = f"{within} of {found.records} records" if within else ""
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=f"in {self.grouped.file}, by {', '.join(self.grouped.quasi)}, {stated}",
            found=finding_text,
            numbers={**numbers, "records": found.records, "within": found.records if holds else within},
            recompute=self.grouped.command,
            without_certificate="there is no certificate of this kind: whoever has the table counts again",
            remarks=(self.grouped.identified, OPEN[0].upper() + OPEN[1:]),
        )
        if holds:
            return finding
        return replace(
            finding,
            verdict=Verdict.NARROWED if within else Verdict.REFUTED,
            true_for=f"true for the groups of {part}" if within else "",
            instead=instead,
        )

    @property
    def column(self) -> str:
        """The sensitive column, for a sentence."""
        return repr(self.grouped.sensitive)

    def work(self) -> int:
        """Estimate the work of reading the table and counting."""
        size = self.grouped.path.stat().st_size
        return STEP * size * (1 if self.grouped.path.suffix == ".csv" else _PACKED)

    @property
    def size(self) -> str:
        """The table."""
        return f"the table {self.grouped.file}"


@dataclass(frozen=True, kw_only=True)
class KAnonymity(TableClaim):
    """Every record shares its quasi-identifiers with k - 1 others or more."""

    kind = "k-anonymity"
    required = ("table", "quasi", "k")
    optional = ("sensitive",)

    k: int  # at least 1

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the table's name, the columns and k."""
        return cls(**vars(common), grouped=Grouped.read(fields, of_values=False), k=fields.number("k", count))

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the size of the smallest group."""
        del ledger, progress
        found = self.grouped.counted()
        finding = self.finding(
            found,
            f"every record is one of {self.said('k')} or more that are alike",
            f"the smallest group has {_records(found.k)}; {found.alone_in_words}",
            {"k": found.k, "alone": found.alone},
            holds=found.k >= self.k,
            within=sum(size * times for size, times in found.sizes.items() if size >= self.k),
            instead=f"k = {found.k}",
        )
        values = "k says nothing of the values in a group, which may all be the same"
        if self.grouped.sensitive:
            are = "is" if found.exposed == 1 else "are"
            values += f"; {_records(found.exposed)} {are} in groups with a single value of {self.column}"
            finding.numbers["exposed"] = found.exposed
        return replace(finding, remarks=(values, *finding.remarks))


@dataclass(frozen=True, kw_only=True)
class LDiversity(TableClaim):
    """Every group has l values that are well represented."""

    kind = "l-diversity"
    required = ("table", "quasi", "sensitive", "l")
    optional = ("measure", "c")

    # at least 1; at least 2 where it is recursive
    l: int  # noqa: E741 - the name of the field
    measure: str
    c: Fraction | None  # of recursive (c, l)-diversity, above 0; None for another measure

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the table's name, the columns, l, what it counts, and c."""
        measure = fields.choice("measure", MEASURES) if "measure" in fields else MEASURES[0]
        recursive = measure == "recursive"
        if recursive != ("c" in fields):
            fields.refuse("c", 'c belongs to measure = "recursive", and that to c: give both, or neither')
        number = fields.number("l", _two_or_more if recursive else count)
        bound = fields.number("c", _above_zero) if recursive else None
        return cls(**vars(common), grouped=Grouped.read(fields), l=number, measure=measure, c=bound)

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide group by group, exactly: counts, sums of logarithms or fractions."""
        del ledger, progress
        found = self.grouped.counted()
        satisfied, stated, finding_text, instead, numbers = {
            "distinct": self._distinct, "entropy": self._entropy, "recursive": self._recursive,
        }[self.measure](found)  # fmt: skip
        assert found.groups is not None
        within = sum(sum(counts) * times for counts, times in found.groups.items() if satisfied(counts))
        finding = self.finding(
            found,
            stated,
            finding_text,
            numbers,
            holds=within == found.records,
            within=within,
            instead=instead,
        )
        more = f" --l {shown(self.l)}" if self.measure == "recursive" else ""
        return replace(finding, recompute=finding.recompute + more)

    def _distinct(self, found: Anonymity) -> _Measured:
        return (
            lambda counts: len(counts) >= self.l,
            f"every group has {self.said('l')} different values of {self.column} or more",
            f"a group has {found.distinct} of them, and none has fewer",
            f"l = {found.distinct}",
            {"l": found.distinct},
        )

    def _entropy(self, found: Anonymity) -> _Measured:
        bits = decimal_down(found.entropy.narrowed())
        return (
            lambda counts: LogForm.lg(self.l) <= entropy_of_weights(counts),
            f"the values of {self.column} in every group have an entropy of lg {self.said('l')} or more",
            f"the least entropy of a group is {bits} bits",
            f"l = {found.entropy_whole}",
            {"l": found.entropy_whole, "entropy": ExactJson(fraction=None, decimal=bits, digits=12)},
        )

    def _recursive(self, found: Anonymity) -> _Measured:
        assert self.c is not None
        limit, bound = self.c, found.recursive(self.l)
        stated = (
            f"in every group the most frequent value of {self.column} has fewer than {self.said('c')} times "
            f"the records of the value number {self.said('l')} and all rarer ones"
        )
        finding_text = f"a group has fewer than {shown(self.l)} values"
        if bound is not None:
            finding_text = f"c must be above {shown(bound)}"
        return (
            lambda counts: counts[0] < limit * sum(counts[self.l - 1 :]),
            stated,
            finding_text,
            "" if bound is None else f"any c above {shown(bound)}",
            {"c_above": None if bound is None else exact_json(bound, "up")},
        )


@dataclass(frozen=True, kw_only=True)
class TCloseness(TableClaim):
    """The values of every group have nearly the shares that they have in the table."""

    kind = "t-closeness"
    required = ("table", "quasi", "sensitive", "t")

    t: Fraction  # at least 0

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the table's name, the columns and t."""
        return cls(**vars(common), grouped=Grouped.read(fields), t=fields.number("t", not_negative))

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by each group's distance."""
        del ledger, progress
        found = self.grouped.counted()
        assert found.distances is not None
        distance = max(found.distances)
        return self.finding(
            found,
            f"the shares of the values of {self.column} in a group differ from the table's by "
            f"{self.said('t')} at most, half the sum of the differences",
            f"the largest difference is {decimal_up(distance)}",
            {"t": exact_json(distance, "up")},
            holds=distance <= self.t,
            within=sum(records for each, records in found.distances.items() if each <= self.t),
            instead=f"t = {shown(distance)}",
        )


_Measured: TypeAlias = tuple[
    Callable[[tuple[int, ...]], bool], str, str, str, dict[str, ExactJson | int | None]
]
"""Which counts of a group fulfil a claim of l-diversity, what is claimed and found, instead of what."""


def _above_zero(value: str | int, name: str) -> Fraction:
    found = exact(value, name)
    if found <= 0:
        raise ParameterError(f"{name} is not above 0: write a positive number")
    return found


def _two_or_more(value: str | int, name: str) -> int:
    return integer(value, name, 2)


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number} records"
