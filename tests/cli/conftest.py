"""Whatever a command prints as JSON in a test of this folder is retained to the schema of that command."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import pytest
from jsonschema import Draft202012Validator

from experiments import program as experiments
from splu_ref.cli import app
from splu_ref.output import terminal

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@cache
def validator(command: str) -> Draft202012Validator:
    """Return what holds the JSON of a command to its schema."""
    folder = SCHEMAS / "experiments" if command in experiments.COMMANDS else SCHEMAS
    schema = json.loads((folder / f"{command}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@cache
def _options(command: str) -> frozenset[str]:
    """Return the options of a command."""
    return frozenset(option for each in app.command(command).params for option in each.opts)


def options_unknown(command: str, message: str) -> list[str]:
    """Return the options that a message of a command names and the command does not have.

    An option right after the name of another command that has it, such as ``publish --manifest``, or
    anywhere after ``splu-ref`` and such a name, is one of that command.
    """
    unknown = []
    for found in re.finditer(r"(?<![^\s(])--[a-z][a-z0-9-]*", message):
        before = message[: found.start()]
        others = re.findall(r"splu-ref ([a-z-]+)", before) + re.findall(r"([a-z-]+) $", before)
        known = [command, *(other for other in others if other in app.COMMANDS)]
        if not any(found[0] in _options(each) for each in known) and found[0] not in ("--help", "--version"):
            unknown.append(found[0])
    return unknown


@pytest.fixture
def without_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``advise`` simulate no releases: expected widths are shown, and decide nothing."""
    monkeypatch.setattr("splu_ref.cli.advice_details.expected_widths", lambda *_: [])


@pytest.fixture(autouse=True)
def _remedies_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever option an error names in a test of this folder, the command has it."""
    given: list[str] = []
    resolve, refuse = app.Program.resolve_command, app._refuse

    def resolved(self: Any, context: Any, words: list[str]) -> tuple[str | None, Any, list[str]]:
        given.append(words[0])
        return resolve(self, context, words)

    def refused(message: str) -> int:
        if given and given[-1] in app.COMMANDS and "No such option" not in message:
            assert not options_unknown(given[-1], message), f"{given[-1]}: {message}"
        return refuse(message)

    monkeypatch.setattr(app.Program, "resolve_command", resolved)
    monkeypatch.setattr(app, "_refuse", refused)


@pytest.fixture(autouse=True)
def _schemas_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    load, write = app.command, terminal._write

    def command(name: str, *package: str) -> Any:
        given.append(name)
        return load(name, *package)

    def retained(text: str, stream: TextIO) -> None:
        if given and text.startswith("{"):
            validator(given[-1]).validate(json.loads(text))
        write(text, stream)

    monkeypatch.setattr(app, "command", command)
    monkeypatch.setattr(terminal, "_write", retained)
