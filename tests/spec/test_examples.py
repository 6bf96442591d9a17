"""The examples of the specification run, and every public function has one."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
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
    """Return the public functions and classes of a module that need an example and have none.

    No example is needed by a protocol or a record, which the examples of functions show; by a function that
    takes a certificate or returns a condition, since the mutants of `test_certificates` exercise all of them;
    or by an entry of a table at the top of the module, which the vectors exercise.
    """
    body = ast.parse(source).body
    tables = [
        each.value for each in body if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Dict)
    ]
    entries = {each.id for table in tables for each in table.values if isinstance(each, ast.Name)}
    return [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ">>>" not in (ast.get_docstring(node) or "")
        and node.name not in entries
        and not (is_record(node) if isinstance(node, ast.ClassDef) else is_of_conditions(node))
    ]


def is_record(definition: ast.ClassDef) -> bool:
    """Return whether a class is a protocol or a data class."""
    return any("Protocol" in ast.unparse(base) for base in definition.bases) or any(
        ast.unparse(decorator).startswith("dataclass") for decorator in definition.decorator_list
    )


def is_of_conditions(function: ast.FunctionDef) -> bool:
    """Return whether a function takes a certificate or returns a condition."""
    returned = ast.unparse(function.returns) if function.returns else ""
    taken = [ast.unparse(each.annotation) for each in function.args.args if each.annotation]
    return "Certificate" in taken or "Condition" in returned.replace("Condition | None", "")


PLAIN = {
    "errors": {"Refused", "Unsupported", "TapeExhausted"},
    "randomness": {"SystemStream"},
    "splu_gen": {"OneStream"},
}
"""The kinds of refusals, and streams without an answer of their own."""


@pytest.mark.parametrize("name", [name for name in MODULES if name not in WITHOUT_EXAMPLES])
def test_every_public_function_has_an_example(name: str) -> None:
    found = lacking((ROOT / f"{name}.py").read_text("utf-8"))
    assert set(found) <= PLAIN.get(name, set())


def test_a_function_without_an_example_is_detected() -> None:
    assert lacking('def f() -> None:\n    """Do."""\n') == ["f"]
    assert lacking("class C:\n    pass\n") == ["C"]
    assert lacking("def f(c: str) -> Condition | None:\n    pass\n") == ["f"]
    assert lacking("def f(c: Certificate) -> int:\n    pass\n") == []
    assert lacking("def f() -> int:\n    pass\n\nTABLE: Mapping = {'f': f}\n") == []


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    text = ast.get_docstring(ast.parse((ROOT / f"{name}.py").read_text("utf-8"))) or ""
    assert len(text) > 200
    ours = name in {"errors", "requests", "protocol"}
    assert ours or any(
        word in text for word in ("Fu and others", "addition", "not in the paper", "None of this is in")
    )


def test_the_package_names_every_module_once_in_reading_order() -> None:
    assert sorted(re.findall("`([a-z_]+)`", (spec.__doc__ or "").replace("``", ""))) == MODULES


@pytest.mark.parametrize("name", MODULES)
def test_a_module_begins_with_a_short_title(name: str) -> None:
    first = (ROOT / f"{name}.py").read_text("utf-8").removeprefix('"""').split("\n", 1)[0]
    title, colon, sentence = first.partition(": ")
    assert colon
    assert len(title) <= 32
    assert sentence.endswith(".")
