"""The report's files: index.html, report.json, junit.xml."""

from __future__ import annotations

import json
import os
from pathlib import Path

from splu_ref.files import refuse_existing, write_whole
from splu_ref.model import InputError
from splu_ref.report.html import html
from splu_ref.report.junit import junit
from splu_ref.report.model import VerificationReport

FILES = ("index.html", "report.json", "junit.xml")


def write_report(
    report: VerificationReport, folder: str | os.PathLike[str], force: bool = True
) -> list[Path]:
    """Write the report into ``folder``, which is created if it does not exist.

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
        If a file exists and ``force`` is false, or if the folder cannot be written.
    """
    prepare_folder(folder, force=force)
    content = {
        "index.html": html(report),
        "report.json": json.dumps(report.to_json(), ensure_ascii=False, indent=2).encode() + b"\n",
        "junit.xml": junit(report),
    }
    written = []
    for name, data in content.items():
        path = Path(folder) / name
        write_whole(path, data, force=force)
        written.append(path)
    return written


def prepare_folder(folder: str | os.PathLike[str], *, force: bool = True) -> None:
    """Create ``folder`` and raise unless the report may be written there; for use before a long run.

    Raises
    ------
    InputError
        As `write_report`.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"{path}: the report's folder cannot be made: {reason}: choose another one"
        ) from error
    for name in FILES:
        refuse_existing(path / name, force=force)
