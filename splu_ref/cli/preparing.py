"""What is done to a table before it is published, by options; and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from splu_ref.audit import ALPHA, Leaks, Roles, require_groups, scan
from splu_ref.channels import DataError, ParameterError
from splu_ref.cli.domains import read_domains
from splu_ref.cli.worth import leak_warnings
from splu_ref.data import Bins, Cross, Hashed, Microdata, Rare, Recoding, prepare_table, read_table
from splu_ref.guarantees import Progress
from splu_ref.mechanisms import PublishedTable, Release
from splu_ref.randomness import Key


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """What the options say of columns before they are published.

    Attributes
    ----------
    steps
        Columns recoded, in this order.
    domains
        By column, what it may hold, as declared.
    drop
        Columns that are not published.
    roles
        What was declared of others.
    sensitive, id_column
        As for publishing.
    """

    steps: tuple[Recoding, ...]
    domains: Mapping[str, tuple[str, ...]]
    drop: tuple[str, ...]
    roles: Roles
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
        domain: Path | None = None,
        id_column: str | None = None,
    ) -> Preparation:
        """Return what the options say.

        Raises
        ------
        ParameterError
            If they contradict each other, or say nothing that can be read.
        """
        if hashed and key_file is None:
            raise ParameterError(
                "--hash needs a secret key, or anybody who guesses a value could tell it: add --key-file"
            )
        secret = Key.read(key_file).secret if hashed and key_file is not None else None
        steps: list[Recoding] = [
            *map(Bins.parse, bins or ()),
            *map(Cross.parse, cross or ()),
            *map(Rare.parse, rare or ()),
            *(Hashed(column, secret) for column in hashed or ()),
        ]
        for step in steps:
            for column in step.parts if isinstance(step, Cross) else ():
                if column in sensitive and column != step.column:
                    raise ParameterError(
                        f"--sensitive {column}: the column becomes a part of {step.column!r}: say "
                        f"--sensitive {step.column}"
                    )
        for column in drop or ():
            if column in sensitive:
                raise ParameterError(f"--drop {column}: the column is sensitive: say one or the other")
        return cls(
            steps=tuple(steps),
            domains={} if domain is None else read_domains(domain),
            drop=tuple(drop or ()),
            roles=Roles(tuple(quasi or ()), tuple(keep or ())),
            sensitive=tuple(sensitive),
            id_column=id_column,
        )

    def joining(self, earlier: PublishedTable | None, key_file: Path | None) -> Preparation:
        """Return the same for a batch, which is recoded as the release was that it joins."""
        if earlier is None:
            return self
        if self.steps:
            raise ParameterError(
                "a batch is recoded as the release was that it joins: leave out --bins, --cross, "
                "--group-rare and --hash"
            )
        told = earlier.manifest.recoded
        if any(isinstance(step, Rare) for step in told):
            raise DataError(
                "the release that the batch joins has rare values grouped, by counts of its own: publish the "
                "batch as a release of its own"
            )
        hidden = any(isinstance(step, Hashed) for step in told)
        secret = Key.read(key_file).secret if hidden and key_file is not None else None
        return replace(
            self, steps=tuple(Hashed(s.column, secret) if isinstance(s, Hashed) else s for s in told)
        )

    def read(self, path: Path, missing: str | None) -> Prepared:
        """Return the table, as it is to be published.

        Raises
        ------
        DataError
            If it cannot be read or recoded.
        """
        unseen = [column for column in self.drop if column != self.id_column]
        original = read_table(path, missing)
        return Prepared(prepare_table(original, self.steps, self.domains, unseen, self.sensitive), self)


@dataclass(frozen=True)
class Prepared:
    """A table that is about to be published, and by which options."""

    table: Microdata
    by: Preparation

    def checked(
        self, *, eligible: bool, strict: bool, above: int = ALPHA, progress: Progress | None = None
    ) -> tuple[Leaks, ...]:
        """Return what the columns that will be published give away.

        Parameters
        ----------
        eligible
            Whether a sensitive column without any feasible gamma is refused here.
        strict
            Whether a column that gives a sensitive one away is refused.
        above, progress
            See `scan`.

        Raises
        ------
        DataError
            If so; the message says what helps.
        """
        for column in self.by.sensitive if eligible else ():
            require_groups(self.table, column)
        published = [name for name in self.table.columns if name not in self.by.drop]
        leaks = scan(self.table.select(published), self.by.sensitive, above, self.by.roles, progress=progress)
        warnings = list(leak_warnings(leaks)) if strict else []
        if warnings:
            more = (
                f" (and {len(warnings) - 1} more, which are notes without --strict)" if warnings[1:] else ""
            )
            raise DataError(f"--strict: {warnings[0]}{more}")
        return leaks

    def told(self, release: Release) -> Release:
        """Return the release without an identity that is not to be published."""
        if self.by.id_column not in self.by.drop:
            return release
        left = [name for name in release.table.columns if name != self.by.id_column]
        return replace(release, table=release.table.select(left))
