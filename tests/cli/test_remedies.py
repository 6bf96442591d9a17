"""An option that an error recommends is one that the command has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import splu_ref
from splu_ref.cli import main
from splu_ref.cli.app import COMMANDS
from tests.cli.conftest import options_unknown

CODE = Path(splu_ref.__file__).parent
OF_OTHER_PROGRAMS = {"report/stages", "report/drawing.py", "report/suite.py", "certificate_checker.py"}
WITHOUT_MISSING = (
    "operator --prior {} --column job --rho1 1/10 --rho2 1/2",
    "breach --prior {} --column job --retention 1/5 --rho1 1/10 --rho2 1/2",
    "privacy --gamma 2 --epsilon 0.3 --alpha 2 --draws capped:1 --table {} --sensitive job",
    "utility --gamma 2 --epsilon 0.3 --t-e 0.1 --draws capped:1 --table {} --sensitive job",
    "advise {} --sensitive job",
    "publish {} -o x.csv --sensitive job --gamma 2",
    "publish {} -o x.csv --sensitive job --gamma 2 --stream",
    "publish {} -o x.csv --mechanism distribution --column job",
    "estimate {} --manifest m.json --where job=a",
    "attack homogeneity {} --manifest m.json --seed 1",
)


def _texts(file: Path) -> list[str]:
    """Return the sentences of a file that are no docstrings, those in pieces as one."""
    tree = ast.parse(file.read_text("utf-8"))
    pieces = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            found.append("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [] if id(node) in pieces | prose else [node.value]
    return [text for text in found if " " in text.strip()]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_texts_of_a_command_name_options_that_it_has(command: str) -> None:
    for text in _texts(CODE / "cli" / f"{command.replace('-', '_')}.py"):
        assert not options_unknown(command, text), text


def test_the_texts_of_the_library_name_options_of_some_command() -> None:
    for file in CODE.rglob("*.py"):
        place = file.relative_to(CODE).as_posix()
        if not place.startswith(tuple(OF_OTHER_PROGRAMS)):
            for text in _texts(file):
                unknown = [set(options_unknown(command, text)) for command in COMMANDS]
                assert not set.intersection(*unknown), f"{place}: {text}"


@pytest.mark.parametrize("words", WITHOUT_MISSING)
@pytest.mark.parametrize("text", ["age,job\n1,a\n2,?\n3,b\n4,b\n", "age;job\n1;a\n2;b\n"])
def test_remedies_for_a_table_exist_in_the_command(
    words: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text("age,job\n1,a\n2,a\n3,b\n4,b\n")
    made = "publish good.csv -o r.csv --manifest m.json --sensitive job --gamma 2 --seed 1 --keep age"
    assert main(made.split()) == 0
    Path("t.csv").write_text(text)
    capsys.readouterr()
    assert main(words.format("t.csv").split()) == 2
    reported = capsys.readouterr().err.splitlines()[-1]
    command = words.partition(" ")[0]
    assert ("--missing" in reported) == ("?" in text and command in ("advise", "breach", "publish"))
    assert not options_unknown(command, reported)


def test_an_option_of_another_command_is_recognized() -> None:
    assert options_unknown("operator", "drop these rows or say --missing '?'") == ["--missing"]
    assert options_unknown("operator", "see splu-ref publish --missing X, or (--bins a=1)") == []
    assert options_unknown("breach", "give the file that publish --manifest wrote") == []
    assert options_unknown("breach", "say --rho1 or --mising") == ["--mising"]
