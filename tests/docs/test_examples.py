"""Every command and every Python example of the documentation is run, and its output compared.

In a ``console`` block a line that starts with ``$`` is a command. The lines after it are its output, standard
output and error together; if there are none, any output will do. ``…`` stands for the rest of a line, and a
line ``…`` for any lines. A command must succeed unless ``$ echo $?`` follows it. In a ``python`` block the
examples have the form of doctest.

A reader goes from page to page in one folder, from the README on. So a page's commands run where every file
that another page writes stands already, as one that nothing can be done with.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from experiments import program as experiments
from splu_ref.cli import main
from splu_ref.cli.app import COMMANDS, command
from splu_ref.data import embedded_table, write_table

ROOT = Path(__file__).parents[2]
GENERATED = {"_build", "reference"}
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if not GENERATED & set(page.parts)),
]
_BLOCK = re.compile(r"^```(?P<language>[a-z]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


_WRITTEN = re.compile(
    r"(?<!\S)(?:-o|--(?:output|manifest|report|certificate|transcript|log|picture|schema|sensitive-table))"
    r" (\S+)"
)


@dataclass(frozen=True)
class Step:
    command: str
    expected: str


def code_blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [block["text"] for block in _BLOCK.finditer(text) if block["language"] == language]


def steps(block: str) -> list[Step]:
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block must begin with a command, not {parts[0]!r}"
    return [Step(command, output) for command, output in zip(parts[1::2], parts[2::2], strict=True)]


def run(command: str, previous_code: int) -> tuple[str, int]:
    """Return what a command prints, and its exit code."""
    words = shlex.split(command)
    output = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        if words[0] == "splu-ref":
            code = main(words[1:])
        elif words[:3] == ["python", "-m", "experiments"]:
            code = experiments.main(words[3:])
        elif words[:2] == ["python", "-c"]:
            exec(compile(words[2], "<example>", "exec"), {})
        elif words == ["echo", "$?"]:
            output.write(f"{previous_code}\n")
        else:
            raise AssertionError(
                f"splu-ref, python -m experiments and python -c alone are run, not {command!r}"
            )
    return output.getvalue(), code


def matches(expected: str, actual: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…"))) + r"\n"
        for line in expected.splitlines()
    )
    trimmed = "".join(line.rstrip() + "\n" for line in actual.strip("\n").splitlines())
    return re.fullmatch(pattern, trimmed) is not None


def named(page: Path) -> set[str]:
    """Return the files that the commands of a page name as something to be written."""
    return {name for block in code_blocks(page, "console") for name in _WRITTEN.findall(block)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for example in (ROOT / "docs" / "examples").iterdir():
        (tmp_path / example.name).write_bytes(example.read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if code_blocks(page, "console")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_commands(page: Path, folder: Path) -> None:
    if "write_table" not in page.read_text(encoding="utf-8"):  # pages after the quickstart use its table
        write_table(embedded_table(), folder / "adult.csv")
    for name in {name for other in PAGES if page not in (other, PAGES[0]) for name in named(other)}:
        (folder / name).write_bytes(b"\0 what another page wrote")
    for block in code_blocks(page, "console"):
        shown = steps(block)
        code = 0
        for step, following in zip(shown, [*shown[1:], None], strict=True):
            actual, code = run(step.command, code)
            if step.expected.strip():
                assert matches(step.expected, actual), f"$ {step.command}\n{actual}"
            may_fail = following is not None and following.command == "echo $?" and following.expected.strip()
            assert code == 0 or may_fail, f"$ {step.command}\n{actual}"


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if code_blocks(page, "python")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python(page: Path, folder: Path) -> None:
    source = "\n".join(code_blocks(page, "python"))
    assert all(">>> " in block for block in code_blocks(page, "python")), "write examples with >>>"
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.write)
    assert runner.failures == 0, report.getvalue()
    assert runner.tries > 0


def _mentioned(text: str) -> set[tuple[str, str]]:
    """Return the pairs (command, option) in all code of a page, without what is piped or commented.

    A command of the experiments has their program before its name.
    """
    found = set()
    for program, line in re.findall(rf"(splu-ref|{experiments.NAME}) ([a-z-]+[^`\n#]*)", text):
        command, _, rest = line.partition(" ")
        command = command if program == "splu-ref" else f"{program} {command}"
        found |= {(command, option) for option in re.findall(r"(?<!\S)--?[a-z][a-z0-9-]*", rest)} | {
            (command, "")
        }
    return found


@cache
def _options() -> dict[str, set[str]]:
    """Return the options of each command."""
    commands = {name: command(name) for name in COMMANDS}
    commands |= {f"{experiments.NAME} {name}": experiments.load(name) for name in experiments.COMMANDS}
    known = {
        name: {"", "--help", "-h"} | {option for parameter in each.params for option in parameter.opts}
        for name, each in commands.items()
    }
    return known | {"--version": {""}, "--install-completion": {""}}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_exist(page: Path) -> None:
    code = re.findall(r"```[a-z]*\n.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    known = _options()
    unknown = {
        pair for block in code for pair in _mentioned(block) if pair[1] not in known.get(pair[0], set())
    }
    assert not unknown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_a_text_and_a_target(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for said, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "code", text)):
        assert said.strip(), f"a link to {target} shows nothing where the page is not built"
        path = page.parent / target.partition("#")[0]
        assert "://" in target or GENERATED & set(path.parts) or path.exists(), target


def test_the_comparison_can_fail() -> None:
    assert matches("a 3…\n", "a 3650   \n")
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert not matches("a 3…\n", "a 4650\n")
    assert not matches("a\n", "a\nb\n")
    assert not matches("a.c\n", "abc\n")
