"""The manifest: which release it tells of, and that it is read by its method."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from splu_ref import SPECIFICATION
from splu_ref.cli import main
from splu_ref.manifest import Manifest, code_digest
from splu_ref.mechanisms import DistributionBased, Release, SpluGen, read_manifest
from splu_ref.microdata import Microdata, read_table, write_table
from splu_ref.model import DataError
from splu_ref.randomness import SeededSource

FRAME = pl.DataFrame(
    {
        "name": [f"n{number}" for number in range(24)],
        "hours": [None if number == 3 else number / 2 for number in range(24)],
        "value": list("aabbccdd") * 3,
    }
)


@pytest.fixture
def release() -> Release:
    return SpluGen(3, "1/2").publish(Microdata.from_frame(FRAME), "value", SeededSource(1))


def _written(path: Path, document: dict[str, object]) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_manifest_is_read_as_it_was_written(release: Release, tmp_path: Path) -> None:
    origin = release.manifest.origin
    assert origin is not None
    told = replace(release.manifest, origin=replace(origin, date="2024-02-29", release="0f" * 16))
    path = tmp_path / "m.json"
    path.write_bytes(told.to_json())
    assert read_manifest(path) == told
    assert json.loads(told.to_json()) == {
        "schema": "splu-ref/manifest/2",
        "method": "SPLU-Gen",
        "gamma": 3,
        "retention": "1/2",
        "plan": "mixed",
        "rows": 24,
        "sensitive": [{"column": "value", "domain": list("abcd")}],
        "table": release.table.content_digest(),
        "release": "0f" * 16,
        "date": "2024-02-29",
        "produced_by": {"version": origin.version, "spec": SPECIFICATION, "code": code_digest()},
    }
    again = SpluGen(3, "1/2").publish(Microdata.from_frame(FRAME), "value", SeededSource(1)).manifest.origin
    assert again is not None
    assert again.table == origin.table
    assert again.release != origin.release


def test_a_manifest_of_the_first_schema_is_read(release: Release, tmp_path: Path) -> None:
    document = json.loads(release.manifest.to_json())
    for key in ("table", "release", "date"):
        del document[key]
    del document["produced_by"]["code"]
    path = _written(tmp_path / "m.json", document | {"schema": "splu-ref/manifest/1"})
    told = read_manifest(path)
    assert told == replace(release.manifest, origin=None)
    told.require(Microdata.from_frame(FRAME))  # nothing but the rows can be compared
    assert json.loads(told.to_json())["schema"] == "splu-ref/manifest/1"


def test_the_method_chooses_what_is_read(release: Release, tmp_path: Path) -> None:
    drawn = DistributionBased().publish(Microdata.from_frame(FRAME), "value", SeededSource(1))
    path = tmp_path / "m.json"
    path.write_bytes(drawn.manifest.to_json())
    assert read_manifest(path).mechanism == DistributionBased()
    with pytest.raises(DataError, match="release by DBR"):
        SpluGen.of(read_manifest(path))
    for schema in ("splu-ref/manifest/1", "splu-ref/manifest/2"):
        other = json.loads(release.manifest.to_json()) | {"method": "FRAPP", "schema": schema}
        with pytest.raises(DataError, match="method 'FRAPP' is unknown"):
            read_manifest(_written(path, other))


@pytest.mark.parametrize(
    ("key", "value"),
    [("table", "0"), ("release", "F" * 32), ("date", "today"), ("produced_by", None), ("method", ["DBR"])],
)
def test_a_damaged_origin_is_refused(release: Release, tmp_path: Path, key: str, value: object) -> None:
    document = json.loads(release.manifest.to_json()) | {key: value}
    with pytest.raises(DataError, match=r"m\.json"):
        read_manifest(_written(tmp_path / "m.json", document))


def test_a_table_has_one_digest_in_every_format_and_order(release: Release, tmp_path: Path) -> None:
    digest = release.table.content_digest()
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        write_table(release.table, tmp_path / name)
        assert read_table(tmp_path / name).content_digest() == digest
    frame = release.table.to_frame()
    assert Microdata.from_frame(frame.reverse()).content_digest() == digest
    assert Microdata.from_frame(frame.to_pandas()).content_digest() == digest
    others = [frame.head(23), frame.rename({"name": "nam"}), frame.with_columns(name=pl.col("name") + " ")]
    others.append(frame.with_columns(value=frame["value"].reverse()))
    assert len({digest, *(Microdata.from_frame(other).content_digest() for other in others)}) == 5


def test_commands_refuse_a_manifest_of_another_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FRAME.write_csv(tmp_path / "original.csv")
    for name in ("one", "two"):
        table, manifest = tmp_path / f"{name}.csv", tmp_path / f"{name}.json"
        told = ["--sensitive", "value", "--gamma", "3", "--manifest", str(manifest)]
        assert main(["sanitize", str(tmp_path / "original.csv"), "-o", str(table), *told]) == 0
    capsys.readouterr()
    for command in (["estimate", "--where", "value=a"], ["audit-release"]):
        words = [command[0], str(tmp_path / "one.csv"), *command[1:], "--manifest"]
        assert main([*words, str(tmp_path / "one.json")]) == (3 if command == ["audit-release"] else 0)
        assert main([*words, str(tmp_path / "two.json")]) == 2
        message = capsys.readouterr().err
        assert message.startswith("splu-ref: ")
        assert "one.csv" in message
        assert "not the one that the manifest was written for" in message


def test_another_number_of_rows_is_refused() -> None:
    told = Manifest(SpluGen(3), 24, {"value": ("a", "b")})
    with pytest.raises(DataError, match="24"):
        told.require(Microdata.from_frame(FRAME.head(21)))


def test_a_table_with_lists_and_bytes_beside_the_sensitive_column_has_a_digest(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "job": ["a", "b", "c", "d"],
            "tags": [["x", "y"], ["x,y"], [], None],
            "box": [{"n": 1}, {"n": 2}, {"n": None}, None],
            "raw": [b"1", b"12", b"", None],
        }
    )
    table = Microdata.from_frame(frame)
    digest = table.content_digest()
    write_table(table, tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").content_digest() == digest
    others = [
        frame.with_columns(tags=pl.Series([["x"], ["x,y"], [], None])),
        frame.with_columns(box=pl.Series([{"n": 1}, {"n": 3}, {"n": None}, None])),
        frame.with_columns(raw=pl.Series([b"1", b"13", b"", None])),
    ]
    assert len({digest, *(Microdata.from_frame(other).content_digest() for other in others)}) == 4
