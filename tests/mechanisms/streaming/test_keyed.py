"""Under a key, a release that is made on files is the one that is made in memory."""

from __future__ import annotations

import gzip
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.data import embedded_table
from splu_ref.mechanisms import (
    DistributionBased,
    Operator,
    RecordMechanism,
    RetentionReplacement,
    RowMechanism,
    SpluGen,
    SpluGenByColumn,
    read_release,
)
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import Key, KeyedSource

KEY = Key(bytes(range(1, 32)) + b"?")


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small table have several parts of every kind."""
    sizes = {"PART_BYTES": 1 << 19, "PART_ENTRIES": 5000, "BATCH_BYTES": 1 << 19, "_ROWS": 900}
    sizes["_SAMPLE_BYTES"] = 1 << 14
    for module in ("scan", "content", "columns"):
        name = f"splu_ref.mechanisms.streaming.{module}"
        for constant, value in sizes.items():
            if hasattr(__import__(name, fromlist=["_"]), constant):
                monkeypatch.setattr(f"{name}.{constant}", value)


def reported(manifest: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(manifest.read_bytes())
    del document["release"], document["date"]
    return document


def assert_same(
    table: Path, output: Path, sensitive: list[str], mechanism: RecordMechanism, **options: Any
) -> None:
    """Publish both ways, and compare rows and manifests."""
    manifest = output.with_name("m.json")
    inside, facts = output.with_name("inside" + "".join(output.suffixes)), output.with_name("i.json")
    release = mechanism.publish(table, sensitive, KeyedSource(KEY), **options)
    release.write(inside, facts)
    streamed = publish(table, output, sensitive, mechanism, KEY, manifest=manifest, **options)
    assert reported(manifest) == reported(facts)
    if output.suffix == ".parquet":
        assert pl.read_parquet(output).equals(pl.read_parquet(inside))
        assert pl.read_parquet_schema(output) == pl.read_parquet_schema(inside)
    else:
        assert output.read_bytes() == inside.read_bytes()
    assert (streamed.rows_in, streamed.suppressed) == (release.rows_in, release.suppressed)
    assert streamed.max_gamma == release.max_gamma
    assert sorted(path.name for path in output.parent.iterdir() if path.name.startswith(".")) == []


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    frame: pl.DataFrame = embedded_table().to_frame()
    frame.write_csv(path)
    return path


def test_adult(adult: Path, tmp_path: Path) -> None:
    assert_same(adult, tmp_path / "out.csv", ["occupation"], SpluGen(5))


@pytest.mark.parametrize("plan", ["anatomy", "cyclic", "mixed"])
def test_a_generated_table_of_several_blocks(plan: str, tmp_path: Path) -> None:
    rows = 20_011  # four blocks of the mixed plan or more, and a remainder
    frame = pl.DataFrame(
        {
            "v": [f"v{(n * n + n // 7) % 300:03}" for n in range(rows)],
            "w": [(n * n * n) % 7 for n in range(rows)],
            "text": [["", 'a "b", c', "line\nbreak", "é" * 70, " "][n % 5] for n in range(rows)],
            "number": [None if n % 11 == 0 else n % 4 for n in range(rows)],
        }
    )  # most records are there more than once
    frame.write_parquet(tmp_path / "in.parquet")
    mechanism = SpluGen(2, "2/3", plan)
    assert_same(tmp_path / "in.parquet", tmp_path / "out.parquet", ["v", "w"], mechanism)


def test_identified_records_of_text(tmp_path: Path) -> None:
    rows = [f'"{n}","{"abcdef"[n * n % 6]}",{["", "?", "yes"][n % 3]}' for n in range(3001)]
    content = b"\xef\xbb\xbf" + "\r\n".join(['"i,d",v,x', *rows]).encode()
    source, output = tmp_path / "in.csv.gz", tmp_path / "out.csv.gz"
    source.write_bytes(gzip.compress(content))
    mechanism = SpluGenByColumn({"v": SpluGen(2), "x": SpluGen(2, "9/10")})
    assert_same(source, output, ["x", "v"], mechanism, id_column="i,d", missing="none")


def test_signed_zeros_are_one_value_wherever_they_stand(tmp_path: Path) -> None:
    values = [-0.0, 1.5, 2.5, 3.5]
    rows = [(values[n % 4] if n < 6000 else abs(values[n % 4]), n) for n in range(9001)]  # several batches
    for name, ordered in (("falling", rows), ("rising", rows[::-1])):
        folder = tmp_path / name
        folder.mkdir()
        frame = pl.DataFrame(ordered, schema=["v", "n"], orient="row")
        frame.write_parquet(folder / "in.parquet")
        assert_same(folder / "in.parquet", folder / "out.csv", ["v"], SpluGen(3))
        read_release(folder / "out.csv", folder / "m.json")
        assert reported(folder / "m.json")["sensitive"][0]["domain"] == ["0.0", "1.5", "2.5", "3.5"]
    assert (tmp_path / "falling" / "out.csv").read_bytes() == (tmp_path / "rising" / "out.csv").read_bytes()


LEVELS = [*map(str, range(7)), "10"]
MATRIX: list[list[str | int]] = [["1/2", "1/2", 0], ["1/3", "1/3", "1/3"], [0, "1/4", "3/4"]]


@pytest.mark.parametrize(
    ("mechanism", "sensitive", "options"),
    [
        (RetentionReplacement("1/3", {"level": LEVELS}), ["level"], {}),
        (RetentionReplacement("1/3", {"level": LEVELS}), ["level"], {"id_column": "id"}),
        (
            RetentionReplacement(
                "2/5", {"v": ["a", "b", "c", "never"], "level": LEVELS}, shuffled=True, compound=True
            ),
            ["v", "level"],
            {},
        ),
        (RetentionReplacement("1/2", {"level": LEVELS[:7]}, replacing="identity"), ["level"], {}),
        (DistributionBased(), ["v"], {"id_column": "id"}),
        (Operator("v", ["c", "a", "b"], MATRIX), ["v"], {}),
    ],
    ids=["kept", "identified", "compound", "identity", "DBR", "operator"],
)
def test_mechanisms_that_work_row_by_row(
    mechanism: RowMechanism, sensitive: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    """The rows are sorted, so the first ones are no sample, and identical ones stand in several batches."""
    rows = 12_007
    frame = pl.DataFrame(
        {
            "place": [n // 4000 for n in range(rows)],
            "level": [n * n % 7 for n in range(rows)],
            "v": ["abc"[n * n * n % 11 % 3] for n in range(rows)],
            **({"id": [f"r{n}" for n in range(rows)]} if options else {}),
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    assert_same(tmp_path / "in.parquet", tmp_path / "out.parquet", sensitive, mechanism, **options)
    if not options:
        assert frame.n_unique() < rows / 50
        assert frame[:4096].join(frame[4096:], on=frame.columns).height > 0


def test_a_declared_domain_of_dates_or_decimals_of_which_a_batch_lacks_some(tmp_path: Path) -> None:
    rows = 12_007
    days = [date(2020, 1, 1 + n // 4000) for n in range(rows)]  # sorted: the batches hold different ones
    prices = [Decimal(f"{n // 4000}.50") for n in range(rows)]
    pl.DataFrame({"day": days, "price": prices}).write_parquet(tmp_path / "in.parquet")
    domains = {"day": [f"2020-01-0{day}" for day in (1, 2, 3, 4)], "price": ["0.50", "1.50", "2.50", "3.50"]}
    mechanism = RetentionReplacement("1/2", domains)
    assert_same(tmp_path / "in.parquet", tmp_path / "out.parquet", ["day", "price"], mechanism)
    fewer = RetentionReplacement("1/2", {"day": domains["day"][:3]})
    with pytest.raises(DataError, match=r"'2020-01-04' in row \d+, which is not in the declared domain"):
        publish(tmp_path / "in.parquet", tmp_path / "none.csv", "day", fewer, KEY)
