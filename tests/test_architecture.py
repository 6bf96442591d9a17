"""Who may know whom: a dependency rule that matters is a test, not a sentence."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import splu_ref

ROOT = Path(splu_ref.__file__).parent

MAY_IMPORT: dict[str, set[str]] = {
    "model": set(),
    "terminal": set(),
    "lazy": set(),
    "binomial": {"model"},
    "channels": {"model", "binomial"},
    "signals": set(),
    "files": {"model", "signals"},
    "folders": {"model", "signals", "files"},
    "junit": set(),
    "pictures": set(),
    "randomness": {"model", "files"},
    "microdata": {"model", "files"},
    "decoys": {"model", "binomial", "channels", "randomness", "microdata"},
    "interfaces": {"channels", "randomness", "microdata"},
    "manifest": {"model", "files", "randomness", "interfaces", "microdata"},
    "mechanisms": {
        "model",
        "binomial",
        "channels",
        "files",
        "randomness",
        "interfaces",
        "microdata",
        "decoys",
        "manifest",
    },
    "guarantees": {"model", "lazy", "binomial", "channels"},
    "operators": {"model", "channels"},
    "certificates": {
        "model",
        "binomial",
        "channels",
        "guarantees",
        "operators",
        "files",
        "certificate_checker",
    },
    "certificate_checker": set(),
}
MAY_IMPORT["estimators"] = MAY_IMPORT["mechanisms"] | {"mechanisms"}
MAY_IMPORT["tables"] = MAY_IMPORT["estimators"] | {"estimators", "pictures", "terminal"}
MAY_IMPORT["engines"] = MAY_IMPORT["mechanisms"] | {"mechanisms"}
BEFORE_AUDIT = set(MAY_IMPORT)
MAY_IMPORT["audit"] = BEFORE_AUDIT
MAY_IMPORT["door"] = BEFORE_AUDIT | {"audit"}
MAY_IMPORT["conformance"] = BEFORE_AUDIT | {"audit"}
MAY_IMPORT["report"] = BEFORE_AUDIT | {"audit", "conformance"}
MAY_IMPORT["cli"] = BEFORE_AUDIT | {"audit", "conformance", "report"}
MAY_IMPORT["__main__"] = {"cli"}


def _modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def _experiments() -> list[Path]:
    return sorted((ROOT.parent / "experiments").rglob("*.py"))


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def _imports(path: Path) -> frozenset[str]:
    """Return the full names of the modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides which room it means"
            found.add(str(node.module))
    return frozenset(found)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_from_rooms_before_it(path: Path) -> None:
    parts = path.relative_to(ROOT).parts
    room = parts[0].removesuffix(".py")
    if room == "__init__":
        return  # the door: tests/door shows that importing it loads no room
    used = {_room(name) for name in _imports(path) if name.startswith("splu_ref.")}
    assert used - {room} <= MAY_IMPORT[room]
    outside = {"splu_proofs", "property_tests", "experiments", "tests"}
    assert not {name for name in _imports(path) if name.split(".")[0] in outside}


FLATS = ("answers", "linear", "shrunk", "queries", "estimator", "__init__")
"""Of the room `estimators`, from the ground up; its other files know none of these."""


@pytest.mark.parametrize("path", sorted((ROOT / "estimators").rglob("*.py")), ids=lambda path: path.stem)
def test_estimators_import_only_from_floors_below(path: Path) -> None:
    flat = path.relative_to(ROOT / "estimators").parts[0].removesuffix(".py")
    used = {name.split(".")[2] for name in _imports(path) if name.startswith("splu_ref.estimators.")}
    if flat in FLATS:
        assert not used & set(FLATS[FLATS.index(flat) + 1 :])
    else:
        assert not used
    assert '"printed"' not in path.read_text(encoding="utf-8"), "refuted methods are registered by the ledger"


def test_only_a_release_asks_the_door() -> None:
    """It answers queries by estimators that its room does not know; other rooms know whom they call."""
    asking = []
    for path in _modules():
        tree = ast.walk(ast.parse(path.read_text("utf-8")))
        nodes = [node for node in tree if isinstance(node, ast.Import)]
        if any(alias.name == "splu_ref" for node in nodes for alias in node.names):
            asking.append(path.relative_to(ROOT).as_posix())
    assert asking == ["mechanisms/release.py"]


def test_experiments_are_imported_by_nothing_that_is_installed() -> None:
    """They use the library and the proofs; neither knows them, so that a wheel is whole without them."""
    assert any(name.startswith("splu_ref.") for path in _experiments() for name in _imports(path))
    proofs = sorted((ROOT.parent / "proofs" / "splu_proofs").rglob("*.py"))
    assert proofs
    for path in (*_modules(), *proofs):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not {name.split(".")[0] for name in named} & {"experiments", "property_tests", "tests"}, (
                path
            )


def test_every_room_has_its_rule() -> None:
    rooms = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in _modules()} - {"__init__"}
    assert rooms == set(MAY_IMPORT)


def test_contributors_are_told_every_room_and_its_rule() -> None:
    text = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told: dict[str, set[str]] = {}
    for room, rule in re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", text, flags=re.MULTILINE):
        named = set(re.findall(r"`(\w+)`", rule))
        told[room] = set(told) - named if rule.startswith("all above") else named
    assert told == MAY_IMPORT


@pytest.mark.parametrize(
    "room", ["binomial", "channels", "guarantees", "certificates", "certificate_checker"]
)
def test_guarantees_are_computed_without_floating_point(room: str) -> None:
    files = [path for path in _modules() if path.relative_to(ROOT).parts[0].removesuffix(".py") == room]
    assert files
    for path in files:
        assert not _imports(path) & {"numpy", "scipy", "random", "statistics"}
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(_without(tree, "as_floats") if room == "channels" else tree):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.Name) and node.id == "float"), path


def test_tails_come_from_binomial() -> None:
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        assert "scipy.stats" not in text
        assert "from scipy import stats" not in text


def _without(tree: ast.Module, name: str) -> ast.Module:
    """Return the module without its functions and methods of a name: the one way out of exact numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [part for part in node.body if getattr(part, "name", None) != name]
    return tree


def test_all_output_goes_one_way() -> None:
    """Nothing else writes to a stream: a text from a file is made visible in one place or nowhere."""
    streams, calls = {"sys.stdout", "sys.stderr"}, {"print", "Console", "typer.echo", "typer.secho"}
    writing = {
        path.relative_to(ROOT if path.is_relative_to(ROOT) else ROOT.parent).as_posix()
        for path in (*_modules(), *_experiments())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _named(node, streams) or (isinstance(node, ast.Call) and _named(node.func, calls))
    }
    assert writing == {"terminal.py", "certificate_checker.py", "conformance/__main__.py"}


def _named(node: ast.AST, names: set[str]) -> bool:
    """Say whether an expression is one of some dotted names; to write every one out takes long."""
    last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return any(name.rpartition(".")[2] == last and ast.unparse(node) == name for name in names)


def test_only_named_places_draw_random_bytes() -> None:
    drawing = {
        path.relative_to(ROOT).as_posix()
        for path in _modules()
        if _imports(path) & {"secrets", "random", "ssl", "numpy.random"}
    }
    assert drawing <= {"files.py", "randomness/system.py", "randomness/key.py", "report/suite.py"}
    for path in _experiments():
        assert not _imports(path) & {"secrets", "random", "ssl", "numpy.random"}
    for path in (*_modules(), *_experiments()):
        assert "default_rng" not in path.read_text(encoding="utf-8")
