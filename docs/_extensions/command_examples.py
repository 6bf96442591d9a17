"""Run the example of every command, as its help shows it, and keep what it prints.

The examples stand in one folder, one after the other: what ``sanitize`` writes is what ``estimate`` reads.
Two that read nothing run beside them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.errors import ExtensionError

from splu_ref.microdata import embedded_table, write_table

TABLE = "adult.csv"
"""The embedded table under the name that the examples give to the original."""
FILES = Path(__file__).parents[1] / "examples"
"""Files that the examples read and a user would have written."""
MAY_SAY_NO = {"audit", "query-interface"}
"""Commands whose example shows a claim or a defense that does not hold: they end with 1."""
ALONE = {"conform", "verify"}
"""Commands whose examples take long and read no file: they run beside the others."""
LONGEST = 600.0
SHOWN_LINES = 60


def printed(examples: Mapping[str, str]) -> dict[str, str]:
    """Return what the example of each command prints, by the command's name, in the order given.

    Raises
    ------
    ExtensionError
        If an example does not end as its command promises.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_table(embedded_table(), folder / TABLE)
        for path in FILES.iterdir():
            shutil.copy(path, folder)
        alone = ALONE & examples.keys()
        with ThreadPoolExecutor(1) as beside:
            started = {name: beside.submit(_run, name, examples[name], folder) for name in alone}
            shown = {
                name: _run(name, example, folder) for name, example in examples.items() if name not in alone
            }
            shown |= {name: running.result() for name, running in started.items()}
        return {name: shown[name] for name in examples}


def _run(command: str, example: str, folder: Path) -> str:
    environment = os.environ | {
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]),
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    try:
        done = subprocess.run(  # noqa: S603  # the examples are our own
            shlex.split(example),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ExtensionError(f"the example of {command} takes too long: {example}") from None
    if done.returncode not in ({0, 1} if command in MAY_SAY_NO else {0}):
        raise ExtensionError(
            f"the example of {command} ends with {done.returncode}: {example}\n{done.stderr}{done.stdout}"
        )
    lines = done.stdout.rstrip().splitlines()
    if len(lines) > SHOWN_LINES:
        lines = [*lines[:SHOWN_LINES], f"… and {len(lines) - SHOWN_LINES} lines more"]
    return "\n".join(lines)
