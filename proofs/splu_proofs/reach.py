"""What a name of a module reaches: the statements that bind it, what they use, and so on through imports.

Code is read as text; nothing is imported. A name stands for every statement at the top of its module that
binds it, whether plainly, by an import, a second time further down, or inside an ``if``. Statements that act
without binding a name belong to every name of their module. What is looked up by a text at run time is not
seen, nor is a module that changes another one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from splu_ref.channels.parameters import InputError

from .normal_form import is_text, normal_form

PACKAGES = ("splu_ref", "splu_proofs")
"""Packages whose code is followed; others are dependencies with versions of their own."""

Place = tuple[str, str | None]
"""A module and a name in it; None stands for the whole module."""


def fingerprint(places: Iterable[Place], packages: tuple[str, ...] = PACKAGES, *, alone: bool = False) -> str:
    """Return the SHA-256, in hexadecimal, of everything that ``places`` reach in ``packages``.

    With ``alone``, of the places and of nothing that they reach.

    Raises
    ------
    InputError
        If a module does not exist, or one of ``places`` names what its module does not bind.
    """
    digest = sha256()
    for module, names in sorted((_by_module(places) if alone else reached(places, packages)).items()):
        digest.update(f"{module}\n{_text(module, names)}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def reached(
    places: Iterable[Place], packages: tuple[str, ...] = PACKAGES
) -> dict[str, frozenset[str | None]]:
    """Return, by module, the names that ``places`` reach in ``packages``; None for all of a module."""
    walked: list[Place] = []
    for module, name in places:
        if name is not None and name not in _bindings(module):
            raise InputError(f"{module} does not define {name}: mend the name in the claim")
        walked.append((module, name))
    seen = set(walked)
    for module, name in walked:  # grows while it is walked
        for place in _next(module, name):
            followed = place[0] == module or place[0].partition(".")[0] in packages
            if followed and place not in seen:
                seen.add(place)
                walked.append(place)
    return _by_module(seen)


def calls(module: str, name: str, callee: str) -> bool:
    """Whether each statement that binds ``name`` in ``module`` assigns what a call of ``callee`` returns."""
    parts = [part.statement for part in _parts(module) if name in part.binds]
    return all(
        isinstance(each, ast.Assign)
        and isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Name)
        and each.value.func.id == callee
        for each in parts
    )


def _by_module(places: Iterable[Place]) -> dict[str, frozenset[str | None]]:
    """Return the names of places by module; None for all of a module."""
    found: dict[str, set[str | None]] = {}
    for module, name in places:
        found.setdefault(module, set()).add(name)
    return {
        module: frozenset([None]) if None in names else frozenset(names) for module, names in found.items()
    }


@cache
def source_of(module: str) -> str:
    """Return the text of a module of an installed package; of a room, the stub that places its names."""
    package, *rest = module.split(".")
    found = find_spec(package)
    for root in (found.submodule_search_locations or ()) if found else ():
        path = Path(root, *rest)
        for candidate in (path.with_suffix(".py"), path / "__init__.pyi", path / "__init__.py"):
            if candidate.is_file():
                return candidate.read_text(encoding="utf-8")
    raise InputError(f"there is no module {module}: mend the name in the claim")


@cache
def _text(module: str, names: frozenset[str | None]) -> str:
    # in the order of the file: of two parts that bind one name, the later one counts
    return "\n".join(
        part.text for part in _parts(module) if None in names or not part.binds or part.binds & names
    )


@cache
def _next(module: str, name: str | None) -> tuple[Place, ...]:
    """Return what one name uses: names of its module, and what its statements import."""
    parts = [part for part in _parts(module) if name is None or not part.binds or name in part.binds]
    found: list[Place] = []
    for node in (node for part in parts for node in ast.walk(part.statement)):
        if isinstance(node, ast.Name) and node.id in _bindings(module):
            found.append((module, node.id))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found += _imported(module, node)
    return tuple(dict.fromkeys(found))


def _imported(module: str, node: ast.Import | ast.ImportFrom) -> Iterator[Place]:
    if isinstance(node, ast.Import):
        # a package loads its modules on first use: importing it uses none of them
        yield from ((each.name, None) for each in node.names if "." in each.name and _is_module(each.name))
        return
    base = module.split(".") + ["__init__"] * _is_package(module)
    origin = (
        ".".join([*base[: -node.level], *filter(None, [node.module])]) if node.level else node.module or ""
    )
    for alias in node.names:
        if _is_module(f"{origin}.{alias.name}"):
            yield f"{origin}.{alias.name}", None
        elif _is_module(origin):
            yield origin, None if alias.name == "*" or alias.name not in _bindings(origin) else alias.name


@cache
def _is_module(name: str) -> bool:
    if name.partition(".")[0] not in PACKAGES:
        return False
    try:
        return source_of(name) is not None
    except InputError:
        return False


@cache
def _is_package(module: str) -> bool:
    spec = find_spec(module.partition(".")[0])
    roots = (spec.submodule_search_locations or ()) if spec else ()
    return any(Path(root, *module.split(".")[1:], "__init__.py").is_file() for root in roots)


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement at the top of a module, the names that it binds there, and its normal form."""

    statement: ast.stmt
    binds: frozenset[str | None]
    text: str


@cache
def _parts(module: str) -> tuple[_Part, ...]:
    statements = _single(ast.parse(source_of(module)).body)
    return tuple(_Part(each, _bound(each), normal_form([each])) for each in statements if not is_text(each))


@cache
def _bindings(module: str) -> frozenset[str | None]:
    return frozenset().union(*(part.binds for part in _parts(module)))


def _single(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Give each imported name, and each statement of a branch, a statement of its own."""
    for statement in statements:
        if isinstance(statement, ast.ImportFrom):
            for each in statement.names:
                yield ast.ImportFrom(statement.module, [each], statement.level)
        elif isinstance(statement, ast.Import):
            for each in statement.names:
                yield ast.Import([each])
        elif isinstance(statement, ast.If):
            for one in _single(statement.body):
                yield ast.If(statement.test, [one], [])
            for one in _single(statement.orelse):
                yield ast.If(statement.test, [], [one])
        else:
            yield statement


def _bound(statement: ast.stmt) -> frozenset[str | None]:
    """Return the names that a statement binds in its module; those of a function's own are not among them.

    What also acts otherwise, such as by a call or by an assignment to an attribute, counts as binding
    nothing, so that it belongs to every name. So does ``__getattr__``, which answers for names that are not
    bound.
    """
    names = [name for node in ast.walk(statement) if isinstance(node, ast.Global) for name in node.names]
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if _acts(node):
            return frozenset()
        names += _names(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += node.decorator_list
        elif not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return frozenset() if "__getattr__" in names else frozenset(names)


def _acts(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute | ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return node.name == "*"
    return isinstance(node, ast.Expr) and not is_text(node)


def _names(node: ast.AST) -> list[str]:
    """Return the names that ``node`` itself binds."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    return [node.rest] if isinstance(node, ast.MatchMapping) and node.rest else []
