"""What the experiments print for a reader: `printed.txt` holds commands and their lines.

It is written anew by ``python -m tests.experiments.test_printed``; whoever changes what is printed reads the
difference.
"""

from __future__ import annotations

import os
import re
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from experiments.program import NAME
from tests.cli import golden_output

PRINTED = Path(__file__).with_name("printed.txt")
RELEASES = """
publish table.csv -o jobs.csv --manifest jobs.json --seed 1 --sensitive job --gamma 3
publish table.csv -o two.csv --manifest two.json --seed 1 --sensitive job --sensitive age --gamma job=2,age=3
publish table.csv -o a.csv --manifest a.json --seed 1 --mechanism retention --column job --retention 1/5 \
    --observed-domain
"""


def expected() -> dict[str, list[str]]:
    """Return the lines of each command."""
    _, *parts = re.split(rf"^\$ {NAME} ", PRINTED.read_text("utf-8"), flags=re.MULTILINE)
    return {words: lines.splitlines() for words, lines in (part.split("\n", 1) for part in parts)}


def printed() -> dict[str, list[str]]:
    """Run the commands in the working folder and return their lines."""
    golden_output.make_inputs(Path())
    for words in RELEASES.strip().splitlines():
        golden_output.run(words)
    return {words: golden_output.run(words) for words in expected()}


def test_commands_print_what_they_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    assert printed() == expected()


if __name__ == "__main__":
    os.environ["COLUMNS"] = "1000"
    with TemporaryDirectory() as folder, chdir(folder):
        found = printed()
    blocks = (
        f"$ {NAME} {words}\n" + "".join(f"{line}\n" for line in lines) for words, lines in found.items()
    )
    PRINTED.write_text("".join(blocks), "utf-8")
