"""A file of the wrong kind, wherever a command reads one: one line, the true reason, exit code 2."""

from __future__ import annotations

import shlex
from pathlib import Path

import polars as pl
import pytest

from splu_ref.cli import main

TABLE, MANIFEST, CLAIMS, QUERIES, DOMAIN = "table", "manifest", "claims", "queries", "domain"
MATRIX, TRANSCRIPT, KEY, CERTIFICATE, WORLD = (
    "matrix", "transcript", "key", "certificate", "world",
)  # fmt: skip
READING = {
    "advise {} --sensitive job": TABLE,
    "advise {} --sensitive job --stream": TABLE,
    "anonymity {} --quasi age": TABLE,
    "attack homogeneity {} --manifest jobs.json --seed 1": TABLE,
    "attack homogeneity --release {} --manifest jobs.json": TABLE,
    "attack homogeneity table.csv --manifest {} --seed 1": MANIFEST,
    "audit {}": CLAIMS,
    "audit-release {} --sensitive job --gamma 2 --plan mixed": TABLE,
    "audit-release jobs.csv --manifest {}": MANIFEST,
    "audit-release jobs.csv --manifest jobs.json --original {}": TABLE,
    "audit-release jobs.csv --manifest jobs.json --original table.csv --transcript {}": TRANSCRIPT,
    "breach --prior {} --column job --retention 1/5 --rho1 1/5 --rho2 1/4": TABLE,
    "breach --manifest {} --rho1 1/5 --rho2 1/4": MANIFEST,
    "check {}": CERTIFICATE,
    "concept --manifest {} --epsilon 0.3 --alpha 2": MANIFEST,
    "entropy {}": WORLD,
    "estimate {} --gamma 2 --sensitive job --where job=a": TABLE,
    "estimate {} --manifest jobs.json --where job=a": TABLE,
    "estimate jobs.csv --manifest {} --where job=a": MANIFEST,
    "estimate jobs.csv --manifest jobs.json --batch {}": QUERIES,
    "estimate people.csv --manifest people.json --where job=a --sensitive-table {}": TABLE,
    "operator --prior {} --column job --rho1 1/10 --rho2 1/2": TABLE,
    "privacy --manifest {} --epsilon 0.3 --alpha 3": MANIFEST,
    "privacy --gamma 2 --epsilon 0.3 --alpha 3 --draws capped:2 --table {} --sensitive job": TABLE,
    "publish {} -o x.csv --mechanism swap --column job --retention 1/2": TABLE,
    "publish {} -o x.csv --mechanism retention --retention 1/2 --stream --domain domain.json": TABLE,
    "publish table.csv -o x.csv --mechanism retention --column job --retention 1/2 --domain {}": DOMAIN,
    "publish table.csv -o x.csv --mechanism operator --matrix {}": MATRIX,
    "publish table.csv -o x.csv --mechanism swap --column job --retention 1/2 --key-file {}": KEY,
    "publish {} -o x.csv --sensitive job --gamma 2": TABLE,
    "publish {} -o x.csv --sensitive job --gamma 2 --stream": TABLE,
    "publish table.csv -o x.csv --sensitive job --gamma 2 --append {} --append-manifest jobs.json": TABLE,
    "publish table.csv -o x.csv --sensitive job --gamma 2 --append jobs.csv --append-manifest {}": MANIFEST,
    "publish table.csv -o x.csv --sensitive job --gamma 2 --domain {}": DOMAIN,
    "utility --manifest {} --epsilon 0.3 --frequency 40": MANIFEST,
}
"""Commands with the place of one file, and what belongs there."""
WANTED = {
    TABLE: ("a table's name ends in .csv", "is a folder", "cannot be read", "is empty", "not text",
            "not an intact Parquet file", "there is no column 'job'", "there is no column 'age'",
            "files of one release", "two tables and the manifest of one release",
            "no column 'sex'", "with fewer columns"),
    MANIFEST: ("give the file that publish --manifest wrote", "is a folder", "there is no such file"),
    CLAIMS: ("no TOML file: give a file of claims", "write schema =", "is a folder", "check the path"),
    WORLD: ("no TOML file: give a file of a world", "write schema =", "is a folder", "check the path"),
    QUERIES: ("write one JSON object a line", 'write {"where"', "the file contains no query:", "is a folder",
              "there is no such file"),
    DOMAIN: ('write {"job"', "is a folder", "there is no such file"),
    MATRIX: ('write {"column"', "is a folder", "there is no such file"),
    TRANSCRIPT: ("give the file that publish --transcript wrote", "is a folder", "name another file"),
    KEY: ("splu-ref key FILE", "is a folder"),
    CERTIFICATE: ("ask for a fresh certificate", "is a folder", "check the path"),
}  # fmt: skip
"""The reasons, with their remedies, that are true of a wrong file in such a place."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table, its releases, and files of every kind."""
    place = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        rows = (f"{20 + n % 3},{'abcd'[n % 4]}" for n in range(24))
        Path("table.csv").write_text("age,job\n" + "\n".join(rows) + "\n")
        Path("domain.json").write_text('{"job": ["a", "b", "c", "d"]}')
        made = "--seed 1 -o"
        assert _run(f"publish table.csv {made} jobs.csv --manifest jobs.json --sensitive job --gamma 2") == 0
        anatomy = "--mechanism anatomy --column job --gamma 3 --sensitive-table groups.csv"
        assert _run(f"publish table.csv {made} people.csv --manifest people.json {anatomy}") == 0
        Path("wrong").mkdir()
        contents = {
            "text.csv": b"a,b\n1,2\n",
            "large.csv": b"a,b\n" + b"1,2\n" * 800_000,
            "semicolons.csv": b"age;number\n20;1\n",
            "object.json": b'{"a": 1}',
            "list.json": b"[1, 2]",
            "other.toml": b'title = "x"\n',
            "sentence.txt": b"a sentence\n",
            "empty.csv": b"",
            "empty.toml": b"",
            "picture.png": b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 9,
            "picture.csv": b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 9,
            "picture.parquet": b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 9,
        }
        for name, content in contents.items():
            Path("wrong", name).write_bytes(content)
            Path("wrong", name).chmod(0o600)  # what is secret is refused otherwise, whatever it holds
        pl.DataFrame({"a": [1, 2]}).write_parquet("wrong/table.parquet")
        Path("wrong/table.parquet").chmod(0o600)
        Path("wrong/folder").mkdir()
        Path("wrong/folder.csv").mkdir()
    return place


def _run(words: str) -> int:
    return main(shlex.split(words))


@pytest.mark.parametrize("words", READING)
def test_a_file_of_another_kind_is_refused_for_the_true_reason(
    words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for file in (*sorted(Path("wrong").iterdir()), Path("wrong/absent.csv")):
        if READING[words] == TABLE and file.name == "large.csv":
            continue
        capsys.readouterr()
        assert _run(words.format(file)) == 2, file
        output, error = capsys.readouterr()
        lines = [line for line in error.splitlines() if not line.startswith("note: ")]
        assert not output
        assert len(lines) == 1, lines
        assert str(file) in lines[0]
        assert any(reason in lines[0] for reason in WANTED[READING[words]]), lines[0]
        assert "divide it into" not in lines[0]
        assert not Path("x.csv").exists()


def test_one_file_is_named_and_it_is_the_one_at_fault(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for words in READING:
        assert _run(words.format("wrong/object.json")) == 2
        reported = capsys.readouterr().err
        assert not any(f"{name}:" in reported for name in ("table.csv", "jobs.csv", "people.csv")), reported
