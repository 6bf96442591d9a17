"""Anatomy (Xiao & Tao 2006), the comparator of Fu et al. 2014, section 6.2.3.2: a release of two tables.

The quasi-identifier table gives the group of each record, the sensitive table the values of each group. Only
the assignment of records to groups is random. SPLU-Gen with p = 1/gamma publishes for each record a value
drawn uniformly from its group, so its release is a randomized function of these two tables (claim splu.ANAs)
and never discloses more than they do.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import narwhals as nw
import numpy as np

from splu_ref.channels import Channel, DataError, Exact, Gamma, ParameterError
from splu_ref.data import Microdata, table_bytes, write_all
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.plans.eligibility import require_feasible
from splu_ref.mechanisms.plans.methods import PlanMethod, resolve_plan
from splu_ref.mechanisms.record_mechanism import feasible_gamma
from splu_ref.mechanisms.release import PublishedTable, PublishingInput, PublishingMechanism, Release
from splu_ref.randomness import Draws, IntArray, UniformSource

_SAME_RELEASE = "give the two tables and the manifest of one release"


@dataclass(frozen=True)
class TwoTables:
    """The two tables as integer codes."""

    #: number of the original record at each row of the quasi-identifier table, shape (N - N mod gamma,)
    rows: IntArray
    groups: IntArray  #: group of each of these rows, from 0, shape of ``rows``
    #: values of each group, ascending, shape (groups, gamma); each is the value of one record of the group
    values: IntArray
    #: numbers of the records deleted to make N a multiple of gamma, ascending, fewer than gamma
    suppressed: IntArray
    domain_size: int  #: number of values

    @property
    def published(self) -> IntArray:
        """The values of each row's group, shape (rows, gamma)."""
        return self.values[self.groups]

    def sensitive_table(self) -> IntArray:
        """Return the sensitive table as published: rows of group, value and count, shape (rows, 3)."""
        groups, size = self.values.shape
        group = np.repeat(np.arange(groups, dtype=np.int64), size)
        return np.stack([group, self.values.reshape(-1), np.ones_like(group)], axis=1)


@dataclass(frozen=True, kw_only=True, repr=False)
class PublishedTwoTables(PublishedTable):
    """A release of two tables; ``table`` is the quasi-identifier table with a column of group numbers."""

    #: a row for each value of each group: group number, value, and number of the group's records with this
    #: value, which is 1
    sensitive_table: Microdata

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest of both tables; see `PublishedTable.manifest`."""
        if self.attached_manifest is not None:
            return self.attached_manifest
        return replace(super().manifest, sensitive_table=self.sensitive_table.content_digest())

    def published_values(self, column: str) -> tuple[str, ...]:
        """Return the values in the sensitive table as texts."""
        return self.sensitive_table.values(column)


@dataclass(frozen=True, kw_only=True, repr=False)
class TwoTablesRelease(PublishedTwoTables, Release):
    """A release of two tables with the publisher's figures."""

    def write(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
        *,
        sensitive_table: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> None:
        """Write the quasi-identifier table and, if paths are given, its manifest and the sensitive table.

        See `PublishedTable.write` for parameters and errors.
        """
        write_all(self.outputs(path, manifest, sensitive_table), force=force)

    def outputs(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None,
        sensitive_table: str | os.PathLike[str] | None = None,
    ) -> list[tuple[Path, bytes]]:
        """Return the paths and contents of the files that `write` writes."""
        outputs = super().outputs(path, manifest)
        if sensitive_table is not None:
            outputs.append((Path(sensitive_table), table_bytes(self.sensitive_table, sensitive_table)))
        return outputs


GROUP, COUNT = "group", "count"
"""Names of the columns that the two tables add."""


@dataclass(frozen=True, init=False)
class Anatomy(PublishingMechanism[TwoTablesRelease]):
    """The mechanism Anatomy: records in groups with gamma distinct values, published as two tables.

    Parameters
    ----------
    gamma
        Size of a group, l in the paper of Anatomy, at least 2. No value may occur more than N / gamma times.
    plan
        Method that forms groups: the name of a plan method, or a callable.

    Raises
    ------
    ParameterError
        If gamma is below 2 or the plan is unknown.
    """

    name: ClassVar[str] = "Anatomy"

    gamma: Gamma
    plan: str
    decoys: PlanMethod = field(repr=False)

    def __init__(self, gamma: Exact, plan: str | PlanMethod = "anatomy") -> None:
        object.__setattr__(self, "gamma", Gamma(gamma))
        method, name = resolve_plan(plan)
        object.__setattr__(self, "plan", name)
        object.__setattr__(self, "decoys", method)

    def facts(self) -> dict[str, int | str]:
        """Return gamma and plan as recorded in a manifest."""
        return {"gamma": int(self.gamma), "plan": self.plan}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        mechanism = cls(facts.integer("gamma"), facts.text("plan"))
        if facts.integer("rows") % mechanism.gamma:
            raise DataError("rows is no multiple of gamma: ask the publisher")
        return mechanism

    def release(self, given: PublishingInput) -> TwoTablesRelease:
        """Return the release of a table.

        There is exactly one sensitive column. No column may be named ``group``, and the sensitive column may
        not be named ``count``.
        """
        if len(given.codes) > 1:
            raise ParameterError("Anatomy publishes one sensitive column: name one")
        [(column, codes)] = given.codes.items()
        if GROUP in given.table.columns or column == COUNT:
            raise DataError(
                f"the two tables have columns {GROUP!r} and {COUNT!r} of their own: rename those of the input"
            )
        max_gamma = feasible_gamma(given.table, column, self.gamma)
        done = self.publish_codes(codes, given.domain_sizes[column], given.draws_for(column))
        frame = nw.from_native(given.table.take(done.rows).to_frame(), eager_only=True)
        library, domain = frame.implementation, given.table.domain(column)
        groups = nw.new_series(GROUP, done.groups.tolist(), nw.Int64, backend=library)
        group, value, count = done.sensitive_table().T.tolist()
        entries = {GROUP: group, column: [domain[code] for code in value], COUNT: count}
        release = given.release(
            Microdata.from_frame(frame.drop(column).with_columns(groups).to_native()),
            suppressed=len(done.suppressed), max_gamma=max_gamma,
        )  # fmt: skip
        sensitive_table = Microdata.from_frame(nw.from_dict(entries, backend=library).to_native())
        return TwoTablesRelease(**vars(release), sensitive_table=sensitive_table)

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, tuple[int, ...]]:
        """Return the channel from a record's true code to the set of its group's values, given the plan.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,). Values that do not occur have no
            row.
        secret
            Source of the plan's secret; plans without one draw nothing.
        """
        groups = self.decoys(histogram, self.gamma, secret).groups().tolist()
        counts = Counter(tuple(sorted(group)) for group in groups)
        return Channel(
            {
                code: {group: Fraction(count, frequency) for group, count in counts.items() if code in group}
                for code, frequency in enumerate(histogram.tolist())
                if frequency
            },
            tuple(counts),
        )

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> TwoTables:
        """Publish sensitive codes in two tables.

        Parameters
        ----------
        codes
            True codes, shape (N,), in 0 .. domain size - 1.
        domain_size
            Number of values.
        draws
            Source of random integers, drawn in this order: the remainder that is deleted, the plan, the order
            of the records within each value, the shuffle. This is the order of SPLU-Gen without step 3.

        Raises
        ------
        ParameterError
            If a value occurs more than N / gamma times; the message names the largest feasible gamma.

        Notes
        -----
        The paper of Anatomy assigns the remainder of N mod gamma records to groups without their value. Here
        they are deleted as in SPLU-Gen, so that both mechanisms publish the same records.
        """
        histogram = np.bincount(codes, minlength=domain_size)
        require_feasible(histogram, self.gamma)
        suppressed = draws.subset(len(codes), len(codes) % self.gamma)
        kept = np.delete(np.arange(len(codes)), suppressed)
        np.subtract.at(histogram, codes[suppressed], 1)
        records = draws.select_records(kept)
        plan = self.decoys(histogram, self.gamma, records.plan_secret())
        values = plan.groups().astype(np.int64)
        places = records.order_within(codes[kept])
        group_of = np.empty(len(kept), dtype=np.int64)
        group_of[places] = plan.slots() // self.gamma
        shuffle = records.permutation(len(kept))
        return TwoTables(kept[shuffle], group_of[shuffle], np.sort(values, axis=1), suppressed, domain_size)


def with_sensitive_table(
    published: Microdata, manifest: Manifest, sensitive_table: Microdata | None
) -> PublishedTable:
    """Return a published table with its manifest and, for Anatomy, with its sensitive table.

    Raises
    ------
    DataError
        If Anatomy's sensitive table is missing, or is not the one that the manifest describes.
    ParameterError
        If a sensitive table is given for a release of one table.
    """
    mechanism = manifest.mechanism
    if not isinstance(mechanism, Anatomy):
        if sensitive_table is not None:
            raise ParameterError(f"a release by {mechanism.name} is one table: leave out the sensitive table")
        return PublishedTable(
            table=published, mechanism=mechanism, domains=manifest.domains, attached_manifest=manifest
        )
    if sensitive_table is None:
        raise DataError(
            "Anatomy publishes two tables: give the table of the groups' sensitive values as well, "
            "--sensitive-table"
        )
    require_sensitive_table(manifest, sensitive_table)
    return PublishedTwoTables(
        table=published,
        sensitive_table=sensitive_table,
        mechanism=mechanism,
        domains=manifest.domains,
        attached_manifest=manifest,
    )


def require_sensitive_table(manifest: Manifest, sensitive_table: Microdata) -> None:
    """Raise ``DataError`` unless the manifest describes this sensitive table of Anatomy."""
    if manifest.sensitive_table not in (None, sensitive_table.content_digest()):
        raise DataError(
            "the sensitive table is not the one that the manifest was written for, or was changed: "
            f"{_SAME_RELEASE}"
        )
    _require_groups(sensitive_table, manifest.domains)


def _require_groups(sensitive_table: Microdata, domains: Mapping[str, Sequence[str]]) -> None:
    """Raise ``DataError`` unless each row has a group, a value of the domain, and the count 1."""
    [(column, domain)] = domains.items()
    if set(sensitive_table.columns) != {GROUP, column, COUNT}:
        raise DataError(
            f"the columns of the sensitive table are not {GROUP}, {column} and {COUNT}, but "
            f"{', '.join(sensitive_table.columns)}: {_SAME_RELEASE}"
        )
    if set(sensitive_table.cells(COUNT)) != {"1"}:
        raise DataError(f"the sensitive table has a {COUNT} that is not 1: {_SAME_RELEASE}")
    for value in dict.fromkeys(sensitive_table.cells(column)):
        if value not in domain:
            raise DataError(f"the sensitive table holds {value!r}, which the domain lacks: {_SAME_RELEASE}")


def groups_of_release(release: PublishedTwoTables) -> TwoTables:
    """Return both tables of a release as codes, records in the order of the quasi-identifier table.

    Raises
    ------
    DataError
        If a group does not have gamma records and gamma distinct values of the domain.
    """
    assert isinstance(release.mechanism, Anatomy)
    gamma, [(column, domain)] = int(release.mechanism.gamma), release.domains.items()
    sensitive = release.sensitive_table
    _require_groups(sensitive, release.domains)
    names, places = {}, {value: place for place, value in enumerate(domain)}
    values: list[list[int]] = []
    for group, value in zip(sensitive.cells(GROUP), sensitive.cells(column), strict=True):
        if group not in names:
            names[group] = len(values)
            values.append([])
        values[names[group]].append(places[value])
    cells = release.table.cells(GROUP)
    groups = np.array([names.get(cell, -1) for cell in cells], dtype=np.int64)
    if (groups < 0).any():
        odd = cells[int(np.argmin(groups))]
        raise DataError(
            f"a record is in the group {odd!r}, which has no row in the sensitive table: {_SAME_RELEASE}"
        )
    sizes = np.bincount(groups, minlength=len(values)).tolist()
    for group, place in names.items():
        if not sizes[place] == len(values[place]) == len(set(values[place])) == gamma:
            raise DataError(
                f"the group {group!r} has {sizes[place]} records and {len(set(values[place]))} different "
                f"values in {len(values[place])} rows, and not {gamma} of each: {_SAME_RELEASE}"
            )
    none = np.array([], dtype=np.int64)
    rows = np.arange(len(groups), dtype=np.int64)
    return TwoTables(rows, groups, np.sort(np.array(values, dtype=np.int64), axis=1), none, len(domain))
