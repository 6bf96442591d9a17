"""A release log: its entries, their keyed fingerprints, and its file.

Fingerprints disclose nothing without the key. All are HMAC-SHA-256 in hexadecimal digits. Texts are in UTF-8
prefixed by their length in bytes, numbers and lengths in 8 bytes, big-endian. The message begins with its
purpose. A damaged log is refused, because a lost entry costs privacy.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import shlex
import stat
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from splu_ref.channels import DataError, GroupDraws, InputError, PublishedCount
from splu_ref.data import (
    Microdata,
    open_regular,
    refuse_existing,
    remove_abandoned,
    sources,
    text,
    with_missing_as_text,
)
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
    # table, published: fingerprints of the original, with its published columns alone, and of its published
    # rows; for a batch, of its rows alone
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
        published = publication.table if batch is None else batch.batch
        made_of = {column: sources(table.recoded, column) for column in publication.sensitive}
        original = with_missing_as_text(
            table.unrecoded, [name for names in made_of.values() for name in names]
        )
        return LogEntry(
            release=len(self.entries) + 1,
            time=moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            manifest=json.loads(publication.manifest.to_json()),
            table=table_fingerprint(self.key, table.select(published.columns)),
            published=table_fingerprint(self.key, published),
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
        """Return the earlier releases that are parts of the table that a batch joins, the latest first.

        A release that was repeated row by row is a part each time.
        """
        parts = {entry.appended_to}
        for earlier in reversed(self.entries):
            if (earlier.joined or earlier.published) in parts:
                parts.add(earlier.appended_to)
        return [each for each in reversed(self.entries) if (each.joined or each.published) in parts]


def table_fingerprint(key: Key, table: Microdata) -> str:
    """Return the fingerprint of a table's columns and its rows, independent of the order of rows.

    The message is the number of columns, their names, and the rows' identities (as for keyed publishing,
    from all cells), each with its length before it, in ascending order.
    """
    parts = [_number(len(table.columns)), *(_framed(column.encode()) for column in table.columns)]
    return _fingerprint(key, b"splu-ref/log/table/1", [*parts, *map(_framed, sorted(table.identities()))])


def counts_fingerprint(key: Key, table: Microdata, column: str) -> str:
    """Return the fingerprint of the frequencies of a column's values, independent of the column's name.

    The message is, for each value that occurs in the order of the domain, its text and its number of records:
    so it does not depend on a declared domain.
    """
    counted = zip(table.domain(column), table.histogram(column).tolist(), strict=True)
    parts = [_framed(text(value).encode()) + _number(count) for value, count in counted if count]
    return _fingerprint(key, b"splu-ref/log/counts/1", parts)


def secret_fingerprint(key: Key, secret: Key) -> str:
    """Return the fingerprint of a publishing key."""
    return _fingerprint(key, b"splu-ref/log/key/1", [secret.secret])


def _fingerprint(key: Key, purpose: bytes, parts: Iterable[bytes]) -> str:
    code = hmac.new(key.secret, purpose, hashlib.sha256)
    for part in parts:
        code.update(part)
    return code.hexdigest()


def _framed(content: bytes) -> bytes:
    return _number(len(content)) + content


def _number(value: int) -> bytes:
    return value.to_bytes(8, "big")


_DIGEST = re.compile("[0-9a-f]{64}")


def read_log(path: Path) -> ReleaseLog:
    """Read a log, or return an empty one with a new key if there is no such file.

    A symbolic link is followed.

    Raises
    ------
    DataError
        If the file is damaged; the message names the line.
    InputError
        If it cannot be read, has a second name, or (on POSIX systems) is open to its group or to others.
    """
    path = real_place(path)
    refuse_existing(path, force=True)  # refuses folders and endless devices
    remove_abandoned(path.parent)  # a killed program may have left a second name of the log
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            content = file.read()
    except FileNotFoundError:
        return ReleaseLog(Key.generate(), ())
    except OSError as error:
        raise InputError(f"release log {path}: {error.strerror}: name another file") from None
    if status.st_nlink > 1:
        raise InputError(
            f"release log {path} has {status.st_nlink} names (hard links), and a release would be recorded "
            "under one of them only: delete the others"
        )
    if os.name == "posix" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(f"release log {path} is open to other users: run chmod 600 {shlex.quote(str(path))}")
    lines = content.split(b"\n")
    if lines.pop() or not lines:
        raise _damaged(path, len(lines) + 1, "the last line is incomplete")
    header = _object(path, 1, lines[0])
    if header.get("schema") not in (SCHEMA, *OLDER):
        raise _damaged(path, 1, f"no release log of schema {' or '.join((SCHEMA, *OLDER))}")
    secret = header.get("fingerprint_key")
    if len(header) != 2 or not _is_digest(secret):
        raise _damaged(path, 1, "no key of fingerprints")
    entries = [_entry(path, number, _object(path, number, line)) for number, line in enumerate(lines[1:], 2)]
    return ReleaseLog(Key(bytes.fromhex(secret)), tuple(entries))


def real_place(path: Path) -> Path:
    """Return the path of a log with symbolic links resolved."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _entry(path: Path, number: int, fields: dict[str, Any]) -> LogEntry:
    try:
        retention = fields["manifest"]["retention"]
        retentions = retention.values() if isinstance(retention, dict) else [retention]
        texts = [fields["time"], fields["randomness"], *retentions]
        entry = LogEntry(**fields)
        json.dumps(asdict(entry), ensure_ascii=False).encode()  # refuse what cannot be written again
        sound = (
            entry.release == number - 1
            and all(isinstance(text, str) for text in texts)
            and bool(entry.draws.name)  # raises for an invalid law of draws
            and bool(entry.counts)
            and all(entry.law(column).retention > 0 for column in entry.counts)  # raises out of range
            and all(map(_is_digest, (entry.table, entry.published, *entry.counts.values())))
            and all(each is None or _is_digest(each) for each in (entry.key, entry.appended_to, entry.joined))
            and set(entry.secrets) in (set(), set(entry.counts))
            and all(named and all(map(_is_digest, named.values())) for named in entry.secrets.values())
            and (entry.appended_to is None) == (entry.joined is None)
        )
    except (TypeError, KeyError, AttributeError, ValueError, RecursionError):
        sound = False
    if not sound:
        raise _damaged(path, number, "no entry of a release, or not the next one")
    return entry


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _damaged(path, number, "no JSON") from None
    if not isinstance(found, dict):
        raise _damaged(path, number, "no JSON object")
    return found


def _is_digest(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _damaged(path: Path, number: int, reason: str) -> DataError:
    return DataError(
        f"release log {path}, line {number}: {reason}: restore the file from a copy; "
        "a new log would not contain earlier releases"
    )
