"""What commands tell people, line by line: the same things as their JSON, under the names that docs use.

``told.txt`` holds commands and lines of theirs, in their order, with single blanks; ``…`` stands for the rest
of a line. Lines may be added without a change there: none may be lost, misnamed, or tell another number.
"""

from __future__ import annotations

import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from splu_ref.cli import main

ROOT = Path(__file__).parents[2]
SAID = re.split(r"^\$ splu-ref ", Path(__file__).with_name("told.txt").read_text("utf-8"), flags=re.MULTILINE)
TOLD = dict(each.split("\n", 1) for each in SAID[1:])


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Run the commands, in the order in which they need each other's files; their lines."""
    path = tmp_path_factory.mktemp("told")
    lines = (f"{20 + n % 3},{'north' if n % 2 else 'south'},job {n * n % 11}" for n in range(240))
    (path / "table.csv").write_text("age,part,job\n" + "\n".join(lines) + "\n")
    (path / "few.csv").write_text("age,job\n1,a\n2,b\n3,a\n4,a\n")
    asked = ("age <= 3", "age <= 2", "age >= 2")
    (path / "few.sql").write_text("".join(f"SELECT COUNT(*) FROM few WHERE {each};\n" for each in asked))
    (path / "salaries.toml").write_bytes((ROOT / "docs" / "examples" / "salaries.toml").read_bytes())
    told = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("COLUMNS", "1000")
        for words in TOLD:
            with redirect_stdout(StringIO()) as out:
                assert main(shlex.split(words)) in (0, 1, 3), words
            told[words] = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    return told


def missing(expected: list[str], lines: list[str]) -> list[str]:
    """Return the expected lines that do not stand among the others in their order."""
    left = iter(lines)
    return [
        line
        for line in expected
        if not any(each.startswith(line[:-1]) if line.endswith("…") else each == line for each in left)
    ]


def test_people_are_told(said: dict[str, list[str]]) -> None:
    lost = {words: missing(lines.splitlines(), said[words]) for words, lines in TOLD.items()}
    assert not {words: lines for words, lines in lost.items() if lines}


def test_another_name_number_or_order_is_noticed() -> None:
    assert not missing(["a  1", "b…"], ["a  1", "new  9", "b  2"])
    assert missing(["a  1", "b…"], ["a  2", "b  2"])
    assert missing(["a  1", "b…"], ["b  2", "a  1"])
