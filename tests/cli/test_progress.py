"""A command that may take long shows on a terminal that it works."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from splu_ref import cli
from splu_ref.cli import main
from splu_ref.cli.app import COMMANDS

CLI = Path(cli.__file__).parent
AT_ONCE = {
    "claims": "it prints what is stored, and Coq and the proofs report for themselves",
    "key": "it draws 32 bytes",
    "page": "it writes a file that is in the package",
    "verify": "its stages report for themselves",
}
"""Commands without a progress bar, with the reason."""
SEARCHING = {
    "operator --prior t.csv --column job --rho1 1/10 --rho2 1/2": "operator",
    "anonymity t.csv --quasi age": "anonymity",
    "breach --retention 1/5 --values 14 --rho1 1/10 --rho2 1/2": "breach",
    "useful --alpha 1/2 --beta 1/4 --n 8 --m 30 --query-size 12 --rho 2": "useful",
    "sample-size --retention 1/5 --share 1/4 --epsilon 1/4 --delta 1/10": "sample_size",
}


def _modules(name: str) -> Iterator[Path]:
    """Yield the module of a command and those of its folder that it imports."""
    module = CLI / f"{name}.py"
    yield module
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("splu_ref.cli."):
            yield CLI / f"{(node.module or '').rpartition('.')[2]}.py"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_progress_or_says_why_it_needs_none(command: str) -> None:
    modules = _modules(command.replace("-", "_"))
    shows = any(re.search(r"(with|,) counted\(", path.read_text("utf-8")) for path in modules)
    assert shows == (command not in AT_ONCE)


@pytest.mark.parametrize("words", SEARCHING)
def test_a_search_is_inside_its_progress(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age,job\n1,a\n2,b\n3,c\n4,a\n")
    titles: list[str] = []

    @contextmanager
    def counted(title: str) -> Iterator[Callable[[int, int], None]]:
        titles.append(title)
        yield lambda done, whole: None

    monkeypatch.setattr(f"splu_ref.cli.{SEARCHING[words]}.counted", counted)
    assert main(words.split()) in (0, 1)
    assert titles
