"""What has no end is refused as an input of every command, before it is opened."""

from __future__ import annotations

import ast
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import splu_ref
from splu_ref import certificate_checker
from splu_ref.channels.parameters import InputError
from splu_ref.data.files import open_regular
from tests.hostile.readers import READERS
from tests.programs import COMMANDS, module
from tests.programs import main as run

ROOT = Path(splu_ref.__file__).parent
TABLE = b"sex,job\nF,Sales\nM,Tech\nF,Tech\nM,Sales\n"
TWO_TABLES = b"""{"schema": "splu-ref/manifest/2", "method": "Anatomy", "gamma": 2, "plan": "anatomy",
 "rows": 4, "sensitive": [{"column": "job", "domain": ["Sales", "Tech"]}], "date": "2026-11-23",
 "table": "d28d8fdab75c1af9ac4fac2ab469c0b02f5ee88774bb45ef99b124307436e055",
 "sensitive_table": "abcce0aa7399e5e206a2bef45f5c53dd3552f2105b6a22ef502a141b896b9972",
 "release": "50ea753567ca01eab208d13b6ef7e1b8", "produced_by": {"version": "0.1.0", "spec": "2",
 "code": "23c4c8c9a90c9ad7c45e5a420eb41904645110701f8144b2adcc7655112c39d6"}}"""
PUBLISH = ("-o", "out.csv", "--sensitive", "job", "--gamma", "2")
RETENTION = ("-o", "out.csv", "--mechanism", "retention", "--retention", "1/5", "--column", "job")
ESTIMATE = ("--manifest", "manifest.json")
REQUESTED = ("--epsilon", "1/2")
DRAWN = ("--gamma", "2", *REQUESTED, "--draws", "capped:1", "--sensitive", "job")

INPUTS: dict[str, Callable[[str], list[str]]] = {
    "publish table": lambda file: ["publish", file, *PUBLISH],
    "publish --key-file": lambda file: ["publish", "table.csv", *PUBLISH, "--key-file", file],
    "publish --log": lambda file: ["publish", "table.csv", *PUBLISH, "--log", file],
    "publish --append": lambda file: [
        *("publish", "table.csv", *PUBLISH, "--append", file, "--append-manifest", "manifest.json")
    ],
    "publish --append-manifest": lambda file: [
        *("publish", "table.csv", *PUBLISH, "--append", "table.csv", "--append-manifest", file)
    ],
    "publish --domain": lambda file: ["publish", "table.csv", *PUBLISH, "--domain", file],
    "publish table --mechanism": lambda file: ["publish", file, *RETENTION, "--observed-domain"],
    "publish --domain --mechanism": lambda file: ["publish", "table.csv", *RETENTION, "--domain", file],
    "publish --key-file --mechanism": lambda file: [
        *("publish", "table.csv", *RETENTION, "--observed-domain", "--key-file", file)
    ],
    "advise table": lambda file: ["advise", file, "--sensitive", "job"],
    "advise --stream": lambda file: ["advise", file, "--sensitive", "job", "--stream"],
    "estimate published": lambda file: ["estimate", file, *ESTIMATE, "--where", "job=Sales"],
    "estimate --manifest": lambda file: ["estimate", "table.csv", "--manifest", file, "--where", "job=Sales"],
    "estimate --sensitive-table": lambda file: [
        *(
            "estimate",
            "table.csv",
            "--manifest",
            "two.json",
            "--where",
            "job=Sales",
            "--sensitive-table",
            file,
        )
    ],
    "estimate --batch": lambda file: ["estimate", "table.csv", *ESTIMATE, "--batch", file],
    "audit-release published": lambda file: ["audit-release", file, *ESTIMATE],
    "audit-release --manifest": lambda file: ["audit-release", "table.csv", "--manifest", file],
    "audit-release --original": lambda file: ["audit-release", "table.csv", *ESTIMATE, "--original", file],
    "audit-release --second": lambda file: ["audit-release", "table.csv", *ESTIMATE, "--second", file],
    "breach --prior": lambda file: [
        *(
            "breach",
            "--retention",
            "1/5",
            "--rho1",
            "0.1",
            "--rho2",
            "0.5",
            "--prior",
            file,
            "--column",
            "job",
        )
    ],
    "privacy --table": lambda file: ["privacy", "--alpha", "1", *DRAWN, "--table", file],
    "privacy --manifest": lambda file: ["privacy", *REQUESTED, "--alpha", "1", "--manifest", file],
    "utility --manifest": lambda file: ["utility", *REQUESTED, "--t-e", "1/2", "--manifest", file],
    "concept --manifest": lambda file: ["concept", *REQUESTED, "--alpha", "1", "--manifest", file],
    "utility --table": lambda file: ["utility", "--t-e", "1/2", *DRAWN, "--table", file],
    "operator --prior": lambda file: [
        *("operator", "--rho1", "0.1", "--rho2", "0.5", "--prior", file, "--column", "job")
    ],
    "publish --matrix": lambda file: [
        *("publish", "table.csv", "-o", "out.csv", "--mechanism", "operator", "--matrix", file)
    ],
    "attack table": lambda file: ["attack", "homogeneity", file, "--manifest", "manifest.json"],
    "attack --manifest": lambda file: ["attack", "homogeneity", "table.csv", "--manifest", file],
    "attack --release": lambda file: [
        "attack",
        "homogeneity",
        "--manifest",
        "manifest.json",
        "--release",
        file,
    ],
    "compare table": lambda file: ["compare", file, "--column", "s"],
    "attack-learned table": lambda file: [
        *("attack-learned", "foreground", file, "--manifest", "manifest.json")
    ],
    "attack-learned --manifest": lambda file: [
        "attack-learned",
        "foreground",
        "table.csv",
        "--manifest",
        file,
    ],
    "breach --manifest": lambda file: ["breach", "--rho1", "0.1", "--rho2", "0.5", "--manifest", file],
    "audit-release --transcript": lambda file: [
        *("audit-release", "table.csv", *ESTIMATE, "--original", "table.csv", "--transcript", file)
    ],
    "audit-release --key-file": lambda file: [
        *("audit-release", "table.csv", *ESTIMATE, "--original", "table.csv", "--key-file", file)
    ],
    "audit claims": lambda file: ["audit", file],
    "anonymity table": lambda file: ["anonymity", file, "--quasi", "job"],
    "query-interface table": lambda file: ["query-interface", "size", file, "--least", "1"],
    "query-interface --queries": lambda file: ["query-interface", "sums", "table.csv", "--queries", file],
    "query-interface --manifest": lambda file: [
        *("query-interface", "answers", "table.csv", "--value", "job=a", "--manifest", file)
    ],
    "entropy world": lambda file: ["entropy", file],
    "check certificate": lambda file: ["check", file],
    "conform --xfail": lambda file: ["conform", "--xfail", file, "--vectors", "vectors", "--", "cat"],
    "conform --vectors": lambda file: ["conform", "--vectors", file, "--", "cat"],
    "vectors folder": lambda file: ["vectors", file, "--check"],
    "study --data": lambda file: ["study", "--data", file, "--sensitive", "job"],
    "study --data-folder": lambda file: ["study", "--data", "diabetes130", "--data-folder", file],
}
"""Every argument and option that names something to read."""

OUTPUTS = {
    *(
        "publish --output",
        "publish --manifest",
        "publish --transcript",
        "advise --picture",
        "estimate --output",
        "estimate --picture",
        "conform --junit",
        "conform --json-file",
        "audit-release --json-file",
        "privacy --json-file",
        "key file",
        "page --output",
        "conform --html",
    ),
    "publish --sensitive-table",
    *(
        "privacy --certificate",
        "utility --certificate",
        "breach --certificate",
        "operator --output",
        "operator --certificate",
        "sample-size --certificate",
        "useful --certificate",
        "audit --report",
        "compare --report",
        "conditions --report",
        "study --report",
        "verify --report",
    ),
}
FOLDERS = {"conform --vectors", "vectors folder", "study --data-folder"}


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # a longer name might not fit


def _linked(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


ENDLESS: dict[str, Callable[[Path], object]] = {
    "pipe": lambda path: os.mkfifo(path, 0o600),
    "socket": _bind,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(mode=0o700),
    "pipe behind a link": _linked,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that the commands read besides; whoever waits for a pipe is woken."""
    (tmp_path / "table.csv").write_bytes(TABLE)
    (tmp_path / "manifest.json").write_bytes(READERS["manifest"].samples[0].replace(b', "\\u00e9"', b""))
    (tmp_path / "two.json").write_bytes(TWO_TABLES)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "file.json").write_bytes(READERS["vectors"].samples[0])
    monkeypatch.chdir(tmp_path)

    def wake(*_: object) -> None:
        raise AssertionError("the program waits for what has no end")

    before = signal.signal(signal.SIGALRM, wake)
    signal.alarm(30)
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_every_path_of_every_command_is_here() -> None:
    """A new argument or option that names a file is an input or an output."""
    named = set()
    for command in COMMANDS:
        for name, hint in get_type_hints(module(command).run, include_extras=True).items():
            if re.search(r"\bPath\b", str(hint)):
                [reported] = hint.__metadata__
                options = [
                    each for each in (reported.default, *(reported.param_decls or ())) if each is not ...
                ]
                named.add(f"{command} {options[0] if options else name}")
    # No paths, but read otherwise.
    ways = {"study --data", "advise --stream"}
    ways |= {name for name in INPUTS if name.endswith(" --mechanism")}
    assert named == (INPUTS.keys() - ways) | OUTPUTS


@pytest.mark.parametrize(
    ("where", "kind"),
    [(where, kind) for where in INPUTS for kind in ENDLESS if kind != "folder" or where not in FOLDERS],
)
def test_what_is_no_file_is_refused_everywhere(
    where: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ENDLESS[kind](folder / "hostile.csv")
    before = sorted(folder.rglob("*"))
    assert run(INPUTS[where]("hostile.csv")) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("splu-ref: ")
    assert printed.err.count("\n") == 1
    assert any(name in printed.err for name in ("hostile.csv", os.path.realpath("hostile.csv")))
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("kind", ENDLESS)
def test_the_independent_checker_refuses_it_too(
    kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ENDLESS[kind](folder / "hostile.csv")
    assert certificate_checker.main(["hostile.csv"]) == 2
    assert capsys.readouterr().out == "unreadable: no text can be read from 'hostile.csv'\n"


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "hostile.csv"
    path.write_bytes(TABLE)
    look = Path.stat

    def swapped(self: Path, **options: bool) -> os.stat_result:
        status = look(self, **options)
        path.unlink()
        os.mkfifo(path)
        return status

    monkeypatch.setattr(Path, "stat", swapped)
    with (
        pytest.raises(InputError, match=r"hostile\.csv is a pipe, which may have no end: save what it gives"),
        open_regular(path),
    ):
        pass


def test_files_are_opened_for_reading_in_one_place() -> None:
    """All readers go through `splu_ref.data.files.open_regular`, so that no check is forgotten."""
    allowed = {
        "data/files.py",
        "certificate_checker.py",  # the standard library alone
        "audit/release_log/recording.py",  # its lock
        "cli/output.py",  # the null device, for writing
        "audit/advice/table_in_files.py",  # files of its own in a private folder, as the next one
        "audit/advice/column_files.py",
        "data/reading.py",  # of the package itself, as the next ones
        "conformance/folder.py",
        "conformance/keeper.py",  # the null device, and what the system says of a process
        "mechanisms/manifest.py",  # of the package itself
        "report/html.py",
        "output/terminal.py",  # the null device, for writing
        "mechanisms/streaming/files.py",  # files of its own in a private folder
        "report/stages/properties.py",
        "report/stages/mutants.py",
    }
    opening = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) != "StatedRelease.open":  # opens no file
                name = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                if name in ("open", "fdopen", "read_bytes", "read_text"):
                    opening.add(path.relative_to(ROOT).as_posix())
    assert opening <= allowed, "open it with splu_ref.data.files.open_regular"


def test_memory_that_does_not_suffice_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    before = sorted(folder.rglob("*"))
    places = [
        "cli.preparation.read_table",
        "mechanisms.splu_gen.SpluGen.publish_columns",
        "cli.publication.write_all",
    ]
    for place in (*places, "mechanisms.release.table_bytes"):
        with monkeypatch.context() as patched:
            patched.setattr(f"splu_ref.{place}", exhausted)
            assert run(INPUTS["publish table"]("table.csv")) == 2
        printed = capsys.readouterr()
        assert printed.err == (
            "splu-ref: out of memory: give a smaller input, or use a machine with more memory\n"
        )
        assert printed.out == ""
        assert sorted(folder.rglob("*")) == before
