"""The page of what the papers describe: every place that it names is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import splu_ref
from experiments import program as experiments
from experiments.attacks import LEARNING
from experiments.commands import query_interface
from splu_ref import mechanisms
from splu_ref.audit.claims.reading import KINDS
from splu_ref.cli import attack
from splu_ref.cli.estimate_answers import BY_CHANNEL
from splu_ref.cli.mechanism_options import NAMED
from splu_ref.estimators import METHODS
from tests.programs import COMMANDS, command

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "inventory.md"
CLAIMS = set(re.findall(r"^(\w+\.\w+) ", (ROOT / "tests/proofs/statements.txt").read_text("utf-8"), re.M))
VALUES = {"--mechanism": set(NAMED), "--method": {*METHODS, *BY_CHANNEL}}
"""What may follow an option."""
KNOWN: dict[str, set[str]] = {
    "attack": set(attack._KNOWN),
    "attack-learned": set(LEARNING),
    "query-interface": set(query_interface._KNOWN),
}
"""The arguments of a command that are listed by name."""


EXPERIMENT = "python -m experiments "
"""Before a command that runs in a checkout alone."""


def places(text: str) -> list[tuple[str, str]]:
    """Return what each row of the tables names, with the word before it that a list goes on from."""
    found = []
    for row in text.splitlines():
        last = ""
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]) if row.startswith("| ") else ():
            found.append((name, last))
            last = name if name.split()[0] in COMMANDS else last
    return found


def is_there(name: str, last: str = "") -> bool:
    """Return whether a name is a command with its arguments, a claim, a kind of claim, or in Python."""
    first, *words = name.removeprefix(EXPERIMENT).split()
    if first in COMMANDS:
        return name.startswith(EXPERIMENT) == (first in experiments.COMMANDS) and _fits(first, words)
    if first.startswith("--"):  # of the command before it
        return last.split()[:1] != [] and _fits(last.split(maxsplit=1)[0], name.split())
    if last and not words:
        named, *given = last.split()
        if named in COMMANDS and given and _fits(named, [*given[:-1], name]):
            return True  # one more argument of the command before it
    return name in CLAIMS or name in KINDS or _in_python(name)


def _fits(name: str, words: list[str]) -> bool:
    options = {option for each in command(name).params for option in each.opts}
    before = ""
    for word in words:
        if word.startswith("--"):
            fits = word in options
        else:
            fits = word in (VALUES.get(before, set()) if before else KNOWN.get(name, set()))
        if not fits:
            return False
        before = word if word in VALUES else ""
    return not before


def _in_python(name: str) -> bool:
    if not name.startswith(("splu_ref.", "experiments.")):
        return hasattr(splu_ref, name) or hasattr(mechanisms, name)
    try:
        importlib.import_module(name)
    except ImportError:
        module, _, last = name.rpartition(".")
        return hasattr(importlib.import_module(module), last)
    return True


def test_every_place_is_there() -> None:
    found = places(PAGE.read_text("utf-8"))
    assert len(found) > 80
    assert not [name for name, last in found if not is_there(name, last)]


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("publish --mechanism anatomie", ""), ("publish --mechanism", ""), ("publish --tape", ""),
        ("attack guess", ""), ("attacks", ""), ("guess", "attack corruption"),
        ("swap", "estimate"), ("--method em", "privacy"), ("--method em", ""), ("--method ex", "estimate"),
        ("python -m experiments query-interface sizes", ""), ("query-interface size", ""),
        ("python -m experiments publish", ""), ("splu.X1", ""),
        ("splu_ref.channels.none", ""), ("d-epsilon", ""),
    ],
)  # fmt: skip
def test_unknown_places_are_detected(name: str, last: str) -> None:
    assert not is_there(name, last)


def test_every_page_that_is_named_is_there() -> None:
    named = re.findall(r"\]\(([\w/-]+\.md)\)", PAGE.read_text("utf-8"))
    assert named
    assert not [name for name in named if not (ROOT / "docs" / name).exists()]
