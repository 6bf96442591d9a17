"""Entries of the publisher's release log, and its file format.

The first line has the schema and the key of the fingerprints, every other line one release. An entry records
which table was published when, with which draws. The log is as secret as the original: with it a guess of a
whole table can be tested.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from splu_ref.audit.release_log.fingerprints import counts_fingerprint, secret_fingerprint, table_fingerprint
from splu_ref.channels import GroupDraws, PublishedCount
from splu_ref.data import Microdata, sources, with_missing_as_text
from splu_ref.mechanisms import JoinedRelease, Release
from splu_ref.randomness import Key

SCHEMA = "splu-ref/release-log/3"
"""The schema of written logs."""
OLDER = ("splu-ref/release-log/2", "splu-ref/release-log/1")
"""Older schemas that can be read: neither has ``secrets``, and version 1 has no batches."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One release."""

    release: int  # its number in the log, from 1
    time: str  # time of the release in UTC, such as ``2024-02-29T12:00:00Z``
    manifest: Mapping[str, Any]  # its public manifest
    # table, published: fingerprints of the original and of its published rows; for a batch, of its rows alone
    table: str
    published: str
    counts: Mapping[str, str]  # fingerprint of each sensitive column's true counts, after recoding
    randomness: str  # name of the source of random integers
    key: str | None  # fingerprint of the publishing key, or None
    # appended_to, joined: for a batch, fingerprints of the published table that it joined, and of both
    # together; otherwise None
    appended_to: str | None = None
    joined: str | None = None
    # by sensitive column, the columns of the original that it was recoded from, each with the fingerprint of
    # its true counts; empty in older logs
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def made_of(self, column: str) -> Mapping[str, str]:
        """Return the fingerprints of the original columns of a sensitive one, by name."""
        return self.secrets.get(column) or {column: self.counts[column]}

    def law(self, column: str) -> PublishedCount:
        """Return the law of a column's published counts: gamma and the retention probability."""
        gamma, retention = self.manifest["gamma"], self.manifest["retention"]
        if isinstance(gamma, dict):
            gamma, retention = gamma[column], retention[column]
        return PublishedCount.of(gamma, retention)

    @property
    def draws(self) -> GroupDraws:
        """The law of the draws of a group."""
        return GroupDraws.parse(self.manifest.get("draws", "independent"))


@dataclass(frozen=True, slots=True)
class ReleaseLog:
    """The content of a log."""

    key: Key  # the key of its fingerprints
    entries: tuple[LogEntry, ...]  # the releases, oldest first

    def to_bytes(self) -> bytes:
        """Return the file's content."""
        header = {"schema": SCHEMA, "fingerprint_key": self.key.secret.hex()}
        lines = [header, *map(asdict, self.entries)]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()

    def entry(self, table: Microdata, publication: Release, key: Key | None, moment: datetime) -> LogEntry:
        """Return the entry of a release that is about to be made."""
        batch = publication if isinstance(publication, JoinedRelease) else None
        made_of = {column: sources(table.recoded, column) for column in publication.sensitive}
        original = with_missing_as_text(
            table.unrecoded, [name for names in made_of.values() for name in names]
        )
        return LogEntry(
            release=len(self.entries) + 1,
            time=moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            manifest=json.loads(publication.manifest.to_json()),
            table=table_fingerprint(self.key, table),
            published=table_fingerprint(self.key, publication.table if batch is None else batch.batch),
            counts={column: counts_fingerprint(self.key, table, column) for column in publication.sensitive},
            randomness=publication.randomness,
            key=None if key is None else secret_fingerprint(self.key, key),
            appended_to=None if batch is None else table_fingerprint(self.key, batch.earlier),
            joined=None if batch is None else table_fingerprint(self.key, batch.table),
            secrets={
                column: {name: counts_fingerprint(self.key, original, name) for name in names}
                for column, names in made_of.items()
            },
        )

    def joined_by(self, entry: LogEntry) -> list[LogEntry]:
        """Return the earlier releases that are parts of the table that a batch joins, the latest first."""
        parts: list[LogEntry] = []
        sought = entry.appended_to
        for earlier in reversed(self.entries):
            if sought is not None and sought == (earlier.joined or earlier.published):
                parts.append(earlier)
                sought = earlier.appended_to
        return parts
