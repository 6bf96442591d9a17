"""What a new release adds to earlier ones: refused under a key that has been used, else a warning."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.audit.release_log.entries import LogEntry, ReleaseLog
from splu_ref.audit.repeated import repeated_privacy
from splu_ref.model import InputError, ParameterError

COST_OF_A_KEY = (
    "a key is for one table that does not change and one set of parameters: three releases of the Adult "
    "table under one key, a row less each time, show of 0.67 to 0.79 of the records that no published value "
    "is their own; each of the others keeps a value, its own with probability 0.61 to 0.94 (0.20 in one "
    "release)"
)
"""What `benchmarks/repeated_keys.py` measures, in a sentence."""


def refuse_reused_key(log: ReleaseLog, entry: LogEntry) -> None:
    """Raise if a release uses the key of an earlier one and does not repeat an earlier one row by row.

    Records keep their draws under a key, so that two different releases under it compare them.

    Raises
    ------
    InputError
        The message says whether the table or the parameters are others than before.
    """
    kin = _kin(log, entry)
    if kin:
        raise InputError(
            f"the key of --key-file was used before for {_other(entry, kin)} ({_listed(kin)}), and releases "
            "that differ under one key give records away: give this release a new key, or insist with "
            "--force"
        )


def warnings(log: ReleaseLog, entry: LogEntry) -> Iterator[str]:
    """Yield what a new release adds to earlier ones: a sentence for its key and one per sensitive column.

    Without a common key, releases are compared by the true counts of a column, so that a table with fewer
    columns or renamed ones is recognized too; a changed table is not. A release that repeats an earlier one
    row by row, as under the same key, reveals nothing more and gives no warning.

    Parameters
    ----------
    log
        The earlier releases.
    entry
        The new one.
    """
    if _repeats(log, entry):
        return
    kin = _kin(log, entry)
    if kin:
        yield f"the key was used before for {_other(entry, kin)} ({_listed(kin)}), which no T_P covers"
    for column, counts in entry.counts.items():
        fresh = [
            earlier for earlier in log.entries if counts in earlier.counts.values() and earlier not in kin
        ]
        if fresh:
            yield _about_fresh(column, entry, fresh)


def _repeats(log: ReleaseLog, entry: LogEntry) -> bool:
    return any(earlier.published == entry.published for earlier in log.entries)


def _kin(log: ReleaseLog, entry: LogEntry) -> list[LogEntry]:
    """Return the earlier releases under the key of a new one, unless it repeats an earlier one."""
    if entry.key is None or _repeats(log, entry):
        return []
    return [earlier for earlier in log.entries if earlier.key == entry.key]


def _other(entry: LogEntry, kin: list[LogEntry]) -> str:
    """Return what distinguishes a release from the others under its key."""
    if all(earlier.table != entry.table for earlier in kin):
        return "another table"
    alike = {earlier.law for earlier in kin if earlier.table == entry.table}
    if entry.law not in alike:
        return "another gamma or retention"
    return "another plan, sensitive column or --id"


def _about_fresh(column: str, entry: LogEntry, fresh: list[LogEntry]) -> str:
    said = f"column {column!r} was published before with other draws ({_listed(fresh)})"
    same = [earlier for earlier in fresh if earlier.law == entry.law]
    if len(same) < len(fresh):
        others = [earlier for earlier in fresh if earlier not in same]
        said += f"; {_listed(others)} with another gamma or retention, which no T_P covers"
    if same:
        releases = 1 + len({earlier.key or earlier.published for earlier in same})
        try:
            said += f"; {repeated_privacy(entry.law, releases)}"
        except ParameterError:
            said += f"; T_P of {releases} releases is too large a sum: see splu-ref privacy --releases"
    return f"{said}; keep one key for a table that does not change (--key-file)"


def _listed(entries: list[LogEntry]) -> str:
    numbers = ", ".join(str(entry.release) for entry in entries)
    return f"release{'s' if len(entries) > 1 else ''} {numbers} of the log"
