"""An audit of files says of counts what one in memory says, and never more than counts show."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from splu_ref.audit.releases import Claimed, ReleaseAudit, audit_release
from splu_ref.audit.releases.in_files import Published, audit_in_files
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.sample import Sampling
from splu_ref.channels import GroupDraws
from splu_ref.cli import main
from splu_ref.mechanisms import SpluGen, read_manifest
from splu_ref.microdata import read_table
from splu_ref.model import DataError, ParameterError
from splu_ref.randomness import SeededSource

ROWS = 4001
ALL, NONE = Sampling(ROWS, 7), Sampling(0, 7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a release of it, as text and with types."""
    folder = tmp_path_factory.mktemp("files")
    frame = pl.DataFrame(
        {
            "job": [f"job {(n * n + n // 7) % 17:02}" for n in range(ROWS)],
            "code": [n % 6 for n in range(ROWS)],
            "number": [n if n % 5 else n // 60 for n in range(ROWS)],
            "town": [["", "é,\n", "x"][n % 3] for n in range(ROWS)],
        }
    )
    for kind in ("csv", "parquet"):
        table = folder / f"original.{kind}"
        frame.write_csv(table) if kind == "csv" else frame.write_parquet(table)
        release = SpluGen(4).publish(table, ["job", "code"], SeededSource(3))
        release.write(folder / f"published.{kind}", folder / f"{kind}.json")
    return folder


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("in_files.BATCH_BYTES", 1 << 14), ("in_files.BATCH_ROWS", 1500)):
        monkeypatch.setattr(f"splu_ref.audit.releases.{name}", value)
    monkeypatch.setattr("splu_ref.engines.streaming.scan.BATCH_BYTES", 1 << 14)
    monkeypatch.setattr("splu_ref.engines.streaming.content.PART_BYTES", 1 << 14)


def checks_of(audit: ReleaseAudit) -> list[tuple[str, str | None]]:
    """Return what was checked, and what was said not to be."""
    made = [(check.name, check.column) for check in audit.checks]
    return made + [(check.name, check.column) for check in audit.not_checked]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("given", [False, True])
def test_checks_are_those_of_the_tables_in_memory(
    kind: str, given: bool, folder: Path, tmp_path: Path
) -> None:
    original, published = folder / f"original.{kind}", folder / f"published.{kind}"
    manifest, claimed, columns = (
        read_manifest(folder / f"{kind}.json"),
        Claimed.of(SpluGen(4)),
        ["job", "code"],
    )
    whole = audit_release(
        read_table(published), columns, claimed, manifest=manifest,
        original=Original(read_table(original), columns) if given else None,
    )  # fmt: skip
    found = audit_in_files(
        Published(published, columns, manifest, tmp_path, ALL), columns, claimed, tmp_path,
        original=original if given else None, manifest=manifest, level="1e-9",
    )  # fmt: skip
    assert (found.verdict, found.rows, found.linked) == ("not shown", ROWS - ROWS % 4, whole.linked)
    checks = {(check.name, check.column): check for check in whole.checks}
    assert len(found.checks) == len(checks)
    for check in found.checks:
        assert check == checks[check.name, check.column]
    assert set(checks_of(found)) == set(checks_of(whole))
    assert [each.numbers for each in found.excludes] == [each.numbers for each in whole.excludes]


def test_what_is_no_release_is_inconsistent(folder: Path, tmp_path: Path) -> None:
    original, claimed = folder / "original.csv", Claimed.of(SpluGen(4))
    frame: pl.DataFrame = read_table(original).to_frame()[: ROWS - 1]
    published = tmp_path / "p.csv"

    def failed(table: pl.DataFrame, number: int) -> set[str]:
        table.write_csv(published)
        place = tmp_path / str(number)
        place.mkdir()
        there = Published(published, ["job"], None, place, NONE)
        found = audit_in_files(there, ["job"], claimed, place, original=original, level="1e-9")
        assert found.verdict == "inconsistent"
        return {check.name for check in found.checks if not check.passed}

    assert failed(frame, 0) == {"exactness"}
    assert "values" in failed(frame.with_columns(job=pl.lit("job 1")), 1)
    assert failed(frame.with_columns(job=pl.lit("another")), 2) >= {"values", "counts"}
    assert "rows" in failed(frame[:-1], 3)
    assert "schema" in failed(frame.select("job", "town", "code"), 4)
    assert "schema" in failed(frame.drop("town"), 5)
    (tmp_path / "dropped").mkdir()
    there = Published(published, ["job"], None, tmp_path / "dropped", NONE)
    dropped = audit_in_files(there, ["job"], claimed, tmp_path, original=original, drop=["town"], level="0.5")
    assert {check.name: check.passed for check in dropped.checks}["schema"]
    frame.write_csv(published)
    manifest = read_manifest(folder / "csv.json")
    with pytest.raises(DataError, match="is not the one that the manifest was written for"):
        Published(published, ["job", "code"], manifest, tmp_path, NONE)
    with pytest.raises(DataError, match="no column 'w' in the published table"):
        Published(published, ["w"], None, tmp_path, NONE)
    with pytest.raises(ParameterError, match="below 1"):
        audit_in_files(there, ["job"], claimed, tmp_path, level="1")


def test_draws_that_hang_together(folder: Path, tmp_path: Path) -> None:
    for number, draws in enumerate(("capped:9000", "all-or-none:9000")):
        place = tmp_path / str(number)
        place.mkdir()
        claimed = Claimed.of(SpluGen(4, draws=draws))
        assert claimed.draws == GroupDraws.parse(draws)
        there = Published(folder / "published.csv", ["job"], None, place, NONE)
        found = audit_in_files(there, ["job"], claimed, place, original=folder / "original.csv", level="1e-9")
        assert "counts" in {check.name for check in found.checks}
        assert [each.column for each in found.excludes] == ["job"]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    words = [
        "audit-release",
        str(folder / "published.csv"),
        "--manifest",
        str(folder / "csv.json"),
        "--stream",
    ]
    assert main([*words, "--original", str(folder / "original.csv"), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["linked"]) == ("not shown", 3146)
    assert {"retention", "records", "shuffle"} <= {check["name"] for check in told["checks"]}
    assert main([*words, "--original", str(folder / "original.csv"), "--json", "--sample", "0"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["linked"], told["sample"]["rows"]) == ("not shown", None, 0)
    assert {"retention", "records", "shuffle"} <= {check["name"] for check in told["not_checked"]}
    assert sorted(folder.iterdir()) == before
    assert main([*words, "--sample", "0"]) == 3
    blind = " ".join(capsys.readouterr().out.split())
    assert (
        "true values are noticed only where no release shows one so often or so rarely false alarm" in blind
    )
    assert main(words[:-1]) == 3
    assert "typical of a predicate" in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--second", str(folder / "published.csv")]) == 2
    assert "--stream does not go with --second" in capsys.readouterr().err


def test_an_error_names_the_file_that_it_is_of(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published, gaps, short = folder / "published.csv", tmp_path / "gaps.csv", tmp_path / "short.parquet"
    gaps.write_text("job,code,town\na,1,x\n,2,y\n")
    pl.DataFrame({"job": []}).write_parquet(short)

    def said(original: Path, *more: str) -> str:
        words = [str(published), "--sensitive", "job", "--gamma", "4", "--original", str(original)]
        assert main(["audit-release", *words, "--stream", *more]) == 2
        return capsys.readouterr().err

    assert said(gaps).startswith(f"splu-ref: {gaps}: column 'job' is missing in row 2")
    assert said(short).startswith(f"splu-ref: {short}: the table holds no rows")
    original = folder / "original.csv"
    for column in ("job", "none"):
        assert said(original, "--drop", column).startswith(f"splu-ref: {original}: there is no column")
    assert "--alpha" in said(original, "--alpha", "0")


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_a_table_without_a_sensitive_column_is_unusable(
    stream: tuple[str, ...], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it can be held against the claim, with or without the original, in memory or not."""
    published = tmp_path / "p.csv"
    read_table(folder / "published.csv").to_frame().drop("job").write_csv(published)
    words = ["audit-release", str(published), "--gamma", "4", "--sensitive", "job", "--sensitive", "code"]
    for given in ((), ("--original", str(folder / "original.csv"))):
        assert main([*words, *given, *stream]) == 2
        told = capsys.readouterr().err
        assert "there is no column 'job' in the published table: check --sensitive" in told
