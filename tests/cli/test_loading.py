"""Commands, and the libraries that they need, are loaded when they are used."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import splu_ref.cli
from splu_ref.cli import main
from splu_ref.cli.app import COMMANDS

HEAVY = {
    "numpy", "scipy", "sympy", "mpmath", "polars", "narwhals", "matplotlib", "jinja2", "pandas", "pyarrow",
    "pydantic", "jsonschema", "latex2mathml", "rich.markdown", "rich.progress", "splu_proofs",
}  # fmt: skip
PACKAGE = Path(splu_ref.__file__).parent
PRIVACY = ["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3"]
LOADED = """
import sys
from splu_ref.cli import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write("\\n".join(sys.modules))
sys.exit(code)
"""


def _loaded(words: list[str], folder: Path) -> set[str]:
    """Return the modules that a command leaves loaded in a process of its own."""
    modules = folder / "modules"
    subprocess.run([sys.executable, "-c", LOADED, str(modules), *words], check=True, capture_output=True)
    return set(modules.read_text().split("\n"))


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        PRIVACY,
        [*PRIVACY, "--json"],
        [*PRIVACY, "--help"],
        ["check", "CERTIFICATE"],
    ],
    ids=" ".join,
)
def test_no_heavy_library_is_loaded_for_a_small_answer(words: list[str], tmp_path: Path) -> None:
    certificate = tmp_path / "t_p.json"
    assert main([*PRIVACY, "--certificate", str(certificate)]) == 0
    loaded = _loaded([str(certificate) if word == "CERTIFICATE" else word for word in words], tmp_path)
    assert "splu_ref.cli.app" in loaded
    assert not loaded & HEAVY


def test_json_is_printed_without_a_library_for_terminals(tmp_path: Path) -> None:
    assert not any(name.split(".")[0] == "rich" for name in _loaded([*PRIVACY, "--json"], tmp_path))


def test_a_heavy_library_would_be_detected(tmp_path: Path) -> None:
    assert {"splu_proofs", "numpy"} <= _loaded(["claims", "--json"], tmp_path)


def test_the_list_of_commands_is_that_of_their_files() -> None:
    folder = Path(inspect.getfile(splu_ref.cli)).parent
    files = {path.stem for path in folder.glob("*.py") if "EXAMPLE = " in path.read_text(encoding="utf-8")}
    assert {name.replace("-", "_") for name in COMMANDS} == files
    for name, summary in COMMANDS.items():
        own = inspect.getdoc(import_module(f"splu_ref.cli.{name.replace('-', '_')}").run)
        assert own is not None
        assert summary == " ".join(own.split("\n\n")[0].split())


def test_the_help_shows_every_summary_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name, summary in COMMANDS.items():
        assert f"{name} {summary}" in shown


@pytest.mark.parametrize("room", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.pyi")))
def test_a_room_loads_each_name_from_the_file_that_its_stub_names(room: str) -> None:
    package = import_module(f"splu_ref.{room}")
    stub = ast.parse((PACKAGE / room / "__init__.pyi").read_text("utf-8"))
    files = {path.stem for path in (PACKAGE / room).iterdir()}
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    known = {alias.name: f"splu_ref.{room}.{node.module}" for node in imports for alias in node.names}
    assert all(alias.asname == alias.name for node in imports for alias in node.names), "no name is exchanged"
    assert known.keys() == set(package.__all__)
    assert not known.keys() & files, "a file would take the place of the name"
    for name, module in known.items():
        assert getattr(package, name) is getattr(import_module(module), name)
    with pytest.raises(AttributeError, match="nothing"):
        _ = package.nothing


def test_values_of_options_are_what_their_types_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["key", str(tmp_path / "a key"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"key_file": str(tmp_path / "a key")}
    assert main(["verify", "--workers", "none"]) == 2
    assert main(["verify", "--level", "none"]) == 2
    assert main(["privacy", "--gamma"]) == 2
