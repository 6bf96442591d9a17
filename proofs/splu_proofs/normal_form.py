"""The normal form of Python source: its syntax without comments, layout and docstrings.

Two sources with the same normal form do the same. The form is written by walking the syntax tree and
naming only what carries meaning, because `ast.dump` and the tokens of f-strings differ between Python
versions; it is the same on 3.11 to 3.14, and a test holds one of its hashes fixed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

_SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""Fields that say nothing about meaning, or nothing that their surroundings do not say."""


def normal_form(nodes: Iterable[ast.AST]) -> str:
    """Return the normal form of modules or statements, one after the other."""
    forms: list[str] = []
    for node in nodes:
        pieces: list[str] = []
        _write(node, pieces)
        forms.append("".join(pieces))
    return "\n".join(forms)


def _write(node: ast.AST, pieces: list[str]) -> None:
    """Append the normal form of a node; one list for all of a tree, as statements have many nodes."""
    pieces.append(f"{type(node).__name__}(")
    for field, value in ast.iter_fields(node):
        if field in _SILENT or value is None or value == []:
            continue
        pieces.append(f"{field}=")
        if isinstance(value, list):
            items = value
            if field == "body" and isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ):
                items = [item for item in value if not is_text(item)]
            elif isinstance(node, ast.JoinedStr):
                items = _joined(value)
            pieces.append("[")
            for item in items:
                _write_item(item, pieces)
            pieces.append("]")
        else:
            _write_item(value, pieces)
        pieces.append(",")
    pieces.append(")")


def _write_item(value: object, pieces: list[str]) -> None:
    if isinstance(value, ast.AST):
        _write(value, pieces)
    else:
        pieces.append(f"{type(value).__name__}:{value!r}")
    pieces.append(";")


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a bare string: a docstring, or the text that documents a constant."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of an f-string with neighboring texts joined and empty ones dropped."""
    parts: list[ast.expr] = []
    for value in values:
        last = parts[-1] if parts else None
        if isinstance(value, ast.Constant) and isinstance(last, ast.Constant):
            parts[-1] = ast.Constant(str(last.value) + str(value.value))
        elif not (isinstance(value, ast.Constant) and value.value == ""):
            parts.append(value)
    return parts
