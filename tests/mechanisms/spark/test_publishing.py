"""Publishing on Spark, in local mode with two workers: the release of one machine, bit for bit."""

from __future__ import annotations

import base64
import doctest
import io
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import TaskContext
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql import DataFrame, SparkSession

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import Microdata, embedded_table
from splu_ref.estimators import METHODS, Query, QueryEstimator
from splu_ref.mechanisms import (
    DistributionBased,
    Operator,
    RecordMechanism,
    Release,
    RetentionReplacement,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    read_manifest,
)
from splu_ref.mechanisms.spark import content, counting, entries, groups, records
from splu_ref.mechanisms.spark.counting import count
from splu_ref.mechanisms.spark.keys import KeyFile
from splu_ref.mechanisms.spark.publishing import SparkRelease, publish
from splu_ref.randomness import Key, KeyedSource, keyed
from splu_ref.randomness.release_context import release_key

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is absent"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Spark leaves sockets to the collector
]

PAGE = Path(__file__).parents[3] / "docs" / "spark.md"


@pytest.fixture(scope="module")
def folder(spark_folder: Path) -> Path:
    return spark_folder


@pytest.fixture(scope="module")
def spark(spark_session: SparkSession) -> SparkSession:
    return spark_session


@pytest.fixture(scope="module")
def key_file(folder: Path) -> Path:
    path = folder / "key"
    Key.generate().write(path)
    return path


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the tables of the tests fill many buckets, and copies come in several parts."""
    monkeypatch.setattr(groups, "_BUCKET_BITS", 8)
    monkeypatch.setattr(records, "_COPIES", 4)
    monkeypatch.setattr(content, "_PART_BYTES", 1 << 20)


Publishing = Callable[..., tuple[SparkRelease, Release]]


@pytest.fixture
def both(spark: SparkSession, key_file: Path) -> Iterator[Publishing]:
    """Publish a table on Spark and on one machine, and compare the releases."""
    made: list[SparkRelease] = []

    def publishing(
        table: pa.Table, sensitive: Any, mechanism: RecordMechanism, partitions: int, **options: Any
    ) -> tuple[SparkRelease, Release]:
        frame = spark.createDataFrame(table)
        if partitions:
            frame = frame.repartition(partitions)
        with _few_rows_reach_the_driver(type(frame)):
            there = publish(frame, sensitive, mechanism, key_file, **options)
        made.append(there)
        source = KeyedSource(Key.read(key_file))
        here = mechanism.publish(frame.toArrow(), sensitive, source, **options)
        shown = there.frame.toArrow()
        assert shown.schema == here.frame.schema
        assert Microdata.from_frame(shown).content_records() == here.table.content_records()
        assert (there.rows_in, there.suppressed) == (here.rows_in, here.suppressed)
        assert there.max_gamma == here.max_gamma
        assert there.domains == here.domains
        return there, here

    yield publishing
    for release in made:
        release.unpersist()


@contextmanager
def _few_rows_reach_the_driver(frames: type[DataFrame]) -> Iterator[None]:
    """Counts of values, sums of partitions, sizes of buckets, and fewer records than a group has."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("collect", len), ("toArrow", attrgetter("num_rows"))):
            gathered = getattr(frames, name)

            def stored(frame: DataFrame, gathered: Any = gathered, size: Any = size) -> Any:
                found = gathered(frame)
                assert size(found) <= 16
                return found

            patch.setattr(frames, name, stored)
        for name in ("toPandas", "toLocalIterator", "take", "head", "tail"):
            patch.delattr(frames, name)
        yield


def _adult(rows: int) -> pa.Table:
    """Return records of Adult, of which many occur several times."""
    table: pa.Table = embedded_table().to_frame().to_arrow()
    return table.select(["education", "race", "sex", "occupation"]).slice(0, rows)


def _kinds(rows: int) -> pa.Table:
    """Return a table with cells of all kinds, and a value as frequent as groups of two admit."""
    half = rows // 2
    return pa.table(
        {
            "id": [f"r{row}" for row in range(rows)],
            "a.b `c`": [None if row % 7 == 0 else f'"{row % 5}",\n' for row in range(rows)],
            "number": pa.array([None if row % 11 == 0 else row % 3 - 1 for row in range(rows)], pa.int32()),
            "share": pa.array([float("nan") if row % 5 == 0 else row % 4 / 7 for row in range(rows)]),
            "day": [date(2024, 2, 1 + row % 28) for row in range(rows)],
            "moment": [datetime(2024, 2, 29, 12, 0, row % 60, tzinfo=UTC) for row in range(rows)],
            "s": ["often" if row < half else ("é", "ü", "z")[row % 3] for row in range(rows)],
            "level": pa.array([row % 6 for row in range(rows)], pa.int64()),
        }
    )


def test_the_page_publishes_a_real_table_with_several_blocks(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(examples), names, PAGE.name, str(PAGE), 0)
    reported = io.StringIO()
    runner = doctest.DocTestRunner()
    runner.run(test, out=reported.write, clear_globs=False)
    assert runner.failures == 0, reported.getvalue()
    names = test.globs
    here = SpluGen(5).publish(names["people"].toArrow(), "occupation", KeyedSource(names["key"]))
    manifest = read_manifest(tmp_path / "on-spark.json")
    assert manifest.origin is not None
    assert here.manifest.origin is not None
    assert manifest.origin.table == here.manifest.origin.table
    assert (manifest.rows, manifest.domains) == (here.manifest.rows, here.manifest.domains)
    for method in ("shrunk", "exact"):
        requested = {"occupation": "Sales", "sex": "Female", "age": {"min": 30, "max": 39}}
        assert here.estimate(requested, method=method) == names[method]
    with pytest.raises(DataError, match="this is not the published table, which has 30715 rows"):
        names["release"].manifest(names["written"].limit(7))


@pytest.mark.parametrize("partitions", [1, 5])
def test_copies_and_two_columns_in_any_number_of_partitions(
    both: Publishing, partitions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 2,001 records and groups of 2, the record that comes last is deleted."""
    mechanism = SpluGen(2, "1/3", "anatomy")
    release, here = both(_adult(2001), ["occupation", "education"], mechanism, partitions)
    assert release.suppressed == 1
    if partitions == 1:
        return
    counted = count(release.frame, ["sex"], mechanism, release.domains)
    estimator = QueryEstimator(counted.table, counted.sensitive, mechanism, domains=counted.domains)
    requested = {"occupation": "Sales", "education": ["HS-grad", "Bachelors"], "sex": "Male"}
    for method in ("shrunk", "em", "inversion"):
        [found] = estimator.estimate([Query.of(requested)], METHODS[method])
        assert found == here.estimate(requested, method=method)
    with pytest.raises(DataError, match="there is no column 'races': did you mean 'race'"):
        count(release.frame, ["races"], mechanism, release.domains)
    monkeypatch.setattr(counting, "MOST_COMBINATIONS", 30)
    with pytest.raises(DataError, match="occupation, education have more than 30 combinations"):
        count(release.frame, [], mechanism, release.domains)


def test_cells_of_all_kinds_and_a_value_in_every_group(both: Publishing) -> None:
    mechanism = SpluGenByColumn({"s": SpluGen(2, plan="cyclic"), "level": SpluGen(3)})
    release, _ = both(_kinds(1206), ["s", "level"], mechanism, 2, id_column="id")
    assert release.max_gamma == {"s": 2, "level": 6}


def test_missing_cells_published_as_a_value(both: Publishing) -> None:
    table = pa.table({"s": [None, "", "a", "b", "?", "a"] * 3})
    both(table, "s", SpluGen(2), 2, missing="?")


def test_mechanisms_that_work_row_by_row(both: Publishing) -> None:
    table = _kinds(400)
    levels = [*map(str, range(6)), "9"]
    both(table, "level", RetentionReplacement("1/3", {"level": levels}), 0, id_column="id")
    domains = {"s": ["often", "z", "é", "ü", "never"], "level": levels}
    together = RetentionReplacement("1/4", domains, shuffled=True, compound=True)
    both(table.drop_columns(["id"]), ["s", "level"], together, 3)
    both(table, "s", DistributionBased(), 2)
    matrix: list[list[str | int]] = [
        ["1/2", "1/4", "1/4", 0],
        [0, "1/3", "1/3", "1/3"],
        [0, 0, 1, 0],
        ["1/4", "1/4", "1/4", "1/4"],
    ]
    both(table, "s", Operator("s", ["often", "z", "é", "ü"], matrix, shuffled=True), 2)


def test_tasks_that_fail_and_are_run_again(both: Publishing, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(function: Callable[..., Any]) -> Callable[..., Any]:
        def first_attempt_fails(*arguments: Any) -> Any:
            context = TaskContext.get()
            if context is not None and context.attemptNumber() == 0:
                raise RuntimeError("this attempt is lost")
            return function(*arguments)

        return first_attempt_fails

    for module, name in ((entries, "shuffle_keys"), (groups, "order_by_digest"), (groups, "with_cells")):
        monkeypatch.setattr(module, name, failing(getattr(module, name)))
    both(_adult(500), "occupation", SpluGen(3), 2)


def test_the_key_is_nowhere(
    both: Publishing,
    spark: SparkSession,
    folder: Path,
    key_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Not in what workers are sent, in plans, logs, events or other files, as bytes, digits or base 64."""
    sent: list[bytes] = []
    made: list[Key] = []
    dumps: Callable[[Any, Any], bytes] = CloudPickleSerializer.dumps

    def recorded(self: Any, value: Any) -> bytes:
        sent.append(dumps(self, value))
        return sent[-1]

    def of_release(*arguments: Any) -> Key:
        made.append(release_key(*arguments))
        return made[-1]

    monkeypatch.setattr(CloudPickleSerializer, "dumps", recorded)
    monkeypatch.setattr(keyed, "release_key", of_release)
    release, _ = both(_adult(500), "occupation", SpluGen(3), 2)
    release.frame.explain(extended=True)
    both(_adult(60), "occupation", DistributionBased(), 1)
    texts = b"".join(sent)
    assert str(key_file).encode() in texts
    files = [path for path in folder.rglob("*") if path.is_file() and path != key_file]
    assert {"log.txt"} < {path.name for path in files}
    kept = [path.read_bytes() for path in files]
    assert any(b"Executor" in content for content in kept)
    assert len(made) == 2
    shown = capfd.readouterr().out.encode()
    assert b"MapInArrow" in shown
    for secret in (Key.read(key_file).secret, *(key.secret for key in made)):
        for text in (texts, shown, *kept):
            assert not any(form in text for form in _forms(secret))


def _forms(secret: bytes) -> list[bytes]:
    """Return how bytes may be written: base 64 has three forms, by the place where they begin."""
    coded = [base64.b64encode(bytes(shift) + secret)[4 if shift else 0 : -4] for shift in range(3)]
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), repr(secret)[2:-1].encode(), *coded]


def test_a_worker_without_the_key_is_reported_in_a_line(
    spark: SparkSession, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commitment = Key.read(key_file).commitment()
    absent = f"{key_file}-elsewhere"
    monkeypatch.setattr(KeyFile, "of", lambda _: KeyFile(absent, commitment))
    with pytest.raises(InputError, match=r"^key file .*-elsewhere.*: name another.*$"):
        publish(spark.createDataFrame(_adult(20)), "occupation", SpluGen(2), key_file)
    with pytest.raises(InputError, match="holds another key on a worker than on the driver"):
        KeyFile(str(key_file), Key.generate().commitment()).read()


def test_refusals(spark: SparkSession, key_file: Path) -> None:
    frame = spark.createDataFrame(_kinds(60))

    def refused(kind: type[Exception], words: str, sensitive: Any, mechanism: Any, **options: Any) -> None:
        with pytest.raises(kind, match=words):
            publish(options.pop("frame", frame), sensitive, mechanism, key_file, **options)

    gamma = SpluGen(2)
    refused(ParameterError, "name at least one sensitive column", [], gamma)
    refused(ParameterError, "another one to identify records", "s", gamma, id_column="s")
    refused(DataError, "there is no column 'levels': did you mean 'level'", "levels", gamma)
    refused(DataError, "column 'share' is missing in 12 records", "share", gamma)
    refused(
        DataError, "does not allow gamma = 3: the value 'often' occurs 30 times among 60", "s", SpluGen(3)
    )
    refused(ParameterError, "draws capped:9 belong to groups", "s", SpluGen(2, draws="capped:9"))
    refused(ParameterError, "swapping needs the whole table", "s", Swapping("1/2"))
    kept = RetentionReplacement("1/2", {"level": ["0", "1"]})
    both = RetentionReplacement("1/2", {"level": [*"012345"]}, shuffled=True)
    refused(ParameterError, "rows cannot keep their order", "level", kept)
    refused(DataError, "holds '[2-5]', which is not in the declared domain", "level", kept, id_column="id")
    refused(ParameterError, "'s' has a domain or is sensitive, and not both", ["level", "s"], both)
    refused(DataError, "'s' cannot identify records: .* records share a value", "level", gamma, id_column="s")
    refused(DataError, "'number' cannot identify records", "level", gamma, id_column="number")
    lists = spark.createDataFrame([(["a"], "b")], ["list", "s"])
    refused(DataError, "column 'list' is of type array<string>", "s", gamma, frame=lists)
    refused(DataError, "holds no rows", "s", gamma, frame=frame.limit(0))
    zeros = spark.createDataFrame([(n // 2, "ab"[n % 2]) for n in range(4)], ["id", "s"])
    refused(DataError, "2 records share a value", "s", gamma, frame=zeros.limit(2), id_column="id")
    cased = spark.createDataFrame([("a", "b")], ["s", "x"]).toDF("s", "S")
    refused(DataError, "another column has the name 's' but for upper and lower", "s", gamma, frame=cased)
    names = spark.createDataFrame([("NaN", "a"), ("null", "b")], ["id", "s"])
    assert publish(names, "s", gamma, key_file, id_column="id").rows_in == 2
    with pytest.raises(InputError, match="No such file"):
        publish(frame, "s", gamma, f"{key_file}-elsewhere")
