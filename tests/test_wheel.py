"""The installed package verifies itself: from a wheel, in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from splu_proofs import LEDGER
from splu_ref.conformance import file_bytes

ROOT = Path(__file__).parent.parent
SOURCES = {".css", ".gz", ".j2", ".js", ".md", ".mjs", ".py", ".pyi", ".toml", ".typed", ".v"}
"""Of what is committed; what is compiled ends otherwise."""


def _run(arguments: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from this checkout and unpack it into a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    built = _run(["-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")], ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_what_it_needs_and_nothing_else(installed: Path) -> None:
    top = {path.name for path in installed.iterdir()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"splu_ref", "splu_proofs"}
    assert file_bytes(installed / "splu_ref" / "conformance" / "vectors") == file_bytes(ROOT / "vectors")
    assert not [path for path in installed.rglob("*") if path.suffix in {".vo", ".glob", ".aux", ".pyc"}]
    (information,) = installed.glob("*.dist-info")
    assert (information / "licenses" / "LICENSE").exists()


def test_the_wheel_holds_every_file_of_both_packages_as_it_is(installed: Path) -> None:
    for folder, package in ((ROOT, "splu_ref"), (ROOT / "proofs", "splu_proofs")):
        for path in (folder / package).rglob("*.*"):
            if path.suffix in SOURCES:
                assert (installed / path.relative_to(folder)).read_bytes() == path.read_bytes(), path


VERIFIED = """
import json, pathlib, sys
from splu_proofs import LEDGER, Ledger
from splu_ref.cli import main
from splu_ref.report.stages import enumeration
rows, run, few = LEDGER.rows(), Ledger.run, ("splu.D1", "splu.B", "splu.T3", "splu.T2")
Ledger.run = lambda self, *_, **options: [run(self, each, **options)[0] for each in few]
known = [Ledger.rows.__code__.co_filename, rows]
pathlib.Path("known.json").write_text(json.dumps(known))
Ledger.rows = lambda self: [row for row in rows if row["id"] in few]
enumeration.ENUMERATED = dict(list(enumeration.ENUMERATED.items())[:1])
enumeration.DECLARED = enumeration.DECLARED[:1]
sys.exit(main(["verify", "--level", "quick", "--json", "--report", "report"]))
"""
"""Every stage with a few claims and enumerations: `make verify` runs them all, from these files."""


def test_quick_verification_passes_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = _run(["-c", VERIFIED], tmp_path, PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    result, (place, rows) = json.loads(done.stdout), json.loads((tmp_path / "known.json").read_text())
    assert rows == json.loads(json.dumps(LEDGER.rows()))
    assert str(installed) in place
    assert {"claims", "passed", "failed", "false_alarm_budget", "seconds"} <= set(result)
    assert result["failed"] == 0
    assert (tmp_path / "report" / "index.html").read_text().startswith("<!doctype html>")
    assert len(result["claims"]) == 4
    assert all(row["passed"] is not False and row["result"] for row in result["claims"])
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "index.html",
        "junit.xml",
        "report.json",
    }


def test_the_wheel_writes_its_vectors_and_conforms_to_them(installed: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return _run(["-m", "splu_ref", *arguments], tmp_path, PYTHONPATH=str(installed))

    done = run("vectors", "vectors")
    assert done.returncode == 0, done.stderr
    assert file_bytes(tmp_path / "vectors") == file_bytes(ROOT / "vectors")
    program = [sys.executable, "-m", "splu_ref.conformance"]
    for source in [], ["--vectors", "vectors"]:
        done = run("conform", "--only", "estimate/mle-3/count-0", "--json", *source, "--", *program)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["verdict"] == "passed"


def test_full_verification_asks_for_a_checkout(installed: Path, tmp_path: Path) -> None:
    done = _run(["-m", "splu_ref", "verify", "--level", "full"], tmp_path, PYTHONPATH=str(installed))
    assert done.returncode == 2
    assert done.stderr.startswith("splu-ref: ")
    assert "--level quick" in done.stderr
