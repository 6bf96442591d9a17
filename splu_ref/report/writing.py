"""The report's files: index.html, report.json, junit.xml."""

from __future__ import annotations

import json
import os
from pathlib import Path

from splu_ref.data import check_folder, write_folder
from splu_ref.report.html import html
from splu_ref.report.model import VerificationReport

FILES = ("index.html", "report.json", "junit.xml")


def write_report(report: VerificationReport, folder: str | os.PathLike[str], *, force: bool) -> list[Path]:
    """Write the report into ``folder``, all files or none; it is created if it does not exist.

    Parameters
    ----------
    report
        The run.
    folder
        Where index.html, report.json and junit.xml shall stand.
    force
        Whether files of these names may be replaced.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        As `splu_ref.data.write_folder`.
    """
    content = {
        "index.html": html(report),
        "report.json": json.dumps(report.to_json(), ensure_ascii=False, indent=2).encode() + b"\n",
        "junit.xml": report.to_junit(),
    }
    return write_folder(folder, content, force=force)


def check_report_folder(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Raise unless the report may be written into ``folder``; for use before a long run.

    Raises
    ------
    InputError
        As `write_report`.
    """
    check_folder(folder, FILES, force=force)
