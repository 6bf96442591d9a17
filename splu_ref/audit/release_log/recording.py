"""Adding a release to a log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from splu_ref.audit.release_log.entries import LogEntry, ReleaseLog
from splu_ref.audit.release_log.reading import read_log, real_place
from splu_ref.files import opened, write_whole
from splu_ref.mechanisms import Release
from splu_ref.microdata import Microdata
from splu_ref.model import InputError
from splu_ref.randomness import Key


@contextmanager
def logged(
    path: Path,
    table: Microdata,
    publication: Release,
    key: Key | None,
    moment: datetime,
) -> Iterator[tuple[ReleaseLog, LogEntry]]:
    """Add a release to a log, for as long as the release is then written without error.

    The log is written whole before the block runs, so that no release goes without an entry, and put back as
    it was if the block raises. A lock file keeps other programs from adding to it in the meantime.

    Parameters
    ----------
    path
        The log; it is created if it does not exist, readable by its owner alone. A symbolic link is followed,
        so that the lock and the entries are those of the file that it leads to.
    table, publication
        The original, and what is about to be published.
    key
        The key that it was published with, or None.
    moment
        The time of the release.

    Yields
    ------
    tuple
        The log as it was, and the new entry.

    Raises
    ------
    InputError
        If the log is damaged, locked, open to others, or cannot be written; or if a batch is a part of the
        release already.
    """
    path = real_place(path)
    with _locked(path):
        before = read_log(path)
        content = _content(path)
        entry = before.entry(table, publication, key, moment)
        _refuse_published(before, entry)
        after = ReleaseLog(before.key, (*before.entries, entry))
        write_whole(path, after.to_bytes(), force=True, mode=0o600)
        try:
            yield before, entry
        except BaseException:
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write_whole(path, content, force=True, mode=0o600)
            raise


def _refuse_published(log: ReleaseLog, entry: LogEntry) -> None:
    for part in log.joined_by(entry):
        if part.table == entry.table:
            raise InputError(
                f"the batch is a part of the release already (release {part.release} of the log): append new "
                "records alone, because no record may be published twice"
            )


def _content(path: Path) -> bytes | None:
    """Return the bytes of the log, None if there is none yet."""
    try:
        with opened(path) as file:
            return file.read()
    except FileNotFoundError:
        return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(path.name + ".lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise InputError(
            f"release log {path} is in use: wait, or delete {lock} if no other program runs"
        ) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(f"release log {path}: {reason}: choose another place") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
