"""A comparison of mechanisms as a folder: one page that needs nothing else, and the numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path

from experiments.comparison.comparison import ATTACKS, GUARANTEES, Comparison
from splu_ref import SPECIFICATION, __version__
from splu_ref.audit.attacks.outcome import FEWEST
from splu_ref.data.folders import check_folder, write_folder
from splu_ref.report.html import page

FILES = ("index.html", "comparison.json")


def comparison_html(done: Comparison) -> bytes:
    """Return both tables as a self-contained HTML document in UTF-8; every text in it is escaped."""
    return page(
        "comparison.html.j2",
        package="experiments.comparison",
        done=done,
        tables=(
            ("attacks", "What attacks achieve", ATTACKS, done.attacks),
            ("guarantees", "What is guaranteed", GUARANTEES, done.guarantees),
        ),
        fewest=FEWEST,
        version=__version__,
        specification=SPECIFICATION,
    )


def write_comparison(done: Comparison, folder: str | os.PathLike[str], *, force: bool) -> list[Path]:
    """Write the page and the numbers, all or none.

    Raises
    ------
    InputError
        As `splu_ref.data.folders.write_folder`.
    """
    numbers = json.dumps(done.to_json(), ensure_ascii=False, indent=2).encode() + b"\n"
    contents = dict(zip(FILES, (comparison_html(done), numbers), strict=True))
    return write_folder(folder, contents, force=force)


def check_comparison_folder(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Raise unless the files may be written into the folder; for use before a long run.

    Raises
    ------
    InputError
        As `write_comparison`.
    """
    check_folder(folder, FILES, force=force)
