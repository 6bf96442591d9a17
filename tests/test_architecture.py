"""Which room of the library may import which: a dependency rule that matters is a test."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import splu_ref

ROOT = Path(splu_ref.__file__).parent

ROOMS = (
    "channels",
    "output",
    "data",
    "randomness",
    "mechanisms",
    "guarantees",
    "estimators",
    "audit",
    "api",
    "conformance",
    "report",
    "cli",
)
"""The rooms of the library. Each may import the rooms before it, except where `NEVER` says otherwise."""
NEVER = {
    "data": {"output"},
    "randomness": {"output"},
    "mechanisms": {"output"},
    "guarantees": {"output", "randomness", "mechanisms"},
    "estimators": {"guarantees"},
    "conformance": {"api"},
    "report": {"api"},
    "cli": {"api"},
}
"""Rooms that a later room does without: code that publishes cannot be fitted to the guarantees about it."""
SPECIFICATION = "spec"
"""The executable specification, of which the conformance room has the reader of requests."""
USES_SPECIFICATION = {"conformance"}
CHECKER = "certificate_checker"
"""One file that stands alone. Certificates are made and audited with its rules."""
USES_CHECKER = {"guarantees", "audit", "conformance", "report", "cli"}


def may_import(room: str) -> set[str]:
    """Return the rooms that the files of a room may import."""
    before = set(ROOMS[: ROOMS.index(room)]) - NEVER.get(room, set())
    return before | ({CHECKER} if room in USES_CHECKER else set())


def _files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _imported(path: Path) -> frozenset[tuple[str, str]]:
    """Return the modules that a file imports from, each with the name imported; empty for a whole module."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides which room it means"
            found |= {(str(node.module), alias.name) for alias in node.names}
    return frozenset(found)


def _modules(path: Path) -> set[str]:
    return {module for module, _ in _imported(path)}


IN_ROOMS = [path for path in _files() if path.relative_to(ROOT).parts[0] in ROOMS]


@pytest.mark.parametrize("path", IN_ROOMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_from_rooms_before_its_own_and_through_their_init(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for module, name in _imported(path):
        top, _, rest = module.partition(".")
        assert top not in {"splu_proofs", "property_tests", "tests", "experiments", "benchmarks"}
        if top != "splu_ref":
            continue
        if not rest:
            assert name in {"SPECIFICATION", "__version__"}, f"{name}: no file imports the package itself"
            continue
        other, _, inner = rest.partition(".")
        if other == SPECIFICATION:
            assert room in USES_SPECIFICATION, f"{room} may not import the specification"
        elif other != room:
            assert other in may_import(room), f"{room} may not import {other}"
            assert not inner, f"import {name} from splu_ref.{other}, not from a file in it"


def test_the_specification_needs_the_standard_library_alone() -> None:
    files = sorted((ROOT / SPECIFICATION).rglob("*.py"))
    assert files
    for path in files:
        for module in _modules(path):
            alone = module.partition(".")[0] in sys.stdlib_module_names
            assert alone or module == "splu_ref.spec" or module.startswith("splu_ref.spec."), (path, module)


def test_only_conformance_imports_the_specification() -> None:
    using = {
        path.relative_to(ROOT).parts[0]
        for path in _files()
        if any(f"{module}.{name}".startswith("splu_ref.spec") for module, name in _imported(path))
    }
    assert using == {SPECIFICATION} | USES_SPECIFICATION


def test_every_room_is_named_and_documented() -> None:
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert folders == {*ROOMS, SPECIFICATION}
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py", f"{CHECKER}.py"}


def test_contributors_find_each_room_its_purpose_and_its_rule() -> None:
    """The table of CONTRIBUTING.md is the one that the code gives."""
    rows = []
    for room in ROOMS:
        purpose = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8"))) or ""
        rule = ", ".join(f"`{each}`" for each in (*ROOMS, CHECKER) if each in may_import(room)) or "nothing"
        rows.append(f"| `{room}` | {purpose.splitlines()[0]} | {rule} |")
    table = "\n".join(rows)
    text = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert table in text, f"the table in CONTRIBUTING.md should be\n{table}"


def test_no_circle_of_imports() -> None:
    modules = {_module(path): path for path in _files()}
    uses = {
        module: {
            target
            for source, name in _imported(path)
            for target in (f"{source}.{name}", source)
            if target in modules and target != module and modules[target].name != "__init__.py"
        }
        for module, path in modules.items()
    }
    assert _circle(uses) == []


def test_a_circle_of_imports_is_found() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]


def _circle(uses: dict[str, set[str]]) -> list[str]:
    """Return the members of a circle, sorted, or an empty list: what is left when all leaves have gone."""
    left = {name: set(targets) for name, targets in uses.items()}
    while leaves := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in leaves:
            del left[name]
    while roots := [name for name in left if not any(name in targets for targets in left.values())]:
        for name in roots:
            del left[name]
    return sorted(left)


@pytest.mark.parametrize("room", ["channels", "guarantees"])
def test_guarantees_are_computed_without_floating_point(room: str) -> None:
    exact = [path for path in IN_ROOMS if path.relative_to(ROOT).parts[0] == room]
    assert exact
    for path in exact:
        inside = path.relative_to(ROOT).as_posix()
        if inside.startswith("guarantees/operators/") or inside == "channels/parameters.py":
            continue  # a solver proposes in floating point, and exact arithmetic decides; floats are refused
        assert not _modules(path) & {"numpy", "scipy", "random", "statistics"}
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(_without(tree, "as_floats") if room == "channels" else tree):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.Name) and node.id == "float"), path


def test_the_checker_stands_alone_and_without_floating_point() -> None:
    path = ROOT / f"{CHECKER}.py"
    assert not {module for module in _modules(path) if module.startswith("splu_ref")}
    assert not _modules(path) & {"numpy", "scipy", "random", "statistics"}


def test_tails_come_from_channels() -> None:
    for path in _files():
        text = path.read_text(encoding="utf-8")
        assert "scipy.stats" not in text
        assert "from scipy import stats" not in text


def _without(tree: ast.Module, name: str) -> ast.Module:
    """Return the module without its functions and methods of a name: the one way out of exact numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [part for part in node.body if getattr(part, "name", None) != name]
    return tree


def test_all_text_for_a_terminal_is_written_in_one_place() -> None:
    """Nothing else writes to a stream: a text from a file is made visible in one place or nowhere."""
    streams, calls = {"sys.stdout", "sys.stderr"}, {"print", "Console", "typer.echo", "typer.secho"}
    writing = {
        path.relative_to(ROOT).as_posix()
        for path in _files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _named(node, streams) or (isinstance(node, ast.Call) and _named(node.func, calls))
    }
    assert writing == {"output/terminal.py", "certificate_checker.py", "spec/protocol.py"}


def _named(node: ast.AST, names: set[str]) -> bool:
    """Return whether an expression is one of some dotted names; to write every one out takes long."""
    last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return any(name.rpartition(".")[2] == last and ast.unparse(node) == name for name in names)


def test_only_named_places_draw_random_bytes() -> None:
    drawing = {
        path.relative_to(ROOT).as_posix()
        for path in _files()
        if _modules(path) & {"secrets", "random", "ssl", "numpy.random"}
    }
    places = {"data/files.py", "randomness/sources.py", "randomness/key.py", "report/suite.py"}
    assert drawing <= places | {"spec/randomness.py"}
    for path in _files():
        assert "default_rng" not in path.read_text(encoding="utf-8")


def test_refuted_methods_are_registered_by_the_ledger_alone() -> None:
    for path in (ROOT / "estimators").rglob("*.py"):
        assert not re.search(r'"printed"', path.read_text(encoding="utf-8")), path
