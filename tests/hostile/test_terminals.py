"""Every command on a table, names and texts that try to steer a terminal, hide words or forge lines."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from unicodedata import category
from unittest.mock import patch

import pytest

from splu_ref.conformance import vector_files
from tests.hostile.commands import given, printed
from tests.programs import COMMANDS, started

STEERING = (
    "\x1b[38;5;201m\x1b]0;owned\x07\x9b5m\x7f\x08\u202e\u2066\u200b\u2028\u2029\ufeff\u00ad"
    "\U000e0041\ufe0f\U000e0100\u180b\u3164\u034f\ue000\u0378e\u0301\u0302\u0301\u0302\u0301\r\t"
    "[bold red]:warning:[/]\nFORGED  line"
)
"""Controls of both kinds, directions, tags, selectors, fillers, unassigned ones, marks, markup, a line."""
SEVEN_BITS_LESS = os.fsdecode(b"\xff")
"""Half a character: a file name is any bytes."""
NAME = STEERING.replace("/", "") + SEVEN_BITS_LESS
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
NOTHING_TO_SEE = set("\ufe0f\U000e0100\u180b\u3164\u034f")
STYLING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WIDE = {"COLUMNS": "5000"}
"""No line is wrapped, so that the beginning of one is the program's."""
SEX, JOB, IDENTITY = f"sex{STEERING}", f"job{STEERING}", f"id{STEERING}"
KEPT = ("--keep", IDENTITY, "--keep", SEX)

CLAIMS = """
schema = "splu-ref/claims/1"
[[claim]]
id = "small"
mechanism = "SPLU-Gen"
kind = "small-sum-privacy"
gamma = 10
epsilon = "0.3"
alpha = 3
t_p = "0.6"
"""

WORLD = """
schema = "splu-ref/world/1"
[[record]]
times = 2
law = {yes = "1/3", no = "2/3"}
[release]
publish = "histogram"
"""

PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    hostile = {hostile!r}
    answer = {{"ops": ["plan", "estimate"], "name": hostile, "version": hostile, "specification": "1"}}
    print(json.dumps({{**(answer if request["op"] == "describe" else {{"error": {{"kind": hostile}}}}),
                      "id": request.get("id"), hostile: hostile}}), flush=True)
"""


TABLE, PUBLISHED, MANIFEST = f"t{NAME}.csv", f"p{NAME}.csv", f"m{NAME}.json"
RELEASE = ("--manifest", MANIFEST)
WHERE = ("--where", f"{SEX}=F{STEERING}", "--where", f"{JOB}=a{STEERING}")
NEW = f"new{NAME}"

CASES: dict[str, tuple[list[str], tuple[int, ...]]] = {
    "publish": (
        [TABLE, "-o", f"{NEW}.csv", "--sensitive", JOB, "--gamma", "2", "--retention", "3/5", "--log", "log",
         "--seed", "1", "--manifest", f"{NEW}.json", "--force", *KEPT], (0,),
    ),
    "publish --draws": (
        [TABLE, "-o", f"{NEW}.csv", "--sensitive", JOB, "--gamma", "2", "--draws", f"capped:{STEERING}"],
        (2,),
    ),
    "publish --stream": (
        [TABLE, "-o", f"{NEW}.csv", "--sensitive", JOB, "--gamma", "2", "--stream", "--force"], (0,),
    ),
    "publish refused": ([TABLE, "-o", PUBLISHED, "--sensitive", JOB, "--gamma", "2"], (2,)),
    "publish no column": ([TABLE, "-o", f"{NEW}.csv", "--sensitive", STEERING, "--gamma", "2"], (2,)),
    "publish retention": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "retention", "--column", JOB, "--retention", "3/5",
         "--observed-domain", "--shuffle", "--seed", "1", "--manifest", f"{NEW}.json", "--force",
         *KEPT], (0,),
    ),
    "publish retention --stream": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "distribution", "--column", JOB, "--stream", "--force"],
        (0,),
    ),
    "publish retention refused": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "retention", "--retention", "3/5", "--domain",
         f"d{NAME}.json", "--force"], (2,),
    ),
    "publish parts": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "small-domains", "--column", JOB, "--by", SEX,
         "--rho1", "1/10", "--rho2", "1/2", "--observed-domain", "--seed", "1", "--force"], (0, 2),
    ),
    "publish groups": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "pg", "--column", JOB,
         "--quasi", SEX, "--k", "1", "--retention", "1/2", "--observed-domain", "--force"], (0,),
    ),
    "publish two tables": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "anatomy", "--column", JOB, "--gamma", "2",
         "--sensitive-table", f"{NEW}.groups.csv", "--force", *KEPT], (0,),
    ),
    "publish unknown": ([TABLE, "-o", f"{NEW}.csv", "--mechanism", STEERING, "--column", JOB], (2,)),
    "advise": ([TABLE, "--sensitive", JOB, "--picture", f"{NEW}.svg", "--force", "--alpha", "3"], (0,)),
    "advise --stream": ([TABLE, "--sensitive", JOB, "--stream", "--alpha", "3"], (0,)),
    "advise several": ([TABLE, "--sensitive", JOB, "--sensitive", SEX, "--alpha", "3"], (0, 2)),
    "estimate": ([PUBLISHED, *RELEASE, *WHERE], (0,)),
    "estimate alone": ([PUBLISHED, *RELEASE, "--where", f"{JOB}=a{STEERING}"], (0,)),
    "estimate none": (
        [PUBLISHED, "--gamma", "2", "--sensitive", JOB, "--where", f"{JOB}={STEERING}"], (0,),
    ),
    "estimate batch": ([PUBLISHED, *RELEASE, "--batch", f"q{NAME}.jsonl"], (0,)),
    "estimate statements": ([PUBLISHED, *RELEASE, "--batch", f"q{NAME}.sql"], (0,)),
    "estimate table": (
        [PUBLISHED, *RELEASE, "--by", SEX, "--by", JOB, "-o", f"{NEW}.table.json", "--picture",
         f"{NEW}.table.svg", "--force"], (0,),
    ),
    "estimate table shown": (
        [PUBLISHED, *RELEASE, "--by", SEX, "--by", JOB, "--where", f"{JOB}!=a{STEERING}"], (0,),
    ),
    "estimate mean refused": ([PUBLISHED, *RELEASE, "--by", SEX, "--mean", JOB], (2,)),
    "estimate two tables refused": (
        [PUBLISHED, *RELEASE, "--where", f"{STEERING}=1", "--sensitive-table", TABLE], (2,),
    ),
    "estimate refused": ([PUBLISHED, *RELEASE, "--where", f"{STEERING}=1"], (2,)),
    "attack": (["homogeneity", TABLE, "--manifest", RELEASE[1], "--column", JOB], (0,)),
    "attack release": (["homogeneity", TABLE, *RELEASE, "--release", PUBLISHED, "--column", JOB], (0,)),
    "attack draws": (["averaging", TABLE, "--manifest", RELEASE[1], "--draws", STEERING], (2,)),
    "attack unknown": ([STEERING, TABLE, "--manifest", RELEASE[1]], (2,)),
    "attack-learned": (["foreground", TABLE, "--manifest", RELEASE[1], "--column", JOB], (0,)),
    "attack-learned unknown": ([STEERING, TABLE, "--manifest", RELEASE[1]], (2,)),
    "compare": ([TABLE, "--column", STEERING], (2,)),
    "conditions": (["--data", TABLE, "--sensitive", STEERING], (2,)),
    "audit-release": (
        [PUBLISHED, *RELEASE, "--original", TABLE, "--second", PUBLISHED], (3,),
    ),
    "audit-release drop refused": (
        [PUBLISHED, *RELEASE, "--original", TABLE, "--drop", STEERING], (2,),
    ),
    "audit-release inconsistent": ([TABLE, "--sensitive", JOB, "--gamma", "3", "--original", TABLE], (1,)),
    "audit": ([f"c{NAME}.toml", "--report", f"r{NEW}", "--force"], (0,)),
    "privacy": (
        ["--gamma", "3", "--epsilon", "1/2", "--alpha", "2", "--certificate", f"{NEW}.json", "--force"], (0,),
    ),
    "privacy of a table": (
        ["--gamma", "2", "--epsilon", "1/2", "--alpha", "20", "--draws", "capped:2", "--table", TABLE,
         "--sensitive", JOB, "--seed", "1"], (0,),
    ),
    "privacy draws refused": (
        ["--gamma", "3", "--epsilon", "1/2", "--alpha", "2", "--draws", STEERING], (2,),
    ),
    "privacy of a release": ([*RELEASE, "--epsilon", "1/2", "--alpha", "2"], (0,)),
    "utility of a release": ([*RELEASE, "--epsilon", "1/2", "--t-e", "1/10"], (0,)),
    "concept of a release": ([*RELEASE, "--epsilon", "1/2", "--alpha", "2"], (0,)),
    "privacy of a release refused": (
        [*RELEASE, "--epsilon", "1/2", "--alpha", "2", "--at-least", STEERING], (2,),
    ),
    "utility of a table refused": (
        ["--gamma", "3", "--epsilon", "1/2", "--t-e", "0.1", "--draws", "capped:2", "--table", TABLE,
         "--sensitive", STEERING], (2,),
    ),
    "privacy refused": (["--gamma", STEERING, "--epsilon", "1/2", "--alpha", "2"], (2,)),
    "utility": (
        ["--gamma", "3", "--epsilon", "1/2", "--frequency", "2", "--certificate", f"{NEW}.json", "--force"],
        (0,),
    ),
    "concept": (["--gamma", "2", "--epsilon", "1/2", "--alpha", "1", "--method", STEERING], (2,)),
    "breach": (
        ["--retention", "1/5", "--rho1", "1/2", "--rho2", "0.9", "--prior", TABLE, "--column", JOB], (0, 1),
    ),
    "operator": (
        ["--rho1", "1/2", "--rho2", "0.9", "--prior", TABLE, "--column", JOB, "-o", f"{NEW}.matrix.json",
         "--certificate", f"{NEW}.best.json", "--force"], (0,),
    ),
    "operator refused": (
        ["--rho1", "1/2", "--rho2", "0.9", "--prior", TABLE, "--column", JOB, "--keep", STEERING], (2,),
    ),
    "sample-size": (
        ["--retention", "1/2", "--epsilon", "1/2", "--delta", "1/10", "--share", "1/4",
         "--certificate", f"{NEW}.json", "--force"], (0,),
    ),
    "sample-size refused": (
        ["--retention", "1/2", "--epsilon", "1/2", "--delta", "1/10", "--domain-values", STEERING], (2,),
    ),
    "anonymity": ([TABLE, "--quasi", SEX, "--sensitive", JOB], (0,)),
    "anonymity refused": ([TABLE, "--quasi", STEERING], (2,)),
    "query-interface": (["size", TABLE, "--least", "1", "--where", f"{JOB}!=a{STEERING}"], (0, 1, 2, 3)),
    "query-interface noise": (["noise", TABLE, "--where", f"{STEERING}=1"], (2,)),
    "entropy": ([f"w{NAME}.toml", "--released", STEERING], (2,)),
    "entropy of a world": ([f"w{NAME}.toml"], (0,)),
    "publish tuples": (
        [TABLE, "-o", f"{NEW}.csv", "--mechanism", "alpha-beta", "--column", JOB, "--observed-domain",
         "--alpha", "1/2", "--beta", "1/2", "--distinct", "--seed", "1", "--force"], (0,),
    ),
    "useful": (
        ["--alpha", "1/2", "--beta", "1/10", "--n", "5", "--m", "50", "--query-size", "20", "--rho", "1",
         "--d", "1/20", "--level", "1/2", "--certificate", f"{NEW}.useful.json", "--force"], (0, 1),
    ),
    "useful refused": (
        ["--alpha", STEERING, "--beta", "0", "--n", "5", "--m", "50", "--query-size", "20", "--rho", "1"],
        (2,),
    ),
    "check": ([f"{NAME}.certificate"], (2,)),
    "claims": ([STEERING], (2,)),
    "key": ([f"{NEW}.key", "--force"], (0,)),
    "page": (["-o", f"{NEW}.html", "--force"], (0,)),
    "vectors": ([NAME, "--check"], (1,)),
    "conform": (
        ["--smoke", "--junit", f"{NEW}.xml", "--html", f"{NEW}.html", "--force", "--", sys.executable, "-c",
         PROGRAM.format(hostile=STEERING)], (1,),
    ),
    "study": (
        ["--data", TABLE, "--sensitive", JOB, "--gamma", "2", "--report", f"s{NEW}", "--force"], (0, 1),
    ),
    "verify": (["--report", TABLE], (2,)),
    f"{STEERING}": ([], (2,)),
    "privacy option": ([f"--{STEERING}", STEERING], (2,)),
}  # fmt: skip
"""Words after the command, which is the first word of the name, and its exit codes."""
LONG = {"vectors", "conform", "study"}
"""They take long and draw as the others do: they are not run on a pseudo-terminal."""
ALONE = {"publish retention refused", "estimate table"}
"""They have a process of their own: one that is refused, and one that draws a table and a picture. Starting
one takes longer than any of them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a hostile table, a release of it, queries, claims, a certificate and a folder."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [("FM"[i % 2] + STEERING, "abcd"[i * i % 4] + STEERING, f"{i}{STEERING}") for i in range(24)]
    cells = [(SEX, JOB, IDENTITY), *rows]
    (folder / TABLE).write_bytes("".join('"' + '","'.join(row) + '"\n' for row in cells).encode())
    words = ["publish", TABLE, "-o", PUBLISHED, "--sensitive", JOB, "--gamma", "2", "--manifest", MANIFEST]
    assert _piped([*words, "--log", "log", *KEPT], folder)[0] == 0
    query = {"where": {SEX: f"F{STEERING}", JOB: [f"a{STEERING}", f"b{STEERING}"]}}
    (folder / f"q{NAME}.jsonl").write_text(json.dumps(query))
    statement = f"SELECT COUNT(*) WHERE \"{SEX}\" = 'F{STEERING}' AND \"{JOB}\" = 'a{STEERING}';"
    (folder / f"q{NAME}.sql").write_text(statement, encoding="utf-8", newline="")
    (folder / f"c{NAME}.toml").write_text(CLAIMS)
    (folder / f"w{NAME}.toml").write_text(WORLD)
    (folder / f"{NAME}.certificate").write_text(json.dumps({"schema": STEERING, STEERING: STEERING}))
    (folder / f"d{NAME}.json").write_text(json.dumps({JOB: [f"a{STEERING}", STEERING]}))
    (folder / NAME).mkdir()
    (folder / NAME / f"{NAME}.json").write_text("")
    return folder


@contextmanager
def _in(folder: Path, **environment: str) -> Iterator[None]:
    with chdir(folder), patch.dict(os.environ, WIDE | environment), warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of tests
        yield


def _piped(words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run the program with pipes, and return its exit code, its output and its errors."""
    with _in(folder):
        return given(words)


def _on_a_terminal(words: list[str], folder: Path) -> tuple[int, str]:
    """Run the program with all streams on a pseudo-terminal, and return its exit code and what is drawn."""
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as reader:
        drawn = reader.submit(_read_to_the_end, ours)
        with (
            os.fdopen(theirs, "w", encoding="utf-8") as screen,
            os.fdopen(os.dup(theirs), encoding="utf-8") as keys,
            patch("sys.stdin", keys),
            _in(folder, TERM="xterm-256color"),
        ):
            code = printed(words, screen, screen)
    return code, drawn.result()


def _on_a_terminal_of_its_own(words: list[str], folder: Path) -> tuple[int, str]:
    """Do the same with the program in a process, where what no stream of Python's prints is drawn too."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, *started(words)], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env=os.environ | WIDE | {"TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(theirs)
    drawn = _read_to_the_end(ours)
    return child.wait(), drawn


def _read_to_the_end(terminal: int) -> str:
    drawn = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(terminal, 65536):
            drawn += part
    os.close(terminal)
    return drawn.decode()


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take few vectors: all draw the same."""
    few = [file for file in vector_files() if file.operation == "estimate"]
    for command in ("conform", "vectors"):
        monkeypatch.setattr(f"splu_ref.cli.{command}.vector_files", lambda *_: few)


def _unseen(text: str) -> set[str]:
    """Return the characters of a text that steer, hide or show nothing, as this file knows them."""
    return {
        letter for letter in text
        if letter != "\n" and (category(letter) in UNSEEN or letter in NOTHING_TO_SEE)
    }  # fmt: skip


def _hold(text: str) -> None:
    """Raise unless a reader sees all of the text, and no line of it is a value's."""
    assert not _unseen(text)
    assert "\u0301\u0302\u0301\u0302\u0301" not in text
    assert not any(line.lstrip().startswith("FORGED") for line in text.split("\n"))


@pytest.mark.parametrize("name", CASES)
def test_nothing_hostile_reaches_a_terminal(name: str, folder: Path) -> None:
    words, codes = CASES[name]
    command = [name if name == STEERING else name.split(maxsplit=1)[0], *words]
    code, output, errors = _piped(command, folder)
    assert code in codes, errors
    _hold(output)
    _hold(errors)
    if name not in LONG:
        code, drawn = (_on_a_terminal_of_its_own if name in ALONE else _on_a_terminal)(command, folder)
        assert code in codes, drawn
        assert bool(drawn.strip()) == bool(
            output.strip() or errors.strip()
        )  # the stored text is the reported one
        assert "\x1b[38;5;201m" not in drawn
        _hold(STYLING.sub("", drawn).replace("\r", ""))
    if name == STEERING:
        return
    code, output, errors = _piped([command[0], "--json", *words], folder)
    assert code in codes, errors
    assert output.isascii()
    _hold(output)
    _hold(errors)
    if output:
        lines = output.splitlines() if "batch" in name else [output]
        assert all(isinstance(json.loads(line), dict) for line in lines)


def test_every_command_is_tried() -> None:
    assert {name.split()[0] for name in CASES if name != STEERING} == set(COMMANDS)
