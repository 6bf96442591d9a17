"""What modules of proofs may not do, so that importing or running one cannot change what judges it.

Their texts are read before any of them is imported, and kept. A folder only names its modules. Modules may
import a few modules of Python, and of the machinery what claims are written with; they may not store into
objects of other modules, nor use names that evaluate texts, reach into a running program or write files. This
is a rule for readers, not a sandbox.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from splu_ref.channels.parameters import InputError

from .reach import names_only, source_of

_PYTHON = frozenset(
    {
        "__future__", "collections", "collections.abc", "dataclasses", "fractions", "functools", "hashlib",
        "itertools", "math", "numpy", "operator", "polars", "statistics", "time", "types", "typing",
    }
)  # fmt: skip
_MACHINERY: dict[str, frozenset[str] | None] = {
    "terms": None,
    "check": frozenset({"Comparisons"}),
    "claim": frozenset({"Claim", "Status"}),
    "derivation": frozenset({"Derivation"}),
    "evidence": frozenset({"Grade"}),
    "recheck": frozenset({"on_grid"}),
    "step": frozenset({"Identity", "Inequality"}),
}
"""What modules of proofs import of the modules that judge them; None stands for every name."""
_BANNED = frozenset(
    {
        "ForwardRef", "Path", "ag_frame", "ast", "atexit", "attrgetter", "breakpoint", "builtins", "compile",
        "cr_frame", "delattr", "entry_points", "eval", "exec", "f_back", "f_builtins", "f_globals",
        "f_locals", "gc", "get_type_hints", "getattr", "gi_frame", "globals", "import_module", "importlib",
        "input", "inspect", "io", "locals", "make_dataclass", "memmap", "methodcaller", "open", "os",
        "runstring", "setattr", "setitem", "shutil", "subprocess", "sys", "tb_frame", "testing", "tofile",
        "update_wrapper", "vars", "wraps",
    }
)  # fmt: skip
_JUDGED = (ast.Import, ast.ImportFrom, ast.Name, ast.Attribute, ast.Subscript)
_DUNDER = frozenset({"__contains__", "__getitem__", "__init__", "__name__"})


def require_plain(modules: Iterable[str] = ()) -> None:
    """Read modules of proofs, by default all of them, and raise if one does what none may do.

    Raises
    ------
    InputError
        The message names the module and the line.
    """
    folder = Path(__file__).parent
    files = (each.relative_to(folder.parent).with_suffix("").parts for each in sorted(folder.rglob("*/*.py")))
    for module in modules or (".".join(parts) for parts in files):
        if module.endswith(".__init__"):
            if not names_only(module.removesuffix(".__init__"), frozenset({"PAPER", "MODULES"})):
                raise InputError(f"{module} does more than name its modules: take it out")
            continue
        tree = ast.parse(source_of(module))
        bound = {name for each in tree.body for name in _binds(each)}
        for node in ast.walk(tree):
            if isinstance(node, _JUDGED) and (why := next(_faults(node, bound), "")):
                raise InputError(f"{module}, line {getattr(node, 'lineno', 0)}: {why}: write it otherwise")


def _binds(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield from ((each.asname or each.name).partition(".")[0] for each in statement.names)
    elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    else:
        yield from (each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and _stored(each))


def _stored(node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _faults(node: ast.AST, bound: set[str]) -> Iterator[str]:
    match node:
        case ast.Import(names):
            yield from (f"it imports {each.name}" for each in names if each.name not in _PYTHON)
        case ast.ImportFrom(None | str() as origin, names, level):
            yield from _imported(origin or "", [each.name for each in names], level)
        case ast.Name(name):
            if name in _BANNED or (name.startswith("__") and name != "__name__"):
                yield f"it uses {name}"
        case ast.Attribute(_, name) if name in _BANNED or (name.startswith("__") and name not in _DUNDER):
            yield f"it uses {name}"
        case ast.Attribute(owner, name) if _is_private(name) and not _is_self(owner):
            yield f"it uses {name}"
        case ast.Attribute(ast.Name(owner), name) if _stored(node) and owner != "self":
            yield f"it changes {owner}.{name}"
        case ast.Attribute() if _stored(node) and not isinstance(node.value, ast.Name):
            yield f"it changes {ast.unparse(node)}"
        case ast.Subscript() if _stored(node):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if not isinstance(root, ast.Name) or root.id in bound:
                yield f"it changes {ast.unparse(node)}"


def _is_private(name: str) -> bool:
    return name.startswith("_") and name not in _DUNDER


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _imported(origin: str, names: list[str], level: int) -> Iterator[str]:
    top = origin.partition(".")[0]
    if level == 2:
        for module, name in [(top or name, name) for name in names]:
            allowed = _MACHINERY.get(module, frozenset()) if top else frozenset()
            if (
                Path(__file__).with_name(f"{module}.py").exists()
                and allowed is not None
                and name not in allowed
            ):
                yield f"it imports {module}"
    elif not level and ((origin not in _PYTHON and top != "splu_ref") or origin.startswith("splu_ref.cli")):
        yield f"it imports {origin}"
    for name in names:
        if name in _BANNED or name == "*" or (_is_private(name) and not level):
            yield f"it imports {name}"
