"""What the examples of commands print is kept until something changes that it may depend on."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import program as experiments
from splu_ref.cli.app import command

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


def test_examples_that_are_not_run_have_options_of_their_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    for name in import_module("command_examples").NOT_RUN:
        program = experiments.load(name) if name in experiments.COMMANDS else command(name)
        _, _, words = program.epilog.partition(f" {name} ")
        assert program.make_context(name, shlex.split(words))
        with pytest.raises(Exception, match="No such option"):
            program.make_context(name, ["--no-such-option", *shlex.split(words)])


def test_examples_run_again_when_they_or_their_files_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    shown: Any = import_module("command_examples")
    itself = tmp_path / "command_examples.py"
    itself.write_text("SHOWN_LINES = 60")
    installed = [SimpleNamespace(name="polars", version="1")]
    files, kept, ran = tmp_path / "files", tmp_path / "build" / "examples.json", list[str]()
    files.mkdir()

    def run(name: str, *_: object) -> str:
        ran.append(name)
        return f"printed by {name}"

    monkeypatch.setattr(shown, "FILES", files)
    monkeypatch.setattr(shown, "__file__", str(itself))
    monkeypatch.setattr(shown, "distributions", lambda: installed)
    monkeypatch.setattr(shown, "write_table", lambda *_: None)
    monkeypatch.setattr(shown, "_run", run)
    first, second = {"key": "splu-ref key a"}, {"key": "splu-ref key b"}
    for examples in (first, first, second):
        assert shown.printed(examples, kept) == {"key": "printed by key"}
    assert len(ran) == 2

    changes: list[Callable[[], object]] = [
        lambda: (files / "claims.json").write_text("[]"),
        lambda: (files / "claims.json").rename(files / "others.json"),
        lambda: itself.write_text("SHOWN_LINES = 6"),
        lambda: installed.append(SimpleNamespace(name="rich", version="2")),
    ]
    for number, change in enumerate(changes, 3):
        change()
        shown.printed(second, kept)
        shown.printed(second, kept)
        assert len(ran) == number
