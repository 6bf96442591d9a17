"""Publish a generated table on Spark and on files under one key, and compare the releases row by row.

``python -m benchmarks.spark_release --rows 2000000`` writes a table of so many rows and eight columns as
Parquet and publishes it twice: by two workers of Spark's local mode, and by `splu_ref.mechanisms.streaming`.
With ``--lose-executor`` Spark runs two executors, processes of their own, and one of them is killed while the
release is written: what it held is gone, and what it did is done again. Nothing is written outside a folder
of its own, which goes away.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from typing import Any

import polars as pl
import pyspark
from pyspark.sql import SparkSession

from benchmarks.larger_than_memory import GAMMA, SENSITIVE, write_table
from splu_ref.mechanisms import SpluGen, read_manifest, spark, streaming
from splu_ref.randomness import Key

_COMPARED = 500_000
_EXECUTOR = b"CoarseGrainedExecutorBackend"


def session(folder: Path, *, executors: bool) -> SparkSession:
    """Start Spark, its files in a folder."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]" if executors else "local[2]")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "768m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "8",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF" if executors else "ERROR")
    return made


def descendants(process: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield the processes that a process has started, with their command lines and peaks of memory in MiB."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            words = status.with_name("cmdline").read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields["PPid"]) == process:
            yield int(fields["Pid"]), words, int(fields.get("VmHWM", "0").split()[0]) >> 10
            yield from descendants(int(fields["Pid"]))


class Watcher(Thread):
    """Notes the memory of all processes, and ends an executor once it has done a part of a stage."""

    def __init__(self, running: SparkSession, *, lose: bool) -> None:
        super().__init__(daemon=True)
        self._tracker: Any = running.sparkContext.statusTracker()
        self.lose = False
        self._wanted = lose
        self.lost = ""
        self.peaks: dict[int, int] = {}
        self.ended = False

    def run(self) -> None:
        """Look ten times a second."""
        while not self.ended:
            found = list(descendants(os.getpid()))
            self.peaks |= {process: peak for process, _, peak in found}
            executors = [process for process, words, _ in found if _EXECUTOR in words and b"java" in words]
            if self.lose and self._wanted and len(executors) == 2:
                for number in self._tracker.getActiveStageIds():
                    stage = self._tracker.getStageInfo(number)
                    if stage is not None and 0 < stage.numCompletedTasks < stage.numTasks:
                        os.kill(executors[0], signal.SIGKILL)
                        self._wanted = False
                        self.lost = f"after {stage.numCompletedTasks} of {stage.numTasks} tasks of a stage"
                        break
            sleep(0.1)


def on_spark(table: Path, folder: Path, key: Path, *, lose: bool) -> tuple[Path, str]:
    """Publish on Spark; return where the files are, and the digest of their content."""
    running = session(folder, executors=lose)
    watcher = Watcher(running, lose=lose)
    watcher.start()
    begin = perf_counter()
    frame = running.read.parquet(f"file://{table}").repartition(6)
    release = spark.publish(frame, SENSITIVE, SpluGen(GAMMA), key)
    planned = perf_counter() - begin
    watcher.lose = True
    written = folder / "on-spark"
    release.frame.write.parquet(f"file://{written}")
    wrote = perf_counter() - begin
    watcher.lose = False
    manifest = release.manifest(running.read.parquet(f"file://{written}"))
    wall = perf_counter() - begin
    watcher.ended = True
    watcher.join()
    if lose:
        assert watcher.lost, "no executor was lost: give more rows"
        print(f"lost an executor {watcher.lost}")
    print(f"Spark: {wall:.0f} s of wall time ({planned:.0f} s to plan, {wrote - planned:.0f} s to write)")
    print(f"  peaks of its processes together {sum(watcher.peaks.values())} MiB, of {len(watcher.peaks)}")
    running.stop()
    assert manifest.origin is not None
    return written, manifest.origin.table


def main() -> None:
    """Make a table, publish it both ways, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--lose-executor", action="store_true", help="kill an executor meanwhile")
    parser.add_argument("--folder", type=Path, help="where the files stand while it runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = Path(made)
        table, output, key = folder / "table.parquet", folder / "on-files.parquet", folder / "key"
        write_table(table, options.rows)
        Key.generate().write(key)
        written, digest = on_spark(table, folder, key, lose=options.lose_executor)
        begin = perf_counter()
        manifest = folder / "on-files.json"
        streaming.publish(table, output, SENSITIVE, SpluGen(GAMMA), Key.read(key), manifest=manifest)
        print(f"on files: {perf_counter() - begin:.0f} s of wall time")
        origin = read_manifest(manifest).origin
        assert origin is not None
        assert origin.table == digest, "the content of the releases differs"
        parts = sorted(written.glob("*.parquet"))
        there, here = pl.scan_parquet(parts), pl.scan_parquet(output)
        rows = options.rows - options.rows % GAMMA
        assert there.select(pl.len()).collect().item() == here.select(pl.len()).collect().item() == rows
        for first in range(0, rows, _COMPARED):
            some = there.slice(first, _COMPARED).collect()
            assert some.equals(here.slice(first, _COMPARED).collect()), "the rows of the releases differ"
        print(f"compared: {rows:,} rows, the same cells in the same order, in {len(parts)} files of Spark's")


if __name__ == "__main__":
    main()
