"""The Spark session of `load` and `verify`: this machine's, or a cluster's.

PySpark is loaded here and nowhere earlier. Without it, an error names the extra to install.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportPrivateUsage=false
from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import harness
from harness.errors import SetupError
from harness.services import ServiceEvent, find_java, jars

Spark = Any  # pyspark.sql.SparkSession
Frame = Any  # pyspark.sql.DataFrame

LOCAL = "local[*]"
STOP_DEADLINE_S = 60.0
SETTINGS: Mapping[str, str] = {
    "spark.app.name": "harness",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Values are compared as they are; no zone of a machine may move them.
    "spark.sql.session.timeZone": "UTC",
    # A batch of messages is a few megabytes; more of them at a time would be memory for nothing.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4000",
    # A row's columns, each compared with another's, have more consequences than the optimiser can
    # list in minutes (SPARK-19846), and none that helps.
    "spark.sql.constraintPropagation.enabled": "false",
    # A task that runs a second time writes a second time.
    "spark.speculation": "false",
}
ON_THIS_MACHINE: Mapping[str, str] = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    # Without an answer from a second try, the first error is the one to read.
    "spark.task.maxFailures": "1",
}


@dataclass(frozen=True, slots=True)
class Master:
    """Where Spark runs: a master's URL, and settings that go before our own."""

    url: str = LOCAL
    conf: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def local(self) -> bool:
        """Return whether it is this process's own."""
        return self.url.startswith("local")


def installed() -> None:
    """Raise SetupError without PySpark."""
    if find_spec("pyspark") is None or find_spec("pyarrow") is None:
        raise SetupError(
            "this needs PySpark, which is not installed",
            hint="pip install 'cdc-conformance[spark]'",
        )


@contextmanager
def session(
    master: Master, groups: Sequence[str], scratch: Path, more: Sequence[Path] = ()
) -> Generator[Spark]:
    """Yield a session with the jars of the lock's groups (`spark`) and more; SetupError else."""
    installed()
    files = [path for group in groups for path in jars(group, on_event=_quiet)]
    files += more
    if master.local:
        os.environ["JAVA_HOME"] = str(find_java("spark").home)
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        root = str(Path(harness.__file__).parents[1])
        given = os.environ.get("PYTHONPATH", "")
        os.environ["PYTHONPATH"] = os.pathsep.join([root, *filter(None, given.split(os.pathsep))])
    spark = _started(_settings(master, files, scratch))
    try:
        yield spark
    finally:
        end(spark)


def end(spark: Spark) -> None:
    """Stop a session with its Java, so that the next one of this process starts its own.

    A Java that runs on keeps the class path that it was started with.
    """
    from pyspark import SparkContext  # noqa: PLC0415 - only where Spark is

    gateway = spark.sparkContext._gateway  # noqa: SLF001 - there is no public way to it
    spark.stop()
    gateway.shutdown()  # else objects that go later are told to a Java that has gone
    gateway.proc.stdin.close()  # it waits for this to end
    gateway.proc.wait(STOP_DEADLINE_S)
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001


def _settings(master: Master, files: Sequence[Path], scratch: Path) -> dict[str, str]:
    named = {"spark.master": master.url, **SETTINGS}
    if master.local:
        log = scratch / "log4j2.properties"
        own = f'"-Dlog4j2.configurationFile={log}" "-Djava.io.tmpdir={scratch}"'
        log.write_text(_LOG4J.format(log=scratch / "spark.log"), encoding="utf-8")
        named |= {
            **ON_THIS_MACHINE,
            "spark.local.dir": str(scratch / "blocks"),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
            "spark.driver.extraJavaOptions": own,
            "spark.driver.extraClassPath": os.pathsep.join(map(str, files)),
        }
    elif files:
        named["spark.jars"] = ",".join(map(str, files))
    return {**named, **master.conf}


def _started(settings: Mapping[str, str]) -> Spark:
    from pyspark.errors import PySparkException, PySparkRuntimeError  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only where Spark is

    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except (PySparkException, PySparkRuntimeError) as error:
        raise SetupError(
            f"Spark did not start at {settings['spark.master']}: {error}",
            expected="Java 17 or 21, and a master that answers",
        ) from error


def _quiet(event: ServiceEvent) -> None:
    del event


_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""
