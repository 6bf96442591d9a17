"""The action and the hooks for other repositories: their commands, run as on a build server."""

from __future__ import annotations

import json
import os
import re
import shlex
import site
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


TRUE_CLAIM = """
schema = "splu-ref/claims/1"

[[claim]]
id = "rare"
mechanism = "SPLU-Gen"
kind = "small-sum-privacy"
gamma = 5
epsilon = "0.3"
alpha = 3
t_p = "0.59"
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
            key: re.sub(r"\$\{\{ ([a-z_.-]+) \}\}", value, text) for key, text in step["env"].items()
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
    """A folder with an installed splu-ref, as after the first step of the action."""
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
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(action["inputs"])


def test_installation(tmp_path: Path) -> None:
    log = tmp_path / "log"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\n')
    python.chmod(0o755)
    home = str(tmp_path / "home")
    pip = f"-m pip --disable-pip-version-check --python {home}/bin/python"
    action, wheel, listed = tmp_path / "action", tmp_path / "a wheel.whl", tmp_path / "home" / "package.txt"
    action.mkdir()
    wheel.touch()
    listed.parent.mkdir()  # as the fresh environment would be
    local = f"{pip} install --quiet --no-deps --no-build-isolation --"
    hashed = f"splu-ref==0.1.0 --hash=sha256:{'0af9' * 16}"
    by_hash = f"--only-binary :all: --require-hashes --requirement {listed}"
    for package, installed in (
        ("", f"{local} {action}"),
        (str(action), f"{local} {action}"),
        ("a wheel.whl", f"{local} {wheel}"),  # in full: pip looks for a mere name elsewhere
        (hashed, f"{pip} install --quiet --no-deps {by_hash}"),
    ):
        log.unlink(missing_ok=True)
        step = _steps(python=str(python), package=package)["Install splu-ref"]
        assert _run(step, tmp_path, SPLU_HOME=home, SPLU_ACTION=str(action)).returncode == 0
        assert log.read_text().splitlines() == [
            f"-m venv --clear --without-pip {home}",
            f"{pip} install --quiet --require-hashes --requirement {action}/requirements.txt",
            installed,
            f"{pip} check",
        ]
    assert listed.read_text() == f"{hashed}\n"
    log.unlink()
    for package in (
        "splu-ref",
        "splu-ref==0.1.0",
        "splu-ref==0.1.0 --hash=sha256:0af9",
        f"splu-ref>=0.1.0 --hash=sha256:{'0af9' * 16}",
        f"{hashed}\nother",
        "https://example.org/splu_ref-0.1.0-py3-none-any.whl",
        "git+https://example.org/splu-ref",
        "-r requirements.txt",
    ):
        step = _steps(python=str(python), package=package)["Install splu-ref"]
        done = _run(step, tmp_path, SPLU_HOME=home, SPLU_ACTION=str(action))
        assert done.returncode == 2
        assert "give a local path, or a wheel with its hash" in done.stderr
        assert not log.exists(), package


def test_actions_and_packages_are_pinned() -> None:
    """Every action by its commit, every package that make or the action installs by its hash."""
    pages = [*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml", *(ROOT / "docs").rglob("*.md")]
    pages += [ROOT / "README.md"]
    text = "\n".join(page.read_text() for page in pages)
    used = re.findall(r"^[ -]*uses: (\S+)", text, re.MULTILINE)
    assert used
    for name in used:
        assert name.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name
    makefile = (ROOT / "Makefile").read_text()
    installing = re.findall(r"^\t\$\(INSTALL(?:_PEERS)?\) .*$", makefile, re.MULTILINE)
    assert len(installing) == 6
    assert makefile.count(" install ") == 2  # of INSTALL and INSTALL_PEERS themselves
    for line in installing:
        assert "--require-hashes" in line or "--no-deps --no-build-isolation --editable ." in line, line
    for name in re.findall(r"\S+\.txt", " ".join(installing)):
        lines = (ROOT / name).read_text().replace("\\\n", "").splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        assert pins
        assert all(re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", pin) for pin in pins), name


def test_all_steps_in_order(vectors: Path, tmp_path: Path) -> None:
    """Run every step as a build server does, with the packages installed here; then harmful programs."""
    home, python = tmp_path / "home", _python_of_a_machine(tmp_path)
    package = home / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "splu_ref"
    program, claims = tmp_path / "program.py", tmp_path / "-claims.toml"  # a name that looks like an option
    program.write_text(f"import os\nassert 'GITHUB_PATH' not in os.environ\n{ANSWERS}")
    claims.write_text(TRUE_CLAIM)
    steps = _steps(
        python=str(python),
        command=f"{shlex.quote(sys.executable)} -S program.py",
        smoke="true",
        vectors=str(vectors),
        claims=claims.name,
        promise="--gamma 5 --epsilon 0.3 --alpha 3 --at-least 0.59",
    )
    del steps["Audit the release"]  # which has a test of its own, below
    assert list(steps) == [
        "Install splu-ref",
        "Prepare the report",
        "Audit the claims",
        "Judge the promise",
        "Seal the installation and the audit",
        "Hold the program to the vectors",
        "Look for changes by the program",
    ]
    outputs = tmp_path / "outputs"
    outputs.touch()

    def code(name: str) -> int:
        environment = {"SPLU_HOME": str(home), "SPLU_ACTION": str(ROOT), "GITHUB_OUTPUT": str(outputs)}
        if "SPLU_DIGEST" in steps[name]["env"]:
            environment["SPLU_DIGEST"] = outputs.read_text().strip().removeprefix("digest=")
        done = _run(steps[name], tmp_path, GITHUB_PATH=str(tmp_path / "path"), **environment)
        assert done.returncode in (0, 1), (name, done.stderr)
        if name == hold:
            assert done.stdout == (report / "conformance.json").read_text()
            assert json.loads(done.stdout)["holds"] is True
            ElementTree.parse(report / "conformance.xml")
        return done.returncode

    report, (*_, hold, look) = tmp_path / "splu-ref-report", steps
    assert {name: code(name) for name in steps} == dict.fromkeys(steps, 0)
    program.write_text(f"open({str(package / 'new.py')!r}, 'w')\n{ANSWERS}")
    assert (code(hold), code(look)) == (0, 1)
    (package / "new.py").unlink()
    assert code(look) == 0
    (report / "audit" / "index.html").write_text("of the program")
    assert code(look) == 1


def _python_of_a_machine(folder: Path) -> Path:
    """Return a Python program whose fresh environments hold our own packages, but not splu-ref."""
    packages = folder / "packages"
    packages.mkdir()
    for each in Path(site.getsitepackages()[0]).iterdir():
        if not each.name.lower().replace("-", "_").startswith(("splu", "_splu")):
            (packages / each.name).symlink_to(each)
    base = str(getattr(sys, "_base_executable", sys.executable))
    python = folder / "machine-python"
    python.write_text(
        f'#!/bin/sh\n{shlex.quote(base)} "$@" || exit\n'
        '[ "$2" = venv ] || exit 0\n'
        f'echo {shlex.quote(str(packages))} > "$(echo "$5"/lib/python3.*/site-packages)"/ours.pth\n'
    )
    python.chmod(0o755)
    return python


def test_conformance_step(home: Path, vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "small program.py").write_text(ANSWERS)
    command = f"{shlex.quote(sys.executable)} -S 'small program.py'"
    steps = _steps(command=command, smoke="true", require="estimate", vectors=str(vectors))
    assert _run(steps["Prepare the report"], tmp_path).returncode == 0
    step = steps["Hold the program to the vectors"]
    assert step["if"] == "steps.seal.outcome == 'success' && !cancelled()"
    assert steps["Seal the installation and the audit"]["if"] == "inputs.command != '' && !cancelled()"
    lacking = _run(step, tmp_path, SPLU_HOME=str(home), SPLU_REQUIRE="publish_random")
    assert lacking.returncode == 1
    assert json.loads(lacking.stdout)["failures"][0]["id"] == "publish_random/required"


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
    """A program splu-ref that records its arguments, and fails for the file ``false.toml``."""
    program = tmp_path / "recorded" / "splu-ref"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@" >> "$0.log"\n[ "$3" != false.toml ]\n')
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
    code, words = _hook("splu-ref-audit", ["-b.toml", "c.toml"], recorded)
    assert (code, words) == (0, "audit|--|-b.toml|audit|--|c.toml|")
    assert _hook("splu-ref-audit", ["false.toml", "c.toml"], recorded)[0] == 1


def test_the_audit_step_runs(home: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text(TRUE_CLAIM.replace("0.59", "0.6"))
    steps = _steps(claims="claims.toml")
    names = list(steps)
    assert names.index("Audit the claims") < names.index("Hold the program to the vectors")
    _run(steps["Prepare the report"], tmp_path)
    page = tmp_path / "splu-ref-report" / "audit" / "index.html"
    page.parent.mkdir()
    page.write_text("of an earlier run")
    done = _run(steps["Audit the claims"], tmp_path, SPLU_HOME=str(home))
    assert done.returncode == 1, done.stderr
    assert "rare" in page.read_text()


def test_a_release_and_a_promise_are_judged(tmp_path: Path, home: Path) -> None:
    (tmp_path / "report").mkdir()
    table = "a,job\n" + "".join(f"{row},{job}\n" for row, job in enumerate(("x", "y", "z") * 2))
    (tmp_path / "published.csv").write_text(table)
    given = {
        "report": "report",
        "release": "published.csv",
        "release-options": "--sensitive job\n--gamma 4",
        "promise": "--gamma 5 --epsilon 0.3 --alpha 3 --at-least 0.59",
    }
    steps = _steps(**given)
    done = _run(steps["Audit the release"], tmp_path, SPLU_HOME=str(home))
    found = json.loads((tmp_path / "report" / "release.json").read_text())
    assert (done.returncode, found["verdict"]) == (1, "inconsistent")
    done = _run(steps["Judge the promise"], tmp_path, SPLU_HOME=str(home))
    assert (done.returncode, json.loads(done.stdout)["holds"]) == (0, True)
    broken = _steps(**given | {"promise": given["promise"].replace("0.59", "0.6")})
    assert _run(broken["Judge the promise"], tmp_path, SPLU_HOME=str(home)).returncode == 1
    injected = _steps(**given | {"promise": "--gamma $(touch taken) ; touch taken"})
    assert _run(injected["Judge the promise"], tmp_path, SPLU_HOME=str(home)).returncode == 2
    assert not (tmp_path / "taken").exists()


def test_no_report_is_written_through_a_symbolic_link(home: Path, vectors: Path, tmp_path: Path) -> None:
    """A link planted at the path of a report does not redirect the write, to a file (.json) or to none."""
    targets, report = tmp_path / "targets", tmp_path / "splu-ref-report"
    targets.mkdir()
    report.mkdir()
    (report / "audit").mkdir()
    (tmp_path / "published.csv").write_text("a,job\n1,x\n2,y\n3,x\n4,y\n")
    (tmp_path / "claims.toml").write_text(TRUE_CLAIM)
    (tmp_path / "program.py").write_text(ANSWERS)
    steps = _steps(
        command=f"{shlex.quote(sys.executable)} -S program.py",
        smoke="true",
        vectors=str(vectors),
        claims="claims.toml",
        release="published.csv",
        **{"release-options": "--sensitive job --gamma 2"},
        promise="--gamma 5 --epsilon 0.3 --alpha 3 --at-least 0.59",
    )
    written = {
        "Audit the claims": ["audit/index.html", "audit/claims.json", "audit/junit.xml"],
        "Audit the release": ["release.json"],
        "Judge the promise": ["promise.json"],
        "Hold the program to the vectors": ["conformance.json", "conformance.xml"],
    }
    for name, paths in written.items():
        for path in paths:
            target = targets / path.replace("/", "-")
            if path.endswith(".json"):
                target.write_text("of an earlier run")
            (report / path).symlink_to(target)
        done = _run(steps[name], tmp_path, SPLU_HOME=str(home))
        assert done.returncode in (0, 1, 3), done.stderr
        for path in paths:
            target = targets / path.replace("/", "-")
            assert target.exists() == path.endswith(".json"), path
            assert not target.exists() or target.read_text() == "of an earlier run", path
            assert (report / path).is_file(), path
            assert not (report / path).is_symlink(), path


def test_no_report_is_written_into_a_folder_behind_a_symbolic_link(
    home: Path, vectors: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "splu-ref-report").symlink_to(target)
    (tmp_path / "claims.toml").write_text(TRUE_CLAIM)
    promise = "--gamma 5 --epsilon 0.3 --alpha 3 --at-least 0.59"
    steps = _steps(command="cat", smoke="true", vectors=str(vectors), claims="claims.toml", promise=promise)
    for name in ("Install splu-ref", "Audit the release", "Seal the installation and the audit"):
        del steps[name]
    del steps["Look for changes by the program"]
    for name, step in steps.items():
        done = _run(step, tmp_path, SPLU_HOME=str(home))
        assert done.returncode == 2, name
        assert "is a symbolic link" in done.stderr
    assert not list(target.iterdir())
