"""``python -m experiments``: which commands it has, and how it is run from a checkout."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.program import COMMANDS, NAME, load, main
from splu_ref.cli import app
from tests.programs import module

ROOT = Path(__file__).parents[2]


def test_the_list_of_commands_is_that_of_their_files() -> None:
    folder = ROOT / "experiments" / "commands"
    files = {path.stem for path in folder.glob("*.py") if "EXAMPLE = " in path.read_text(encoding="utf-8")}
    assert {name.replace("-", "_") for name in COMMANDS} == files
    assert not COMMANDS.keys() & app.COMMANDS.keys()
    for name, summary in COMMANDS.items():
        own = inspect.getdoc(module(name).run)
        assert own is not None
        assert summary == " ".join(own.split("\n\n")[0].split())
        assert load(name).epilog.startswith(f"Example: {NAME} {name} ")


def test_the_help_of_a_checkout_lists_every_experiment_with_its_summary() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "experiments", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shown = " ".join(done.stdout.split())
    assert f"Usage: {NAME}" in shown
    for name, summary in COMMANDS.items():
        assert f"{name} {summary}" in shown


def test_an_unknown_experiment_is_one_line_with_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compar"]) == 2
    refused = capsys.readouterr()
    assert refused.out == ""
    assert refused.err.startswith("splu-ref: No such command 'compar'")
    assert refused.err.endswith(f"see {NAME} --help\n")


def test_the_package_has_none_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert app.run([name]) == 2
        assert f"No such command '{name}'" in capsys.readouterr().err
    assert app.run(["attack", "foreground", "table.csv", "--manifest", "manifest.json"]) == 2
    assert f"{NAME} attack-learned" in capsys.readouterr().err
