"""Reading a release log; a damaged one is refused, because a lost entry costs privacy."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeGuard

from splu_ref.audit.release_log.entries import OLDER, SCHEMA, LogEntry, ReleaseLog
from splu_ref.channels import DataError, InputError
from splu_ref.data import open_regular, refuse_existing, remove_abandoned
from splu_ref.randomness import Key

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
