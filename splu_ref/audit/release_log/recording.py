"""Recording a release, and warnings about columns that were published before with other draws."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from splu_ref.audit.averaging import ALPHA, repeated_privacy
from splu_ref.audit.release_log.entries import LogEntry, ReleaseLog, read_log, real_place
from splu_ref.channels import GroupDraws, InputError, ParameterError, PublishedCount
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


def warnings(log: ReleaseLog, entry: LogEntry) -> Iterator[str]:
    """Yield a warning for each sensitive column that earlier releases contain.

    Releases are compared by the true counts of a column, before and after it was recoded, so that a table
    with fewer columns or renamed ones is recognized too, and so is the same secret in other bins; a changed
    table is recognized by the key that both were published under. Under one key, different releases are
    independent, as with fresh draws. A release that repeats an earlier one row by row reveals nothing more
    and gives no warning; nor does a batch for what it joins: its records are others.

    Parameters
    ----------
    log
        The earlier releases.
    entry
        The new one.
    """
    parts = log.joined_by(entry)
    if entry.appended_to is not None and not parts:
        yield (
            "the log does not contain the release that the batch joins, so it cannot detect records that are "
            "published twice"
        )
    if _repeats(log, entry):
        return
    for column in entry.counts:
        others = [
            earlier
            for earlier in log.entries
            if earlier not in parts
            and (
                _same_secret(earlier, entry, column)
                or (_same_key(earlier, entry) and _same_names(earlier, entry, column))
            )
        ]
        if others:
            yield _about(log, column, entry, others)


def _repeats(log: ReleaseLog, entry: LogEntry) -> bool:
    return any(earlier.published == entry.published for earlier in log.entries)


def _same_key(earlier: LogEntry, entry: LogEntry) -> bool:
    return entry.key is not None and earlier.key == entry.key


def _same_secret(earlier: LogEntry, entry: LogEntry, column: str) -> bool:
    """Return whether an earlier release has a column with these counts, or recoded from the same one."""
    if entry.counts[column] in earlier.counts.values():
        return True
    secrets = set(entry.made_of(column).values())
    return any(secrets & set(earlier.made_of(other).values()) for other in earlier.counts)


def _same_names(earlier: LogEntry, entry: LogEntry, column: str) -> bool:
    names = {column, *entry.made_of(column)}
    return any(names & {other, *earlier.made_of(other)} for other in earlier.counts)


def _laws(earlier: LogEntry, entry: LogEntry, column: str) -> set[PublishedCount]:
    """Return the laws of the columns of an earlier release that have these counts, or else this name."""
    counted = [other for other, counts in earlier.counts.items() if counts == entry.counts[column]]
    named = [other for other in earlier.counts if column in (other, *earlier.made_of(other))]
    return {earlier.law(other) for other in counted or named}


def _times(log: ReleaseLog, entries: Sequence[LogEntry]) -> int:
    """Return how many of these releases may hold one record; that of a batch is in none that it joins.

    Releases without common records count once: their counts add up to that of one release, claim splu.BATc.
    """
    without_common: list[list[LogEntry]] = []
    for entry in {entry.published: entry for entry in reversed(entries)}.values():
        for others in without_common:
            if all(entry in log.joined_by(later) for later in others):
                others.append(entry)
                break
        else:
            without_common.append([entry])
    return len(without_common)


def _has(entries: Sequence[LogEntry]) -> str:
    return "has" if len(entries) == 1 else "have"


def _about(log: ReleaseLog, column: str, entry: LogEntry, others: list[LogEntry]) -> str:
    warning = f"column {column!r} was published before with other draws ({_listed(others)})"
    changed = [earlier for earlier in others if not _same_secret(earlier, entry, column)]
    if changed:
        warning += f"; {_listed(changed)} of another table under the same key, which may share records"
    shared = [earlier for earlier in others if earlier not in changed]
    recoded = [earlier for earlier in shared if entry.counts[column] not in earlier.counts.values()]
    if recoded:
        warning += f"; {_listed(recoded)} {_has(recoded)} another recoding of the column, which no T_P covers"
    law, free = entry.law(column), _as_independent(entry.draws)
    alike = [each for each in others if each not in recoded and _laws(each, entry, column) == {law}]
    same = [each for each in alike if free and _as_independent(each.draws)]
    unlike = [earlier for earlier in others if earlier not in recoded and earlier not in same]
    if unlike:
        drawn = any(earlier in alike for earlier in unlike)
        what = "gamma, retention or law of draws" if drawn else "gamma or retention"
        warning += f"; {_listed(unlike)} {_has(unlike)} another {what}, which no T_P covers"
    if same:
        releases = 1 + _times(log, same)
        try:
            warning += f"; {repeated_privacy(law, releases)}"
        except ParameterError:
            warning += f"; T_P of {releases} releases takes too long: see splu-ref privacy --releases"
    again = "" if entry.key else ", and repeat a release with a key (--key-file)"
    return f"{warning}; publish new records as a batch (--append){again}"


def _as_independent(draws: GroupDraws) -> bool:
    """Return whether counts up to alpha have the law that they have under independent draws."""
    return draws.bound is None or (draws.name == "capped" and draws.bound >= ALPHA)


def _listed(entries: list[LogEntry]) -> str:
    numbers = ", ".join(str(entry.release) for entry in entries)
    return f"release{'s' if len(entries) > 1 else ''} {numbers} of the log"
