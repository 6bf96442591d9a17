"""The files beside the code: versions agree, links lead somewhere, nothing private is in them."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from splu_ref import SPECIFICATION, __version__
from tests.docs import vector_pages

ROOT = vector_pages.ROOT
"""The checkout; the folder of the documentation's extensions is on the path."""
TEXTS = [ROOT / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md")]
OTHERS = [
    page for room in ("proofs", "vectors", "tests", "benchmarks") for page in (ROOT / room).rglob("*.md")
]
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if not {"_build", "reference"} & set(page.parts)]


def test_versions_agree() -> None:
    assert f"## [{__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"| {'.'.join(__version__.split('.')[:2])} | yes |" in (ROOT / "SECURITY.md").read_text(
        encoding="utf-8"
    )
    number = f"The number of this specification is {SPECIFICATION};"
    assert number in (ROOT / "docs/specification/index.md").read_text(encoding="utf-8")


def test_the_date_of_the_version_is_the_same_everywhere() -> None:
    changed = re.search(
        rf"## \[{re.escape(__version__)}\] - (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    )
    assert changed is not None
    assert f'date-released: "{changed[1]}"' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_license_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\nlicense: {project['license']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def _unresolved(page: Path, text: str) -> list[str]:
    """Return the relative links of a page whose file a checkout lacks, or whose claim that does not name."""
    found = []
    for target, part in re.findall(r"\]\(([^()#\s]+)(?:#([^)]*))?\)", re.sub(r"(?ms)^```.*?^```", "", text)):
        file = page.parent / target
        if re.match("[a-z]+:", target):
            continue
        generated = any(
            file.resolve().is_relative_to(ROOT / "docs" / each) for each in ("_build", "reference")
        )
        named = "." not in part or file.suffix != ".py" or f'id="{part}"' in file.read_text("utf-8")
        if generated or not file.exists() or not named:
            found.append(target)
    return found


@pytest.mark.parametrize("page", [*TEXTS, *PAGES, *OTHERS], ids=lambda page: page.name)
def test_links_lead_to_files_of_a_checkout(page: Path) -> None:
    assert _unresolved(page, page.read_text("utf-8")) == []


@pytest.mark.parametrize("target", [
    "reference/claims/splu.V.md", "none.md", "../splu_ref/spec/none.py",
    "../proofs/splu_proofs/splu/iteration.py#splu.none",
])  # fmt: skip
def test_a_link_to_nowhere_is_detected(target: str) -> None:
    assert _unresolved(ROOT / "docs" / "index.md", f"See [it]({target}).") == [target.partition("#")[0]]


def test_links_to_code_become_links_to_the_pages_that_show_it() -> None:
    pages: Any = import_module("generated_pages")
    made = {f"reference/{name}" for name in (*pages.claim_pages(), *pages.specification_pages())}
    links: list[str] = []
    for page in PAGES:
        name, source = page.relative_to(ROOT / "docs").with_suffix("").as_posix(), [page.read_text("utf-8")]
        pages._link(None, name, source)
        folder = "../" * name.count("/")
        links += re.findall(rf"\]\({re.escape(folder)}(reference/[^)]+)\)", source[0])
        assert "splu_ref/spec/" not in "".join(re.findall(r"\]\([^)]*\)", source[0]))
    assert len(links) > 50
    assert set(links) <= made


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_files_named_in_texts_exist(text: Path) -> None:
    for name in re.findall(
        r"`((?:docs|splu_ref|tests|proofs|property_tests|benchmarks|experiments)/[\w./-]+)`",
        text.read_text(encoding="utf-8"),
    ):
        assert name.startswith("docs/_build/") or (ROOT / name).exists(), name


def test_one_profile_holds_for_all_property_tests() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    own = [path for path in (ROOT / "tests").rglob("*.py") if "deadline=" in path.read_text(encoding="utf-8")]
    assert {path.name for path in own} <= {"conftest.py", "test_project_files.py"}


def test_hooks_for_contributors_run_tools_that_the_environment_has() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    development = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = {re.split(r"[>=<]", each)[0] for each in development["optional-dependencies"]["dev"]}
    called = re.findall(r"entry: \.venv/bin/(\S+)", hooks)
    assert len(called) == hooks.count("entry:") > 0
    assert set(called) <= tools


def test_the_workflow_runs_what_is_here_and_publishes_what_that_makes() -> None:
    workflow = (ROOT / ".github/workflows/verify.yml").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^ +- run: (.+)$", workflow, flags=re.MULTILINE)
    assert commands == [".ci/run", "make docs"]
    assert (ROOT / commands[0]).stat().st_mode & 0o100
    assert re.findall(r"^          path: (.+)$", workflow, flags=re.MULTILINE) == [
        "report",
        "docs/_build/html",
    ]
    assert re.search(r"^docs: .*\n\t.* docs/_build/html$", makefile, flags=re.MULTILINE)
    assert "--report report " in makefile
    assert 'python-version: "3.11"' in workflow
    jobs = set(re.findall(r"^  ([a-z]+):$", workflow.partition("\njobs:\n")[2], flags=re.MULTILINE))
    assert jobs == {"suite", "documentation", "publish"}
    assert "needs: [suite, documentation]" in workflow


@pytest.mark.parametrize("page", TEXTS + PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_absolute_path_and_no_address(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.:/`])/(?:home|root|tmp|work|usr|opt|Users)/", text)
    assert not re.search(r"[\w.]+@[\w.]+\.\w+", text)


def _locked(name: str) -> dict[str, list[str]]:
    """Return the requirements of a lock file, each with its hashes."""
    entries = re.sub(r"\s*\\\n\s*", " ", (ROOT / name).read_text(encoding="utf-8")).splitlines()
    return {entry.split(" --hash=")[0]: entry.split(" --hash=")[1:] for entry in entries}


def test_whatever_is_installed_has_a_hash() -> None:
    everything, needed = _locked("constraints.txt"), _locked("requirements.txt")
    with_spark = _locked("constraints-spark.txt")
    for entry, hashes in (everything | needed | with_spark).items():
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", entry), entry
        assert hashes, entry
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in hashes), entry
    assert needed.items() <= everything.items()
    alone = with_spark.keys() - everything.keys()
    assert {entry.partition("==")[0] for entry in alone} == {"pyspark", "py4j"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split("[=<>~ ]", entry)[0] for entry in needed}
    for requirement in (*project["dependencies"], *project["optional-dependencies"]["build"]):
        assert re.split("[=<>~ ]", requirement)[0].replace("_", "-") in names, requirement


def test_every_dependency_says_what_it_is_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    groups = {"": project["dependencies"]} | {
        name: extras[name] for name in ("experiments", "figures", "frames", "proofs")
    }
    wanted = {(re.split("[=<>~ ]", each)[0], extra) for extra, group in groups.items() for each in group}
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^(\n]+)(?: \(`(\w+)`\))? \| .+ \| \d+ \|$", page, flags=re.MULTILINE)
    assert {(name, extra) for names, extra in rows for name in re.findall(r"`([\w-]+)`", names)} == wanted


def test_each_equivalent_fault_has_a_pattern_and_a_reason() -> None:
    rules = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text("utf-8"))["rule"]
    assert rules
    for rule in rules:
        assert rule.keys() == {"reason", "change"}
        assert len(rule["reason"].split()) > 3
        assert re.compile(rule["change"], re.MULTILINE).search("") is None
