"""What a name of a module reaches: the statements that bind it, what they use, and so on through imports.

Code is read as text; nothing is imported. A name stands for every statement at the top of its module that
binds it, whether plainly, by an import, a second time further down, or inside an ``if``. Statements that act
without binding a name belong to every name of their module. What is looked up by a text at run time is not
seen, nor is a module that changes another one.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tokenize import detect_encoding

from splu_ref.channels.parameters import InputError

from .normal_form import is_text, normal_form

_DESCRIBING = (
    ast.Constant, ast.Tuple, ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Add, ast.Load,
)  # fmt: skip
"""What a description consists of beside names, their attributes and calls."""
PACKAGES = ("splu_ref", "splu_proofs")
"""Packages whose code is followed; others are dependencies with versions of their own."""

Place = tuple[str, str | None]
"""A module and a name in it; None stands for the whole module."""


def fingerprint(places: Iterable[Place], packages: tuple[str, ...] = PACKAGES) -> str:
    """Return the SHA-256, in hexadecimal, of everything that ``places`` reach in ``packages``.

    Raises
    ------
    InputError
        If a module does not exist, or one of ``places`` names what its module does not bind.
    """
    digest = sha256()
    for module, names in sorted(reached(places, packages).items()):
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
    found: dict[str, set[str | None]] = {}
    for module, name in seen:
        found.setdefault(module, set()).add(name)
    return {
        module: frozenset([None]) if None in names else frozenset(names) for module, names in found.items()
    }


def names_only(module: str, names: frozenset[str]) -> bool:
    """Whether a module does nothing but assign constants to some of ``names``."""
    return all(
        isinstance(part.statement, ast.Assign)
        and all(isinstance(target, ast.Name) and target.id in names for target in part.statement.targets)
        and _is_constant(part.statement.value)
        for part in _parts(module)
    )


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def without_calls(
    module: str, callees: frozenset[str], names: frozenset[str | None] = frozenset([None])
) -> str:
    """Return the normal form of ``names`` of a module without assignments that call ``callees`` alone.

    What assigns several names, a name that the module binds elsewhere too, or one of Python's own is kept:
    it may replace what others use.
    """
    times = Counter(name for part in _parts(module) for name in part.binds)

    def describes(node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            named = isinstance(node.func, ast.Name) and node.func.id in callees
            return named and not node.args and all(describes(each.value) for each in node.keywords)
        if isinstance(node, ast.Name | ast.Attribute):
            return isinstance(node.ctx, ast.Load) and all(map(describes, ast.iter_child_nodes(node)))
        return isinstance(node, _DESCRIBING) and all(map(describes, ast.iter_child_nodes(node)))

    def described(part: _Part) -> bool:
        match part.statement:
            case ast.Assign([ast.Name(name)], ast.Call() as value):
                return times[name] == 1 and not hasattr(builtins, name) and describes(value)
        return False

    return "\n".join(part.text for part in _chosen(module, names) if not described(part))


def texts(module: str) -> tuple[str, ...]:
    """Return the docstrings of a module and of what it defines, each with its place in the syntax tree."""
    return texts_in(source_of(module))


@cache
def texts_in(text: str) -> tuple[str, ...]:
    """Return the docstrings of a module with this text."""

    def within(node: ast.AST, place: str) -> Iterator[str]:
        for number, child in enumerate(ast.iter_child_nodes(node)):
            if isinstance(child, ast.stmt):
                inside = f"{place}.{number}"
                yield from [f"{inside} {ast.unparse(child)}"] if is_text(child) else within(child, inside)

    return tuple(within(ast.parse(text), ""))


@cache
def source_of(module: str) -> str:
    """Return the text of a module of an installed package.

    Raises
    ------
    InputError
        If there is no such module, or Python might run another text: two files for it, or another encoding
        or end of lines.
    """
    package, *rest = module.split(".")
    found = find_spec(package)
    for root in (found.submodule_search_locations or ()) if found else ():
        path = Path(root, *rest)
        alone, room = path.with_suffix(".py"), path / "__init__.py"
        files = [each for each in (room, alone) if each.is_file()]
        if len(files) > 1:
            raise InputError(f"{module} is both a file and a folder: remove one of them")
        endings = (*EXTENSION_SUFFIXES, *BYTECODE_SUFFIXES)
        compiled = [Path(f"{stem}{each}") for each in endings for stem in (path, path / "__init__")]
        if any(each.is_file() for each in compiled):
            raise InputError(f"{module} is compiled as well: remove the compiled file")
        if files:
            return text_of(files[0])
    raise InputError(f"there is no module {module}: correct the name in the claim")


def text_of(path: Path) -> str:
    """Return the text of a file as Python reads it.

    Raises
    ------
    InputError
        If Python might read it in another way than as UTF-8 with line feeds.
    """
    data = path.read_bytes()
    encoding, _ = detect_encoding(BytesIO(data).readline)
    if encoding not in ("utf-8", "utf-8-sig"):
        raise InputError(f"{path.name} declares the encoding {encoding}: write it in UTF-8")
    if re.search(rb"\r(?!\n)", data):
        raise InputError(f"{path.name} ends a line in another way than by a line feed: use line feeds alone")
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    if len(f"{text}.".splitlines()) > text.count("\n") + 1:
        raise InputError(
            f"{path.name} has a character that some programs take for the end of a line: remove it"
        )
    return text


@cache
def imported(module: str, package: str) -> frozenset[str]:
    """Return a module and all modules of a package that it imports, directly or not, used or not."""
    found = [module]
    for each in found:  # grows while it is walked
        statements = (statement for part in _parts(each) for statement in part.imports)
        names = dict.fromkeys(name for statement in statements for name, _ in _imported(each, statement))
        found += [name for name in names if name not in found and name.partition(".")[0] == package]
    return frozenset(found)


@cache
def _text(module: str, names: frozenset[str | None]) -> str:
    return "\n".join(part.text for part in _chosen(module, names))


def _chosen(module: str, names: frozenset[str | None]) -> list[_Part]:
    """Return the parts of names in the order of the file: of two that bind one name, the later one counts."""
    return [part for part in _parts(module) if None in names or not part.binds or part.binds & names]


@cache
def _next(module: str, name: str | None) -> tuple[Place, ...]:
    """Return what one name uses: names of its module, and what its statements import."""
    parts = [part for part in _parts(module) if name is None or not part.binds or name in part.binds]
    used = frozenset[str | None]().union(*(part.uses for part in parts)) & _bindings(module)
    elsewhere = (place for part in parts for each in part.imports for place in _imported(module, each))
    return *((module, each) for each in used), *dict.fromkeys(elsewhere)


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
    """A statement at the top of a module, the names that it binds there, and its normal form.

    ``uses`` has every name in it, and ``imports`` every import, also of functions.
    """

    statement: ast.stmt
    binds: frozenset[str | None]
    text: str
    uses: frozenset[str]
    imports: tuple[ast.Import | ast.ImportFrom, ...]


@cache
def _stub_of(module: str) -> str:
    """Return the text of the stub that places the names of a package; proofs have none."""
    package, *rest = module.split(".")
    found = find_spec(package)
    for root in (found.submodule_search_locations or ()) if found else ():
        stub = Path(root, *rest, "__init__.pyi")
        if stub.is_file():
            return text_of(stub)
    return ""


@cache
def _parts(module: str) -> tuple[_Part, ...]:
    return *parts_of(_stub_of(module)), *parts_of(source_of(module))


@cache
def parts_of(text: str) -> tuple[_Part, ...]:
    """Return the parts of a module with this text."""
    return tuple(_part(each) for each in _single(ast.parse(text).body) if not is_text(each))


def _part(statement: ast.stmt) -> _Part:
    nodes = list(ast.walk(statement))
    uses = frozenset(node.id for node in nodes if isinstance(node, ast.Name))
    imports = tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return _Part(statement, _bound(statement), normal_form([statement]), uses, imports)


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
