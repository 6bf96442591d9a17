"""A publisher's secret log of releases, to detect that a table is published again with other draws."""

from splu_ref.audit.release_log.entries import SCHEMA, LogEntry, ReleaseLog, read_log
from splu_ref.audit.release_log.recording import warnings, write_logged

__all__ = ["SCHEMA", "LogEntry", "ReleaseLog", "read_log", "warnings", "write_logged"]
