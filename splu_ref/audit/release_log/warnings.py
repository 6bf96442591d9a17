"""Warnings when a table is published again with fresh draws."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.audit.release_log.entries import LogEntry, ReleaseLog
from splu_ref.audit.repeated import repeated_privacy
from splu_ref.model import ParameterError


def warnings(log: ReleaseLog, entry: LogEntry) -> Iterator[str]:
    """Yield what a new release adds to earlier ones of the same table, a sentence per sensitive column.

    Releases are compared by the true counts of a column, so that a table with fewer columns or renamed ones
    is recognized too. A release that repeats an earlier one row by row, as under the same key, reveals
    nothing more and gives no warning. A changed table is not recognized.

    Parameters
    ----------
    log
        The earlier releases.
    entry
        The new one.
    """
    if any(earlier.published == entry.published for earlier in log.entries):
        return
    for column, counts in entry.counts.items():
        alike = [earlier for earlier in log.entries if counts in earlier.counts.values()]
        kin = [earlier for earlier in alike if earlier.key is not None and earlier.key == entry.key]
        if kin:
            yield (
                f"column {column!r} was published before under the same key, but not alike ({_listed(kin)}): "
                "the table, gamma, retention, plan or --id changed, and no T_P is known for the two together"
            )
        fresh = [earlier for earlier in alike if earlier not in kin]
        if fresh:
            yield _about_fresh(column, entry, fresh)


def _about_fresh(column: str, entry: LogEntry, fresh: list[LogEntry]) -> str:
    said = f"column {column!r} was published before with other draws ({_listed(fresh)})"
    same = [
        earlier for earlier in fresh if (earlier.gamma, earlier.retention) == (entry.gamma, entry.retention)
    ]
    if len(same) < len(fresh):
        others = [earlier for earlier in fresh if earlier not in same]
        said += f"; {_listed(others)} with another gamma or retention, which no T_P covers"
    if same:
        releases = 1 + len({earlier.key or earlier.published for earlier in same})
        try:
            said += f"; {repeated_privacy(entry.gamma, releases, entry.retention)}"
        except ParameterError:
            said += f"; T_P of {releases} releases is too large a sum: see splu-ref privacy --releases"
    return f"{said}; publish with one key instead (--key-file)"


def _listed(entries: list[LogEntry]) -> str:
    numbers = ", ".join(str(entry.release) for entry in entries)
    return f"release{'s' if len(entries) > 1 else ''} {numbers} of the log"
