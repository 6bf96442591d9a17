"""A session of Spark for tests: local mode with two workers, and all that it writes in one folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

LOGGING = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %c %m%n%ex%n
"""


@contextmanager
def started(folder: Path) -> Iterator[SparkSession]:
    """Run a session that writes its files, uncompressed, into an empty folder."""
    for name in ("events", "local", "warehouse"):
        (folder / name).mkdir()
    (folder / "log4j2.properties").write_text(LOGGING.format(path=folder / "log.txt"))
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{folder / 'log4j2.properties'} "
        "-XX:TieredStopAtLevel=1",  # the tables are small: compiling takes longer than it saves
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file:{folder / 'events'}",
        "spark.eventLog.compress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.shuffle.compress": "false",
        "spark.broadcast.compress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "700",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2,4]").appName("publishing")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()
