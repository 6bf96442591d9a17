"""The program on hostile files: exit code 2, one line, and nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from splu_ref.cli.app import LONGEST_MESSAGE, run
from splu_ref.mechanisms.manifest import LONGEST_FILE
from tests.hostile.damage import damaged
from tests.hostile.readers import READERS

TABLE = b"sex,job\nF,Sales\nM,Tech\nF,Tech\nM,Sales\n"

COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "csv": lambda file: [
        *("publish", file, "-o", "out.csv", "--sensitive", "job", "--gamma", "2", "--seed", "1"),
        *("--manifest", "out.json", "--log", "out.log", "--missing", "?"),
    ],
    "csv_gz": lambda file: ["advise", file, "--sensitive", "job", "--picture", "out.svg", "--alpha", "2"],
    "parquet": lambda file: ["publish", file, "-o", "out.parquet", "--sensitive", "job", "--gamma", "2"],
    "queries": lambda file: [
        *("estimate", "table.csv", "--gamma", "2", "--sensitive", "job", "--batch", file)
    ],
    "manifest": lambda file: ["estimate", "table.csv", "--manifest", file, "--where", "job=Sales"],
    "key": lambda file: [
        *("publish", "table.csv", "-o", "out.csv", "--sensitive", "job", "--gamma", "2", "--key-file", file)
    ],
    "claims": lambda file: ["audit", file, "--report", "out"],
    "world": lambda file: ["entropy", file],
    "certificate": lambda file: ["check", file],
    "vectors": lambda file: ["conform", "--vectors", ".", "--junit", "out.xml", "--", "cat"],
    "expected_failures": lambda file: [
        *("conform", "--xfail", file, "--vectors", "vectors", "--junit", "out.xml", "--", "cat")
    ],
    "transcript": lambda file: [
        *("audit-release", "table.csv", "--transcript", file, "--original", "table.csv", "--json")
    ],
    "release_log": lambda file: [
        *("publish", "table.csv", "-o", "out.csv", "--sensitive", "job", "--gamma", "2", "--log", file)
    ],
}
"""A command for each reader that a command has; see `folder` for what the other files are."""

NAMES = {
    "csv": "h.csv",
    "csv_gz": "h.csv.gz",
    "parquet": "h.parquet",
    "vectors": "h.json",
}

HOSTILE = (
    b"\0",
    b"\xff\xfe",
    b"\x1b[2J\x07\x1b]0;owned\x07",
    b"[" * 50_000,
    b'{"a":' * 50_000,
    b"9" * 100_000,
    b"x" * 500_000,
    b"x\n" + b'"',
)


def _refused(name: str, data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    """Run the command on the bytes; if it refuses them, hold it to how it must. Return whether it does."""
    hostile = folder / NAMES.get(name, "hostile")
    hostile.write_bytes(data)
    hostile.chmod(0o600)
    before = sorted(folder.rglob("*"))
    code = run(COMMANDS[name](hostile.name))
    printed = capsys.readouterr()
    if code != 2:
        assert code in (0, 1)
        return False
    assert printed.err.startswith("splu-ref: ")
    assert printed.err.endswith("\n")
    line = printed.err.removesuffix("\n")
    assert line.isprintable()
    assert len(line) < 2 * LONGEST_MESSAGE
    assert printed.out == ""
    assert sorted(folder.rglob("*")) == before
    assert hostile.read_bytes() == data
    return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "table.csv").write_bytes(TABLE)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "file.json").write_bytes(READERS["vectors"].samples[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_reader_has_a_command_but_those_of_the_pipe() -> None:
    assert READERS.keys() - COMMANDS.keys() == {"answer", "request"}


@pytest.mark.parametrize("name", COMMANDS)
def test_hostile_files_are_refused(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for data in HOSTILE[:2] if name == "parquet" else HOSTILE:
        assert _refused(name, data, folder, capsys), data[:20]


def test_an_empty_list_of_expected_failures_is_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not _refused("expected_failures", b"", folder, capsys)


@pytest.mark.parametrize(
    "name", ["csv", "queries", "manifest", "key", "certificate", "release_log", "transcript"]
)
def test_damaged_files_are_refused_or_used(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = READERS[name]

    @settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(damaged(reader.samples, reader.tokens))
    def use(data: bytes) -> None:
        for left in folder.glob("out*"):
            left.unlink()
        _refused(name, data, folder, capsys)

    use()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gamma", 10**30),
        ("gamma", True),
        ("gamma", 2.0),
        ("retention", "2"),
        ("rows", 10**30),
        ("plan", "\x1b[31m" * 1_000),
        ("sensitive", [{"column": "job", "domain": ["\ud800", "x"]}]),
        ("sensitive", [{"column": "job", "domain": ["Sales", "Sales"]}]),
        ("sensitive", [{"column": "job", "domain": []}]),
        ("sensitive", [{"column": "job", "domain": ["a"]}, {"column": "job", "domain": ["Sales", "Tech"]}]),
    ],
)
def test_a_manifest_of_absurd_facts(
    key: str, value: object, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads(READERS["manifest"].samples[0]) | {key: value}
    assert _refused("manifest", json.dumps(manifest).encode(), folder, capsys)


def test_a_manifest_that_says_a_thing_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = READERS["manifest"].samples[0]
    assert not _refused("manifest", manifest, folder, capsys)
    assert _refused("manifest", manifest.replace(b'"gamma": 2', b'"gamma": 2, "gamma": 4'), folder, capsys)


def test_a_manifest_of_more_than_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = READERS["manifest"].samples[0]
    longest = manifest + b" " * (LONGEST_FILE - len(manifest))
    assert not _refused("manifest", longest, folder, capsys)
    assert _refused("manifest", longest + b" ", folder, capsys)
