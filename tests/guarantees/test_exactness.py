"""No floating-point number and no array enters the exact rooms."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import splu_ref
from splu_ref import guarantees

PACKAGE = Path(splu_ref.__file__).parent
FILES = [
    *sorted((PACKAGE / "channels").glob("*binomial*.py")),
    *sorted(path for part in ("*.py", "certificates/*.py") for path in (PACKAGE / "guarantees").glob(part)),
]
FLOATING = {"float", "complex", "sqrt", "log", "log2", "log10", "exp", "lgamma"}
OTHER_ROOMS = {"mechanisms", "estimators", "randomness", "audit", "report", "cli"}


def offenses(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            found.append(f"line {node.lineno}: the literal {node.value}")
        if isinstance(node, ast.Name) and node.id in FLOATING:
            found.append(f"line {node.lineno}: {node.id}")
        if isinstance(node, ast.Attribute) and node.attr in FLOATING:
            found.append(f"line {node.lineno}: .{node.attr}")
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
        for name in names:
            parts = set(name.split("."))
            if parts & {"numpy", "scipy", "random", "statistics", "splu_proofs"} or (
                "splu_ref" in parts and parts & OTHER_ROOMS
            ):
                found.append(f"an import of {name}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_float_and_no_array(path: Path) -> None:
    assert offenses(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("text", ["x = 0.5", "x = float(3)", "import numpy as np", "math.sqrt(2)", "1e-3"])
def test_the_scan_finds_what_it_looks_for(text: str) -> None:
    assert offenses(ast.parse(text))


def test_every_room_is_scanned() -> None:
    assert len(FILES) >= 10
    assert {path.parent.name for path in FILES} == {"channels", "guarantees", "certificates"}


def test_everything_public_is_documented_and_exported() -> None:
    exported = [getattr(guarantees, name) for name in guarantees.__all__]
    documented = [each for each in exported if inspect.isclass(each) or inspect.isfunction(each)]
    assert len(documented) > 50
    for each in documented:
        assert each.__doc__, each
