"""Writing a release together with its entry in the log."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from splu_ref.audit.release_log.entries import LogEntry, ReleaseLog
from splu_ref.audit.release_log.reading import read_log, real_place
from splu_ref.channels import InputError
from splu_ref.data import LOCKS, Microdata, lock, uninterrupted, write_all
from splu_ref.mechanisms import Release
from splu_ref.randomness import Key

_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


def write_logged(
    path: Path,
    table: Microdata,
    publication: Release,
    key: Key | None,
    moment: datetime,
    outputs: Sequence[tuple[Path, bytes]],
    *,
    force: bool = False,
    private: Path | None = None,
) -> tuple[ReleaseLog, LogEntry]:
    """Write the files of a release and its entry in a log, all or none; the entry is written first.

    So no release is without an entry, even if the program is killed. An entry without a release is possible
    if the program is killed between the two; it counts as a release.

    Parameters
    ----------
    path
        The log; it is created if it does not exist, readable by its owner alone. A symbolic link is followed,
        so that the lock and the entries are those of the file that it leads to.
    table, publication
        The original and its release.
    key
        The publishing key, or None.
    moment
        The time of the release.
    outputs, force, private
        As for `splu_ref.data.write_all`.

    Returns
    -------
    tuple
        The log before, and the new entry.

    Raises
    ------
    InputError
        If the log is damaged, locked, open to others, or cannot be written; if a batch is a part of the
        release already; or as `splu_ref.data.write_all`.
    """
    path = real_place(path)
    with locked(path):
        before = read_log(path)
        entry = before.entry(table, publication, key, moment)
        _refuse_published(before, entry)
        after = ReleaseLog(before.key, (*before.entries, entry))
        write_all(outputs, force=force, private=private, record=(path, after.to_bytes()))
    return before, entry


def _refuse_published(log: ReleaseLog, entry: LogEntry) -> None:
    for part in log.joined_by(entry):
        if part.table == entry.table:
            raise InputError(
                f"the batch is already a part of the release (release {part.release} of the log): append "
                "only new records, because no record may be published twice"
            )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a log against other programs; the lock ends with this program at the latest.

    The locked file is beside the log and is removed at the end; a remaining file without a lock has no
    effect. On systems without such locks, as Windows, the existence of the file is the lock.
    """
    place = path.with_name(path.name + ".lock")
    remedy = "wait" if LOCKS else f"wait, or delete {place} if no other program runs"
    with uninterrupted():
        try:
            descriptor = os.open(place, _OPEN | (0 if LOCKS else os.O_EXCL), 0o600)
            try:
                if LOCKS:
                    lock(descriptor)
                    if not os.path.samestat(os.fstat(descriptor), place.lstat()):
                        raise BlockingIOError
            except BaseException:
                os.close(descriptor)
                raise
        except (FileExistsError, BlockingIOError):
            raise InputError(f"release log {path} is in use by another program: {remedy}") from None
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            raise InputError(f"release log {path} cannot be locked: {reason}: choose another place") from None
    try:
        yield
    finally:
        with uninterrupted(), suppress(OSError):
            if LOCKS:  # as long as it is locked, it is this program's
                place.unlink(missing_ok=True)
            os.close(descriptor)
            if not LOCKS:  # an open file cannot be removed on Windows
                place.unlink(missing_ok=True)
