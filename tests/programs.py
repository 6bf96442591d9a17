"""Both programs, for tests that treat every command alike: ``splu-ref`` and ``python -m experiments``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from experiments import program as experiments
from splu_ref import cli
from splu_ref.cli import app

COMMANDS = app.COMMANDS | experiments.COMMANDS
"""Every command of either program, with its summary; no two have the same name."""


def main(words: Sequence[str]) -> int:
    """Run the program that has the command, and return its exit code."""
    return (experiments.main if words and words[0] in experiments.COMMANDS else cli.main)(words)


def command(name: str) -> Any:
    """Load a command and return it."""
    return (experiments.load if name in experiments.COMMANDS else app.command)(name)


def module(name: str) -> ModuleType:
    """Return the module of a command."""
    package = experiments.PACKAGE if name in experiments.COMMANDS else "splu_ref.cli"
    return import_module(f"{package}.{name.replace('-', '_')}")


def started(words: Sequence[str]) -> list[str]:
    """Return the words after the interpreter that start the program of a command in a process of its own."""
    return ["-m", "experiments" if words and words[0] in experiments.COMMANDS else "splu_ref", *words]
