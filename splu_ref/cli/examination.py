"""Examination of a table before publication, remedies for what is objected to, and the command to run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from splu_ref.audit import (
    Advice,
    CodedTable,
    Decision,
    Goals,
    JointChoice,
    Leaks,
    Objection,
    Option,
    Skew,
    TableInMemory,
    advise,
    alternative,
    alternative_text,
    choose_jointly,
    decision,
    objections,
    partly_unique,
    remedies,
    scan,
    skew,
)
from splu_ref.channels import InputError
from splu_ref.cli.options import parameter_text
from splu_ref.cli.preparation import Preparation
from splu_ref.data import SUFFIXES, Bins, Cross, Microdata, Rare, current_separator
from splu_ref.guarantees import Progress
from splu_ref.output import visible_json

DOMAIN = "domain.json"
"""The file of declared domains that is named in the command of the other mechanism."""
_KEY_FILE = "publisher.key"
"""The file of the key that is named in the command."""
_ROUNDS = 6
"""Number of times that remedies are applied and the table is examined again."""
_ROLES = ("quasi", "keep")
"""Options that change what is objected to, and not the published table."""
_DROPPED = ("disclosure", "dependence")
"""Grounds of objections whose column must not be published."""
_PERIODS = ("month", "year")
"""Bins of dates that are tried before a column is dropped, in this order."""


@dataclass(frozen=True)
class PreparationOptions:
    """Options of a publisher that prepare a table."""

    sensitive: tuple[str, ...]  # the sensitive columns
    # the values of ``bins``, ``cross``, ``group-rare``, ``drop``, ``quasi`` and ``keep``
    given: Mapping[str, Sequence[str]]

    def preparation(self) -> Preparation:
        """Return the preparation that the options describe; raises if they are invalid."""
        given = self.given
        return Preparation.of(
            sensitive=self.sensitive, bins=given["bins"], cross=given["cross"], rare=given["group-rare"],
            drop=given["drop"], quasi=given["quasi"], keep=given["keep"],
        )  # fmt: skip

    def with_remedies(self, found: Sequence[tuple[str, str]]) -> PreparationOptions:
        """Return the options with remedies added: a crossing replaces its sensitive column."""
        added = {
            name: [*values, *(value for key, value in found if key == name)]
            for name, values in self.given.items()
        }
        binned = {value.rpartition("=")[0] for key, value in found if key == "bins"}
        added["bins"] = [
            each for each in added["bins"] if ("bins", each) in found or each.rpartition("=")[0] not in binned
        ]
        for name in ("bins", "group-rare"):
            added[name] = [each for each in added[name] if each.rpartition("=")[0] not in added["drop"]]
        crossed = {
            cross.parts[0]: cross.column
            for cross in (Cross.parse(value) for name, value in found if name == "cross")
        }
        sensitive = (name for name in self.sensitive if name not in added["drop"])
        return PreparationOptions(tuple(crossed.get(name, name) for name in sensitive), added)

    @property
    def recodes(self) -> bool:
        """Whether the published table has other cells or columns than the original."""
        return any(values for name, values in self.given.items() if name not in _ROLES)

    def words(self, without: Sequence[str] = ()) -> list[str]:
        """Return the options as words of a command."""
        pairs = [
            (name, value) for name, values in self.given.items() if name not in without for value in values
        ]
        return [word for name, value in pairs for word in (f"--{name}", value)]


@dataclass(frozen=True, kw_only=True)
class Examination:
    """A table that is to be published with some options: advice, disclosure risks and objections."""

    # table, options: the table as it is to be published, and the options that prepare it
    table: CodedTable
    options: PreparationOptions
    # goals, retention: goals of the publisher, and retention probabilities to try besides 1/gamma
    goals: Goals
    retention: Sequence[str]
    advices: Mapping[str, Advice | Skew]  # by sensitive column its advice, or the skew that allows none
    leaks: Sequence[Leaks]  # disclosure risks by sensitive column

    @classmethod
    def of(
        cls,
        table: CodedTable,
        options: PreparationOptions,
        goals: Goals,
        retention: Sequence[str],
        progress: Progress | None = None,
    ) -> Self:
        """Examine a prepared table."""
        columns = options.sensitive
        return cls(
            table=table,
            options=options,
            goals=goals,
            retention=retention,
            advices={
                column: skew(table, column) or advise(table, column, goals, retention, progress=progress)
                for column in columns
            },
            leaks=scan(table, columns, goals.alpha, options.preparation().roles, progress=progress),
        )

    @property
    def objections(self) -> Sequence[Objection]:
        """Reasons not to publish the table as it is."""
        return objections(self.advices, self.leaks)

    @property
    def decision(self) -> Decision:
        """The verdict before remedies are tried."""
        return decision(self.objections, self.options.sensitive)

    @property
    def complete(self) -> dict[str, Advice]:
        """The advices, or nothing if a column has none."""
        found = {column: each for column, each in self.advices.items() if isinstance(each, Advice)}
        return found if len(found) == len(self.advices) else {}

    @property
    def crossed(self) -> dict[str, tuple[str, ...]]:
        """By sensitive column that is a crossing its parts."""
        steps = self.options.preparation().steps
        crossings = {step.column: step.parts for step in steps if isinstance(step, Cross)}
        return {column: crossings[column] for column in self.options.sensitive if column in crossings}

    @property
    def drops(self) -> list[tuple[str, str]]:
        """The columns that must not be published, as remedies."""
        return [("drop", each.column) for each in self.objections if each.ground in _DROPPED]

    def coarsened(self, original: Microdata) -> list[tuple[str, str]]:
        """Return remedies for the columns that must not be published: longer periods of dates first.

        A date that gives the sensitive column away is dropped: its month would give it to within a month.
        """
        disclosing = {leak.columns[-1] for each in self.leaks for leak in each.leaks if leak.discloses}
        return [
            (None if column in disclosing else self._longer_period(original, column)) or (name, column)
            for name, column in self.drops
        ]

    def _longer_period(self, original: Microdata, column: str) -> tuple[str, str] | None:
        """Return bins of dates that were not tried yet; None without such bins, or without dates."""
        given = [each for each in self.options.given["bins"] if each.rpartition("=")[0] == column]
        tried = [period for period in _PERIODS if f"{column}={period}" in given]
        if column in self.options.sensitive or len(tried) < len(given) or _PERIODS[-1] in tried:
            return None
        option = f"{column}={_PERIODS[len(tried)]}"
        try:
            Bins.parse(option).apply(original.select([column]))
        except InputError:
            return None
        return "bins", option

    @property
    def published(self) -> dict[str, Advice | Skew]:
        """The advices for the sensitive columns that the command of the other mechanism publishes."""
        dropped = {column for _, column in self.drops}
        return {column: each for column, each in self.advices.items() if column not in dropped}

    @property
    def keep(self) -> Fraction:
        """Retention probability of the other mechanism."""
        return min(alternative(each, self.goals) for each in self.published.values())

    @property
    def texts(self) -> dict[str, str]:
        """By sensitive column whose values must not be listed the reason."""
        found = {column: partly_unique(each) for column, each in self.published.items()}
        return {column: reason for column, reason in found.items() if reason is not None}

    @property
    def values(self) -> dict[str, list[str]]:
        """By sensitive column that is published its values."""
        return {column: [value for value, _ in each.values] for column, each in self.published.items()}

    @property
    def declare(self) -> str | None:
        """The command that declares the values of the table; None if they must not be listed."""
        if self.texts:
            return None
        return f"printf %s {shlex.quote(visible_json(self.values))} > {DOMAIN}"

    def instead(self) -> list[tuple[str, str]]:
        """Return what the other mechanism promises."""
        if self.texts:
            return [
                ("instead", f"drop or group {column!r}, then ask for advice again: {reason}")
                for column, reason in self.texts.items()
            ]
        rare = {Rare.parse(text).column for text in self.options.given["group-rare"]}
        bounded = rare.isdisjoint(self.values)
        return [("instead", alternative_text(self.values, self.keep, bounded=bounded))]

    def remedied(self, original: Microdata) -> Examination:
        """Return an examination after the remedies that there are."""
        found: Examination = self
        for _ in range(_ROUNDS):
            prepared = found.options.preparation().applied(original).table
            changes = found.coarsened(original)
            if not changes:  # recodings may interact: one at a time
                some = (remedies(found.table, prepared, each, found.advices) for each in found.objections)
                changes = next((each for each in some if each), [])
            if not changes:
                break
            options = found.options.with_remedies(changes)
            table = TableInMemory(options.preparation().applied(original).table)
            found = Examination.of(table, options, self.goals, self.retention)
        return found


@dataclass(frozen=True)
class Publication:
    """The commands that publish a table."""

    table: Path  # the file of the original
    missing: str | None  # value of missing sensitive cells
    id_column: str | None  # the column of ids, for a command with a key
    stream: bool  # whether the table is larger than memory

    def splu_gen(self, options: PreparationOptions, choice: JointChoice) -> str:
        """Return the command that publishes by SPLU-Gen as advised."""
        sizes = {column: int(choice.options[column].law.gamma) for column in options.sensitive}
        one = next(iter(choice.options.values())).law
        gamma = str(one.gamma) if len(set(sizes.values())) == 1 else parameter_text(sizes)
        kept = [] if one.is_plain else ["--retention", str(one.retention)]
        without = _ROLES if self.stream else ()
        words = ["--gamma", gamma, *kept, "--draws", "independent", *options.words(without)]
        return self._command(options, words)

    def retention(self, found: Examination) -> str:
        """Return the command that publishes by retention replacement, without disclosing columns.

        Columns such as free text have to be grouped first: then it is the command for further advice.
        """
        options = found.options.with_remedies(found.drops)
        if found.texts:
            least = found.goals.alpha + 1
            grouped = options.with_remedies([("group-rare", f"{column}={least}") for column in found.texts])
            return self._command(grouped, grouped.words(), ["advise", self._original, *self._ids])
        words = ["--mechanism", "retention", "--retention", str(found.keep), "--domain", DOMAIN, "--shuffle"]
        if self.stream and not options.recodes:  # then other columns are not examined
            return self._command(options, [*words, *options.words(_ROLES)])
        accepted = [word for column in options.given["quasi"] for word in ("--keep", column)]
        return self._command(options, [*words, *options.words(("quasi",)), *accepted])

    @property
    def _original(self) -> str:
        return f"./{self.table}" if str(self.table).startswith("-") else str(self.table)  # not an option

    @property
    def _ids(self) -> list[str]:
        return [] if self.id_column is None else ["--id", self.id_column]

    def _command(
        self, options: PreparationOptions, words: Sequence[str], command: Sequence[str] | None = None
    ) -> str:
        table = self._original
        suffix = next((each for each in SUFFIXES if table.lower().endswith(each)), SUFFIXES[0])
        publish = ["publish", table, "-o", f"published{suffix}", "--manifest", "published.json"]
        publish += ["--key-file", _KEY_FILE, *self._ids] if self._ids else []
        start = ["splu-ref", *(command or publish)]
        for column in options.sensitive:
            start += ["--sensitive", column]
        missing = [] if self.missing is None else ["--missing", self.missing]
        stream = ["--stream"] if self.stream and not options.recodes else []
        separator = current_separator()
        divided = [] if separator is None else ["--separator", separator]
        return shlex.join([*start, *words, *missing, *stream, *divided])


def advised(
    publication: Publication, found: Examination, original: Microdata | None
) -> tuple[Decision, Sequence[Objection], str, Examination, Mapping[str, Option]]:
    """Return the verdict, the reasons against publishing the table as it is, the command, and its table.

    Last are the options of SPLU-Gen that the command uses, by column; none if it uses another mechanism. That
    few records have an accurate value is no reason where no recoding helps.
    """
    objected, columns = found.objections, found.options.sensitive
    last = found.remedied(original) if original is not None and found.decision == "change first" else found
    options, advices, left = last.options, last.complete, last.objections
    if original is None:
        options = found.options.with_remedies(found.drops)
        advices = {name: each for name, each in advices.items() if name in options.sensitive}
        left = [each for each in left if each.ground not in _DROPPED]
    little = {each.column for each in left if each.ground == "little accurate"}
    if decision([each for each in left if each.column not in little], options.sensitive) != "publish":
        return "do not publish by this mechanism", objected, publication.retention(found), found, {}
    reasons = [each for each in objected if each.ground != "little accurate" or each.column not in little]
    choice = choose_jointly(advices)
    return decision(reasons, columns), reasons, publication.splu_gen(options, choice), last, choice.options
