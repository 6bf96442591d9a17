"""What commands draw for a reader fits the terminal: no line is longer, and no word or number is cut.

``terminal_80.txt`` holds what stands on a terminal of 80 columns, blank for blank. It is the output of
``python -m tests.cli.test_widths``; whoever changes what is drawn reads the difference.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from rich.table import Table

from experiments.commands import compare
from experiments.commands.study_figures import show_figures
from experiments.study.exhibits import Figure, Panel, Point, Series
from splu_ref.cli import advice_details, examination
from splu_ref.cli.conform import show_outcome
from splu_ref.conformance import Conformance, Kind, Result, StatisticalCheck, Verdict
from splu_ref.output.terminal import draw
from tests import programs
from tests.programs import main

ROOT = Path(__file__).parents[2]
RELEASE = ["jobs.csv", "--manifest", "jobs.json"]
COMMANDS = {
    "advise": ["advise", "table.csv", "--sensitive", "job"],
    "audit": ["audit", str(ROOT / "docs" / "examples" / "paper.toml")],
    "audit-release": ["audit-release", *RELEASE, "--original", "table.csv"],
    "claims": ["claims"],
    "claims of one": ["claims", "splu.T3"],
    "compare": ["compare", "large.csv", "--column", "job", "--seed", "1"],
    "estimate": ["estimate", *RELEASE, "--where", "job=a-rather-long-name-9"],
    "estimate --by": ["estimate", *RELEASE, "--by", "part_of_the_country,age,job"],
    "estimate --mean": ["estimate", *RELEASE, "--mean", "age", "--by", "job"],
    "privacy": ["privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha", "10"],
    "utility": ["utility", "--gamma", "5", "--epsilon", "0.3", "--frequency", "40"],
}


def whole(name: str) -> list[str]:
    """Return the command that prints all its lines."""
    return COMMANDS[name] if name == "compare" else [*COMMANDS[name], "--explain"]


GROWING = ("claims", "claims of one")
DRAWN = Path(__file__).with_name("terminal_80.txt")


def make_inputs(path: Path) -> None:
    """Write the tables and the release that the commands read."""
    lines = (f"{20 + n % 3},north-by-north-west-{n % 2},a-rather-long-name-{n * n % 11}" for n in range(240))
    (path / "table.csv").write_text("age,part_of_the_country,job\n" + "\n".join(lines) + "\n")
    many = (f"a-rather-long-name-{n % 9}" for n in range(2001))
    (path / "large.csv").write_text("age,job\n" + "\n".join(f"{n % 5},{job}" for n, job in enumerate(many)))
    names = [str(path / name) for name in ("table.csv", "jobs.csv", "jobs.json")]
    words = ["publish", names[0], "-o", names[1], "--manifest", names[2], "--seed", "1"]
    assert main([*words, "--sensitive", "job", "--gamma", "3"]) == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("widths")
    make_inputs(path)
    return path


def drawn() -> dict[str, str]:
    """Return what is retained by command."""
    parts = re.split(r"^== (.*) ==\n", DRAWN.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def retained(wide: str, narrow: str, width: int) -> None:
    """Hold what was drawn in few columns to the words and lines of what was drawn in many."""
    lines = narrow.splitlines()
    sentences = set(map(str.rstrip, wide.splitlines()))  # a terminal breaks these, between words
    assert all(len(line) <= width or line.rstrip() in sentences for line in lines)
    lost = Counter(wide.split()) - Counter(narrow.split())
    assert not [word for word in lost if len(word) <= width // 2 and not set(word) & set("─━")]


def once(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function that computes its first answer alone: widths differ in how it is shown."""
    found: list[object] = []

    def once(*given: object, **named: object) -> object:
        if not found:
            found.append(function(*given, **named))
        return found[0]

    return once


@pytest.mark.parametrize("name", COMMANDS)
def test_no_row_is_broken(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for command, function in (
        (examination, "advise"),
        (advice_details, "expected_widths"),
        (compare, "compare"),
    ):
        monkeypatch.setattr(command, function, once(getattr(command, function)))
    texts = []
    for width in (1000, 80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        capsys.readouterr()
        assert main(whole(name)) in (0, 1, 3)
        texts.append(capsys.readouterr().out)
        if name != "compare":
            assert main(COMMANDS[name]) in (0, 1, 3)
            lines = capsys.readouterr().out.splitlines()
            assert sum(max(-(-len(line) // width), 1) for line in lines) <= 20
    retained(texts[0], texts[1], 80)
    retained(texts[0], texts[2], 60)
    if name not in GROWING:
        assert texts[1] == drawn()[name]


def _figure_and_outcome() -> None:
    """Show what nothing quick has for a result."""
    points = tuple(
        Point(x=1000.5 + x, label="", mean=x / 7, deviation=None, releases=1, queries=9) for x in range(9)
    )
    lines = tuple(Series(name, points) for name in ("mixed plan, shrunk", "printed"))
    figure = Figure("7", "Figure 7", "", "counts", "mean error", (Panel("all", lines),))
    names = ("publish_distribution_based", "below")
    results = [
        Result(f"{name}/{n}", name, Verdict.PASSED, kind=k) for name in names for n, k in enumerate(Kind)
    ]
    results += [Result(f"{name}/wrong", name, Verdict.FAILED, "it is wrong") for name in names]
    power = "Pr(no record is published with the value): rate >= 0.166439 instead of 0.0260123"
    check = StatisticalCheck("publish_random/anatomy/row-of-the-first-record", 9, -4.25, "1e-9", power, True)
    show_figures([figure])
    show_outcome(Conformance("made up", "1", "2", frozenset(names), results=results, statistics=[check]), str)


def test_no_figure_and_no_outcome_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for width in (1000, 80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        _figure_and_outcome()
        texts.append(capsys.readouterr().out)
    retained(texts[0], texts[1], 80)
    retained(texts[0], texts[2], 60)
    assert texts[1] == drawn()["a figure and an outcome"]


def test_a_table_wraps_then_tightens_then_is_reported_by_row(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = {}
    for width in (40, 26, 22, 19):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("name")
        table.add_column("number", justify="right")
        table.add_column("interval", justify="right")
        table.add_row("a long name", "1234.5", "0 to 90")
        draw(table, width=width)
        shapes[width] = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert shapes[40] == ["name number interval", "a long name 1234.5 0 to 90"]
    assert shapes[26] == ["name number interval", "a long 1234.5 0 to 90", "name"]
    assert shapes[22] == ["name number interval", "a 1234.5 0 to 90", "long", "name"]
    assert shapes[19] == ["name a long", "name", "number 1234.5", "interval 0 to 90"]


def test_every_command_that_draws_a_table_is_here() -> None:
    for source in (*(ROOT / "splu_ref" / "cli").glob("*.py"), *(ROOT / "experiments").rglob("*.py")):
        if "add_column" in source.read_text(encoding="utf-8"):
            reported = {"output", "study_figures", "tables", "conform", "advice_details"} | {
                name.split()[0] for name in COMMANDS
            }
            assert source.stem in reported, f"{source.stem} draws a table: show it here at 60 columns"
    assert {words[0] for words in COMMANDS.values()} <= set(programs.COMMANDS)


def _write() -> None:
    """Print what is drawn now."""
    os.environ["COLUMNS"] = "80"
    with TemporaryDirectory() as path, chdir(path):
        with redirect_stdout(StringIO()):
            make_inputs(Path())
        for name in COMMANDS:
            if name not in GROWING:
                sys.stdout.write(f"== {name} ==\n")
                main(whole(name))
    sys.stdout.write("== a figure and an outcome ==\n")
    _figure_and_outcome()


if __name__ == "__main__":
    _write()
