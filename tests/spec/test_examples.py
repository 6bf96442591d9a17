"""The examples of the specification run, and every public function has one."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import pytest

from splu_ref import spec

ROOT = Path(spec.__file__).parent
MODULES = sorted(path.stem for path in ROOT.glob("*.py") if not path.stem.startswith("__"))
WITHOUT_EXAMPLES = {
    "protocol": "the vectors of an operation are its examples",
    "requests": "each kind of value is read by one function, and the class shows how",
}
"""Modules that need no example for each public function: why."""


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"splu_ref.spec.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_wrong_example_is_detected(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = doctest.DocTestParser().get_doctest("text\n\n>>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner().run(wrong).failed == 1
    assert "Got:\n    2" in capsys.readouterr().out


def lacking(source: str) -> list[str]:
    """Return the public functions and classes of a module that have no example."""
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not any(
            isinstance(base, ast.Name) and base.id == "Protocol" for base in getattr(node, "bases", [])
        )
        and ">>>" not in (ast.get_docstring(node) or "")
    ]


PLAIN = {
    "errors": {"Refused", "Unsupported", "TapeExhausted"},
    "randomness": {"SystemStream"},
    "draws": {"DependentDraws"},
    "splu_gen": {"OneStream", "Column", "Release"},
    "tables": {"Table"},
    "retention": {"Parameters", "Release"},
    "swapping": {"Swapped"},
    "operators": {"Release"},
    "groups": {"TwoTables", "Generalized"},
    "alpha_beta": {"Release"},
    "channels": {"Amplification", "Breach"},
    "entropy": {"Outcome", "Losses"},
    "estimates": {"Concept"},
}
"""Records of results and of parameters, and the system's entropy: the examples of functions show them."""


@pytest.mark.parametrize("name", [name for name in MODULES if name not in WITHOUT_EXAMPLES])
def test_every_public_function_has_an_example(name: str) -> None:
    found = lacking((ROOT / f"{name}.py").read_text("utf-8"))
    assert set(found) <= PLAIN.get(name, set())


def test_a_function_without_an_example_is_detected() -> None:
    assert lacking('def f() -> None:\n    """Do."""\n') == ["f"]


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    text = ast.get_docstring(ast.parse((ROOT / f"{name}.py").read_text("utf-8"))) or ""
    assert len(text) > 200
    ours = name in {"errors", "requests", "protocol"}
    assert ours or any(
        word in text for word in ("Fu and others", "addition", "not in the paper", "None of this is in")
    )
