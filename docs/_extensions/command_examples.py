"""Run the example of every command, as its help shows it, and keep what it prints.

The examples stand in one folder, one after the other: what ``publish`` writes is what ``estimate`` reads.
What they print is kept beside the build, until anything changes that
it may depend on.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.errors import ExtensionError

import experiments
import splu_proofs
import splu_ref
from splu_ref.data import embedded_table, write_table
from splu_ref.data.files import write_whole

TABLE = "adult.csv"
"""The embedded table under the name that the examples give to the original."""
FILES = Path(__file__).parents[1] / "examples"
"""Files that the examples read and a user would have written."""
MAY_SAY_NO = {"audit", "query-interface"}
"""Commands whose example shows a claim or a defense that does not hold: they end with 1."""
NOT_RUN = {"verify", "conform", "study", "compare"}
"""Commands whose example takes half a minute or more: a job of its own, or run by a test of the command."""
LONGEST = 600.0
SHOWN_LINES = 60


def printed(examples: Mapping[str, str], kept: Path) -> dict[str, str]:
    """Return what the example of each command prints, by the command's name; those not run are left out.

    Parameters
    ----------
    examples
        The examples, by the command's name.
    kept
        Where what they print is kept for the next build.

    Raises
    ------
    ExtensionError
        If an example does not end as its command promises.
    """
    digest = _digest(examples)
    found: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    if found.pop("", None) != digest:
        found = _run_all(examples)
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, json.dumps({"": digest, **found}).encode(), force=True)
    return found


def _digest(examples: Mapping[str, str]) -> str:
    """Return a digest of what the pages show of them depends on: code, installed packages, files."""
    packages = (Path(package.__path__[0]) for package in (splu_ref, splu_proofs, experiments))
    files = sorted(file for folder in (*packages, FILES) for file in folder.rglob("*") if file.is_file())
    installed = sorted(f"{package.name} {package.version}" for package in distributions())
    digest = sha256(json.dumps([sys.version, installed, list(examples.items())]).encode())
    for file in (Path(__file__), *files):
        if file.suffix != ".pyc":
            digest.update(sha256(file.name.encode()).digest() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _run_all(examples: Mapping[str, str]) -> dict[str, str]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_table(embedded_table(), folder / TABLE)
        for path in FILES.iterdir():
            shutil.copy(path, folder)
        return {name: _run(name, text, folder) for name, text in examples.items() if name not in NOT_RUN}


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
