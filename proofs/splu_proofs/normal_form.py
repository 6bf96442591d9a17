"""The normal form of Python source: its syntax without comments, layout and docstrings.

Two sources with the same normal form do the same. The form is written by walking the syntax tree and
naming only what carries meaning, because `ast.dump` and the tokens of f-strings differ between Python
versions; it is the same on 3.11 to 3.14, and a test holds one of its hashes fixed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from hashlib import sha256

_SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""Fields that say nothing about meaning, or nothing that their surroundings do not say."""


def fingerprint(source: str, name: str | None = None) -> str:
    """Return the SHA-256, in hexadecimal, of the normal form of ``source`` or of one of its names.

    Parameters
    ----------
    source
        The text of a module.
    name
        A function, class or constant at the top of the module. Whatever else of the module it uses,
        directly or not, is hashed with it. None stands for the whole module.

    Raises
    ------
    KeyError
        If the module does not define ``name``.
    """
    tree = ast.parse(source)
    if name is None:
        return _hash([tree])
    defined = _definitions(tree)
    if name not in defined:
        raise KeyError(name)
    reached = [name]
    for current in reached:  # grows while it is walked
        used = {node.id for part in defined[current] for node in ast.walk(part) if isinstance(node, ast.Name)}
        reached += sorted((used & defined.keys()) - set(reached))
    return _hash([part for each in [name, *sorted(reached[1:])] for part in defined[each]])


def _definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Map every name bound at the top of a module to the statements that bind it; imports are left out."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [statement.name]
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        else:
            continue
        for each in names:
            found.setdefault(each, []).append(statement)
    return found


def _hash(nodes: list[ast.Module] | list[ast.stmt]) -> str:
    text = "\n".join("".join(_written(node)) for node in nodes)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _written(node: ast.AST) -> Iterator[str]:
    yield f"{type(node).__name__}("
    for field, value in ast.iter_fields(node):
        if field in _SILENT or value is None or value == []:
            continue
        yield f"{field}="
        if isinstance(value, list):
            items = value
            if field == "body" and isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ):
                items = [item for item in value if not _is_text(item)]
            elif isinstance(node, ast.JoinedStr):
                items = _joined(value)
            yield "["
            for item in items:
                yield from _item(item)
            yield "]"
        else:
            yield from _item(value)
        yield ","
    yield ")"


def _item(value: object) -> Iterator[str]:
    if isinstance(value, ast.AST):
        yield from _written(value)
    else:
        yield f"{type(value).__name__}:{value!r}"
    yield ";"


def _is_text(statement: ast.stmt) -> bool:
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
