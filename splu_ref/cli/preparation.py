"""Preparation of a table for publication: recoding, dropped columns, and the scan for disclosure risks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from splu_ref.audit import ALPHA, Leaks, Roles, refuse_disclosure, require_groups, scan
from splu_ref.channels import DataError, ParameterError
from splu_ref.cli.assessment import refuse_warnings
from splu_ref.data import (
    OWN_SALT,
    Bins,
    Cross,
    Dropped,
    Hashed,
    Microdata,
    Rare,
    Recoding,
    prepare_table,
    read_table,
    require_new_text,
)
from splu_ref.guarantees import Progress
from splu_ref.mechanisms import JoinedRelease, PublishedTable, Release
from splu_ref.randomness import Key


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """Options for the columns of a table that is to be published."""

    steps: tuple[Recoding, ...]  # recoding steps, in order
    domains: Mapping[str, tuple[str, ...]]  # by column its declared domain
    drop: tuple[str, ...]  # columns that are not published
    roles: Roles  # declared quasi-identifiers and accepted columns
    # sensitive, id_column: as for publishing
    sensitive: tuple[str, ...]
    id_column: str | None

    @classmethod
    def of(
        cls,
        *,
        sensitive: Sequence[str],
        bins: Sequence[str] | None,
        cross: Sequence[str] | None,
        rare: Sequence[str] | None,
        drop: Sequence[str] | None,
        quasi: Sequence[str] | None,
        keep: Sequence[str] | None,
        hashed: Sequence[str] | None = None,
        key_file: Path | None = None,
        linkage: str | None = None,
        domains: Mapping[str, tuple[str, ...]] | None = None,
        id_column: str | None = None,
    ) -> Preparation:
        """Return the preparation that the options describe."""
        if hashed and key_file is None:
            raise ParameterError(
                "--hash needs a secret key, or anybody could check a guessed value: add --key-file"
            )
        if linkage is not None and not (hashed and linkage):
            raise ParameterError(
                "--linkage names releases whose hashes agree: add --hash COLUMN, or leave it out"
            )
        secret = Key.read(key_file).secret if hashed and key_file is not None else None
        steps: list[Recoding] = [
            *map(Bins.parse, bins or ()),
            *map(Cross.parse, cross or ()),
            *map(Rare.parse, rare or ()),
            *(Hashed(column, secret, linkage or OWN_SALT) for column in hashed or ()),
            *(Dropped(column) for column in drop or () if column != id_column),
        ]
        for step in steps:
            for column in step.parts if isinstance(step, Cross) else ():
                if column in sensitive and column != step.column:
                    raise ParameterError(
                        f"--sensitive {column}: the column becomes a part of {step.column!r}: give "
                        f"--sensitive {shlex.quote(step.column)}"
                    )
        for column in drop or ():
            if column in sensitive:
                raise ParameterError(f"--drop {column}: the column is sensitive: give one of the two options")
            if any(step.column == column for step in steps if not isinstance(step, Dropped)):
                raise ParameterError(
                    f"--drop {column}: the column is also recoded: give one of the two options"
                )
        return cls(
            steps=tuple(steps),
            domains=domains or {},
            drop=tuple(drop or ()),
            roles=Roles(tuple(quasi or ()), tuple(keep or ())),
            sensitive=tuple(sensitive),
            id_column=id_column,
        )

    def joining(self, earlier: PublishedTable | None, key_file: Path | None) -> Preparation:
        """Return the preparation of a batch: the recoding of the release that it joins.

        A column of ids that the release dropped is dropped after it named the records of the batch too.
        """
        if earlier is None:
            return self
        steps = earlier.manifest.recoded
        if any(isinstance(step, Rare) for step in steps):
            raise DataError(
                "no batch can join a release with --group-rare, which groups values by its own counts: "
                "publish the batch as a separate release"
            )
        own = [step for step in self.steps if isinstance(step, Dropped)]
        if len(own) < len(self.steps):
            raise ParameterError(
                "a batch is recoded like the release that it joins: leave out --bins, --cross and --hash; "
                "--group-rare is not possible for batches"
            )
        hidden = any(isinstance(step, Hashed) for step in steps)
        secret = Key.read(key_file).secret if hidden and key_file is not None else None
        identity = () if self.id_column is None else (Dropped(self.id_column),)
        if self.id_column in self.drop and not set(identity) & set(steps):
            raise ParameterError(
                f"--drop {self.id_column}: the release that the batch joins has this column: leave out --drop"
            )
        stated = tuple(
            replace(s, secret=secret) if isinstance(s, Hashed) else s for s in steps if s not in identity
        )
        return replace(
            self,
            steps=(*stated, *(step for step in own if step not in stated)),
            drop=(*self.drop, *(step.column for step in identity if step in steps)),
        )

    def read(self, path: Path, missing: str | None) -> PreparedTable:
        """Return the recoded table."""
        return self.applied(read_table(path, missing))

    def applied(self, original: Microdata) -> PreparedTable:
        """Return a table in memory, recoded; errors as in `read`."""
        self._require_new(original)
        prepared = prepare_table(original, self.steps, self.domains, self.sensitive)
        if self.id_column is not None and self.id_column not in prepared.columns:
            original.require(self.id_column)  # which lists columns that are dropped as well
        return PreparedTable(prepared, self)

    def _require_new(self, original: Microdata) -> None:
        """Raise if the text for missing cells is a value of a sensitive column that has missing cells."""
        crossed = [step for step in self.steps if isinstance(step, Cross) and step.column in self.sensitive]
        columns = (*self.sensitive, *(part for step in crossed for part in step.parts))
        for column in columns:
            if column in original.columns:
                require_new_text(column, original.coding(column).values, original.missing)


@dataclass(frozen=True)
class PreparedTable:
    """A table that is about to be published, with its preparation."""

    table: Microdata
    preparation: Preparation

    def disclosure_risks(
        self,
        sensitive: Sequence[str],
        *,
        eligible: bool,
        strict: bool,
        grouped: bool = True,
        above: int = ALPHA,
        progress: Progress | None = None,
    ) -> tuple[Leaks, ...]:
        """Return how far the columns to be published disclose the sensitive ones.

        ``eligible``: refuse columns that identify records or predict a sensitive one, and with ``grouped`` a
        sensitive column without any feasible gamma. ``strict``: refuse what would be a note, too.
        """
        by = self.preparation
        for column in sensitive if eligible and grouped else ():
            require_groups(self.table, column, sensitive)
        published = [name for name in self.table.columns if name not in by.drop]
        leaks = scan(self.table.select(published), sensitive, above, by.roles, progress=progress)
        if eligible:  # a batch has the columns of the release that it joins
            refuse_disclosure(leaks)
        if strict:
            refuse_warnings(leaks, "options" if eligible else "batch")
        return leaks

    def without_identity(self, release: Release) -> Release:
        """Return the release without the column of identities, if that is dropped; a batch is so already."""
        by = self.preparation
        if by.id_column is None or by.id_column not in by.drop or isinstance(release, JoinedRelease):
            return release
        dropped = Dropped(by.id_column)
        return replace(release, table=dropped.apply(release.table), recoded=(*release.recoded, dropped))
