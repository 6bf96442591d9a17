"""Every mechanism, on every engine, into every format: nothing is published that no published row shows.

Markers stand in the original where no row shows them: categories that no record has, metadata of schemas and
fields, names of an index, attributes, numbers under nulls. Besides, each record has a name of its own, so the
names of deleted records are markers as well. None of them may occur in a file, whether plain, packed, in a
dictionary page, in statistics or in a manifest. What a manifest may list is the domain: see
``docs/limits.md``.

A transcript is a private record: with it and the cells that are not sensitive, the release is undone. It may
hold draws, digests, parameters and names of columns, but no cell, so no marker either.
"""

from __future__ import annotations

import csv
import gzip
import io
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from splu_ref.data import as_table
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    DistributionBased,
    Operator,
    PerturbedGeneralization,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    TwoTablesRelease,
    transcribed,
)
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import Key, SeededSource
from tests.hostile.test_residue import HIDDEN, MARKER, laid_open

ROWS = 41
"""Groups of two leave one record over, groups of three two."""
JOBS, PARTS = ("Art", "Law", "Sales", "Tech"), ("east", "north", "south")
PERSONS = [f"Person {row:03}" for row in range(ROWS)]
COLUMNS: dict[str, list[Any]] = {
    "person": PERSONS,
    "part": [PARTS[row % 3] for row in range(ROWS)],
    "age": [None if row % 7 == 0 else 20 + row for row in range(ROWS)],
    "job": [JOBS[row % 4] for row in range(ROWS)],
}
MATRIX = [["1/2" if row == column else "1/6" for column in range(4)] for row in range(4)]
PARTIAL = SmallDomainRandomization("job", ["part"], {(part,): JOBS for part in PARTS}, 5)
MECHANISMS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "splu-gen": (SpluGen(2), ("job",)),
    "splu-gen-by-column": (SpluGenByColumn({"job": SpluGen(3), "part": SpluGen(2)}), ("job", "part")),
    "distribution": (DistributionBased(), ("job",)),
    "retention": (RetentionReplacement("1/3", {"job": JOBS}, shuffled=True), ("job",)),
    "swap": (Swapping("1/2"), ("job",)),
    "operator": (Operator("job", JOBS, MATRIX, shuffled=True), ("job",)),
    "anatomy": (Anatomy(2), ("job",)),
    "alpha-beta": (AlphaBeta("1/2", "1/4", {"person": PERSONS, "job": JOBS}), ("person", "job")),
    "small-domains": (PARTIAL, ("job",)),
    "pg": (PerturbedGeneralization("job", JOBS, ["part"], 4, "1/2"), ("job",)),
}
BY_PARTS = ("splu-gen", "splu-gen-by-column", "distribution", "retention", "operator")
"""Those that engines publish, which hold a part of a table at a time."""
ENDS = ("csv", "csv.gz", "parquet")


def _numbers() -> Any:
    """Return the ages as an array of PyArrow with a hidden number under each null."""
    shown = [HIDDEN if age is None else age for age in COLUMNS["age"]]
    mask = np.packbits([age is not None for age in COLUMNS["age"]], bitorder="little").tobytes()
    return pa.Array.from_buffers(
        pa.int64(), ROWS, [pa.py_buffer(mask), pa.py_buffer(np.array(shown).tobytes())]
    )


def _dictionary(column: str) -> Any:
    values = sorted(set(COLUMNS[column]))
    codes = pa.array([values.index(cell) for cell in COLUMNS[column]], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array([*values, MARKER]))


def _arrow(*, categories: bool = True) -> pa.Table:
    kept = {name: _dictionary(name) if categories else pa.array(COLUMNS[name]) for name in ("part", "job")}
    columns = {"person": pa.array(PERSONS), "part": kept["part"], "age": _numbers(), "job": kept["job"]}
    fields = [pa.field(name, each.type, metadata={"comment": MARKER}) for name, each in columns.items()]
    return pa.Table.from_arrays(
        list(columns.values()), schema=pa.schema(fields, metadata={"note": MARKER, "pandas": MARKER})
    )


def _pandas() -> pd.DataFrame:
    frame = pd.DataFrame(COLUMNS, index=pd.Index([f"{MARKER} {row}" for row in range(ROWS)], name=MARKER))
    ages = pd.array([HIDDEN if age is None else age for age in COLUMNS["age"]], dtype="Int64")
    ages[np.array([age is None for age in COLUMNS["age"]])] = pd.NA
    frame["age"] = ages
    for name in ("part", "job"):
        values = sorted(set(COLUMNS[name]))
        frame[name] = pd.Categorical(COLUMNS[name], categories=[*values[:1], MARKER, *values[1:]])
    frame.columns.name = MARKER
    frame.attrs = {"note": MARKER}
    return frame


def _polars() -> pl.DataFrame:
    kinds = {name: pl.Enum([MARKER, *sorted(set(COLUMNS[name]))]) for name in ("part", "job")}
    return pl.DataFrame(
        {
            "person": PERSONS,
            "part": pl.Series(COLUMNS["part"], dtype=kinds["part"]),
            "age": pl.Series(_numbers()),
            "job": pl.Series(COLUMNS["job"], dtype=kinds["job"]),
        }
    )


def _file(folder: Path, kind: str, *, categories: bool) -> Path:
    path = folder / f"original.{kind}"
    if kind == "parquet":
        pq.write_table(_arrow(categories=categories), path, compression="none")
    else:
        pl.DataFrame(COLUMNS).write_csv(path)
    return path


ORIGINALS: dict[str, Callable[[Path], Any]] = {
    "csv": lambda folder: _file(folder, "csv", categories=False),
    "parquet": lambda folder: _file(folder, "parquet", categories=True),
    "pyarrow": lambda _: _arrow(),
    "pandas": lambda _: _pandas(),
    "polars": lambda _: _polars(),
}


def _content(path: Path) -> bytes:
    """Return the bytes of a file, or of all files of a folder as Spark writes one."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    return b"".join(laid_open(each.read_bytes()) for each in files)


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a published file, or of the files of a folder as Spark writes one."""
    rows: list[dict[str, Any]] = []
    for file in sorted(path.glob("part-*")) if path.is_dir() else [path]:
        if file.name.endswith("parquet"):
            rows += pq.ParquetFile(file).read().to_pylist()
        else:
            data = file.read_bytes()
            text = (gzip.decompress(data) if file.name.endswith("gz") else data).decode()
            rows += csv.DictReader(io.StringIO(text))
    return rows


def _marked(opened: bytes) -> bool:
    """Return whether bytes, unpacked, hold a marker."""
    marks = (MARKER.encode(), MARKER.encode("utf-16-le"), HIDDEN.to_bytes(8, "little"), str(HIDDEN).encode())
    return any(mark in opened for mark in marks)


def deleted_of(output: Path, *others: bytes, declared: bool = False) -> list[str]:
    """Return the persons that no row of a published file shows.

    Neither it nor the bytes beside it may hold a marker, nor such a person, unless all persons are values of
    a declared domain.
    """
    rows = _rows(output)
    assert rows
    deleted = sorted(set(PERSONS) - {row["person"] for row in rows if "person" in row})
    for content in (_content(output), *map(laid_open, others)):
        assert not _marked(content)
        assert declared or not [person for person in deleted if person.encode() in content]
    for file in [output, *output.rglob("*.parquet")]:
        if file.is_file() and file.name.endswith("parquet"):
            _assert_statistics(file, rows)
    return deleted


def _assert_statistics(file: Path, rows: list[dict[str, Any]]) -> None:
    """Assert that the least and greatest values that a Parquet file states are those of its own rows."""
    own = pq.ParquetFile(file)
    for group in range(own.metadata.num_row_groups):
        for number in range(own.metadata.num_columns):
            column = own.metadata.row_group(group).column(number)
            if column.statistics is not None and column.statistics.has_min_max:
                shown = {row[column.path_in_schema] for row in rows}
                assert {column.statistics.min, column.statistics.max} <= shown


@pytest.mark.parametrize("original", ORIGINALS)
def test_the_markers_are_in_the_originals(original: str, tmp_path: Path) -> None:
    made = ORIGINALS[original](tmp_path)
    data = made.read_bytes() if isinstance(made, Path) else pickle.dumps(made)
    assert _marked(laid_open(data)) is (original != "csv")
    assert all(person.encode() in laid_open(data) for person in PERSONS)


@pytest.mark.parametrize("original", ORIGINALS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_in_memory(name: str, original: str, tmp_path: Path) -> None:
    mechanism, sensitive = MECHANISMS[name]
    release = mechanism.publish(ORIGINALS[original](tmp_path), sensitive, SeededSource(7))
    frames = [pickle.dumps(release.frame)]
    for end in ENDS:
        output, manifest = tmp_path / f"out.{end}", tmp_path / f"{end}.json"
        if isinstance(release, TwoTablesRelease):
            second = tmp_path / f"second.{end}"
            release.write(output, manifest, sensitive_table=second)
            frames += [second.read_bytes(), pickle.dumps(release.sensitive_table.to_frame())]
        else:
            release.write(output, manifest)
        deleted = deleted_of(output, manifest.read_bytes(), *frames, declared=name == "alpha-beta")
        if name not in ("alpha-beta", "pg"):  # which publish other rows, or no names
            assert len(deleted) == release.suppressed
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("original", ORIGINALS)
@pytest.mark.parametrize("name", ["splu-gen", "splu-gen-by-column"])
def test_transcripts(name: str, original: str, tmp_path: Path) -> None:
    mechanism, sensitive = MECHANISMS[name]
    table = ORIGINALS[original](tmp_path)
    release, transcript = transcribed(mechanism, as_table(table), sensitive, SeededSource(7))
    release.write(tmp_path / "out.parquet")
    data = transcript.to_bytes()
    assert deleted_of(tmp_path / "out.parquet", data)
    assert not [person for person in PERSONS if person.encode() in laid_open(data)]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", BY_PARTS)
def test_from_files_in_parts(name: str, kind: str, end: str, tmp_path: Path) -> None:
    mechanism, sensitive = MECHANISMS[name]
    original = _file(tmp_path, kind, categories=False)
    output, manifest = tmp_path / f"out.{end}", tmp_path / "manifest.json"
    release = publish(original, output, sensitive, mechanism, Key.generate(), manifest=manifest)
    assert len(deleted_of(output, manifest.read_bytes())) == release.suppressed
    assert {path.name for path in tmp_path.iterdir()} == {original.name, output.name, manifest.name}


@pytest.fixture(scope="module")
def spark(spark_session: Any) -> Iterator[Any]:
    """A session that writes Parquet files uncompressed."""
    codec = "spark.sql.parquet.compression.codec"
    spark_session.conf.set(codec, "uncompressed")
    yield spark_session
    spark_session.conf.unset(codec)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is absent")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Spark leaves sockets to the collector
@pytest.mark.parametrize("name", BY_PARTS)
def test_on_spark(name: str, spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as sf  # noqa: PLC0415 - absent without Spark

    from splu_ref.mechanisms.spark.publishing import publish as publish_on_spark  # noqa: PLC0415

    mechanism, sensitive = MECHANISMS[name]
    Key.generate().write(tmp_path / "key")
    plain = spark.createDataFrame(_arrow(categories=False))
    noted = {"comment": MARKER, "note": MARKER}
    frame = plain.select([sf.col(name).alias(name, metadata=noted) for name in plain.columns])
    assert MARKER in frame.schema.json()
    release = publish_on_spark(frame, sensitive, mechanism, tmp_path / "key")
    assert MARKER not in release.frame.schema.json()
    release.frame.persist()
    manifest = release.manifest().to_json()
    for kind in ("csv", "parquet"):
        output = tmp_path / kind
        writing = release.frame.write.option("header", "true")
        getattr(writing, kind)(str(output))
        assert len(deleted_of(output, manifest)) == release.suppressed
    frame.write.parquet(str(tmp_path / "original"))
    assert _marked(_content(tmp_path / "original"))
    release.frame.unpersist()
    release.unpersist()
