"""Whatever a command prints as JSON in a test of this folder is held to the schema of that command."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import pytest
from jsonschema import Draft202012Validator

from experiments import program as experiments
from splu_ref import terminal
from splu_ref.cli import app

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@cache
def validator(command: str) -> Draft202012Validator:
    """Return what holds the JSON of a command to its schema."""
    folder = SCHEMAS / "experiments" if command in experiments.COMMANDS else SCHEMAS
    schema = json.loads((folder / f"{command}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(autouse=True)
def _schemas_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    load, write = app.command, terminal._write

    def command(name: str, *package: str) -> Any:
        given.append(name)
        return load(name, *package)

    def held(text: str, stream: TextIO) -> None:
        if given and text.startswith("{"):
            validator(given[-1]).validate(json.loads(text))
        write(text, stream)

    monkeypatch.setattr(app, "command", command)
    monkeypatch.setattr(terminal, "_write", held)
