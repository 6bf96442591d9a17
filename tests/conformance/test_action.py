"""The action and the hooks for other repositories: their own words, run as a build server would run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.conformance import vector_files, write_vectors

yaml = pytest.importorskip("yaml", reason="PyYAML is absent: it comes with the documentation's requirements")

ROOT = Path(__file__).parents[2]
ANSWERS = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        answer = {"ops": ["estimate"], "features": ["mle"], "name": "small", "version": "0"}
    elif request["published_count"] < 0:
        answer = {"error": {"kind": "parameter"}}
    else:
        answer = {"estimate": str(min(request["published_count"], request.get("bound", 10**9)))}
    print(json.dumps(answer), flush=True)
"""


def _action() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return document


def _steps(**given: str) -> dict[str, dict[str, Any]]:
    """Return the steps by name, with the expressions of their environment replaced."""
    action = _action()
    inputs = {name: entry["default"] for name, entry in action["inputs"].items()} | given
    assert set(inputs) == set(action["inputs"])

    def value(match: re.Match[str]) -> str:
        scope, _, name = match[1].partition(".")
        return inputs[name] if scope == "inputs" else f"<{match[1]}>"

    steps = {}
    for step in action["runs"]["steps"]:
        environment = {
            key: re.sub(r"\$\{\{ ([a-z_.]+) \}\}", value, text) for key, text in step["env"].items()
        }
        assert "${{" not in step["run"], "an input in the text of a script is a program of its author"
        steps[step["name"]] = {**step, "env": environment}
    return steps


def _run(step: dict[str, Any], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", step["run"]],
        cwd=folder,
        env=os.environ | step["env"] | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder in which splu-ref is installed, as the action's first step leaves it."""
    program = tmp_path / "home" / "bin" / "splu-ref"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m splu_ref "$@"\n')
    program.chmod(0o755)
    return tmp_path / "home"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """A folder with one vector file."""
    files = [file for file in vector_files() if file.path == "estimate/mle-5.json"]
    write_vectors(tmp_path / "vectors", files, force=False)
    return tmp_path / "vectors"


def test_every_input_is_documented() -> None:
    action = _action()
    assert action["runs"]["using"] == "composite"
    for entry in action["inputs"].values():
        assert entry["description"]
        assert isinstance(entry["default"], str)
    used = set(re.findall(r"inputs\.([a-z]+)", (ROOT / "action.yml").read_text()))
    assert used == set(action["inputs"])


def test_installation(tmp_path: Path) -> None:
    log = tmp_path / "log"
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\n'
        '[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"\nexit 0\n'
    )
    python.chmod(0o755)
    home = str(tmp_path / "home")
    for package, installed in (("", "<github.action_path>"), ("splu-ref==0.1.0", "splu-ref==0.1.0")):
        log.unlink(missing_ok=True)
        step = _steps(python=str(python), package=package)["Install splu-ref"]
        assert _run(step, tmp_path, SPLU_HOME=home).returncode == 0
        assert log.read_text() == f"-m venv {home}\n-m pip install --quiet {installed}\n"


def test_conformance_step(home: Path, vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "small program.py").write_text(ANSWERS)
    command = f"{shlex.quote(sys.executable)} -S 'small program.py'"
    steps = _steps(command=command, smoke="true", vectors=str(vectors))
    assert _run(steps["Prepare the report"], tmp_path).returncode == 0
    step = steps["Hold the program to the vectors"]
    assert step["if"] == "inputs.command != ''"
    done = _run(step, tmp_path, SPLU_HOME=str(home))
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "splu-ref-report" / "conformance.json").read_text()
    assert json.loads(written)["holds"] is True
    assert done.stdout == written
    ElementTree.parse(tmp_path / "splu-ref-report" / "conformance.xml")


def test_conformance_step_fails_with_the_program(home: Path, vectors: Path, tmp_path: Path) -> None:
    listed = tmp_path / "known failures"
    listed.write_text("protocol/end because\n")
    steps = _steps(command="cat", smoke="true", xfail=str(listed), timeout="2", vectors=str(vectors))
    _run(steps["Prepare the report"], tmp_path)
    done = _run(steps["Hold the program to the vectors"], tmp_path, SPLU_HOME=str(home))
    assert done.returncode == 1
    assert json.loads(done.stdout)["holds"] is False


def test_hooks() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"splu-ref-conform", "splu-ref-audit"}
    for hook in hooks:
        assert hook["language"] == "python"
        assert hook["name"]
        assert hook["description"]
        assert hook["require_serial"] is True


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A program splu-ref that writes its arguments down, and fails for the file ``false.toml``."""
    program = tmp_path / "recorded" / "splu-ref"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@" >> "$0.log"\n[ "$2" != false.toml ]\n')
    program.chmod(0o755)
    return program


def _hook(identifier: str, arguments: list[str], program: Path) -> tuple[int, str]:
    """Run a hook as pre-commit does: the words of its entry, then the arguments."""
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    command = [*shlex.split(hooks[identifier]["entry"]), *arguments]
    environment = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, check=False)
    return done.returncode, Path(f"{program}.log").read_text()


def test_the_conformance_hook_runs(recorded: Path) -> None:
    code, words = _hook("splu-ref-conform", ["--", "./a program"], recorded)
    assert (code, words) == (0, "conform|--smoke|--|./a program|")


def test_the_audit_hook_runs_for_every_file(recorded: Path) -> None:
    code, words = _hook("splu-ref-audit", ["a b.toml", "c.toml"], recorded)
    assert (code, words) == (0, "audit|a b.toml|audit|c.toml|")
    assert _hook("splu-ref-audit", ["false.toml", "c.toml"], recorded)[0] == 1


def test_the_audit_step_runs(home: Path, tmp_path: Path) -> None:
    claims = ROOT / "docs" / "examples" / "claims.toml"  # some of its claims are refuted
    steps = _steps(claims=str(claims))
    assert "!cancelled()" in steps["Audit the claims"]["if"]
    _run(steps["Prepare the report"], tmp_path)
    page = tmp_path / "splu-ref-report" / "audit" / "index.html"
    page.parent.mkdir()
    page.write_text("of an earlier run")
    done = _run(steps["Audit the claims"], tmp_path, SPLU_HOME=str(home))
    assert done.returncode == 1, done.stderr
    assert "uncommon-diagnoses" in page.read_text()
