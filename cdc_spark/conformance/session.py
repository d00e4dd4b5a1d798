"""The Spark session, tuned for small machines and many tiny topics; and its fast end.

Every setting has its reason beside it. What Java prints goes into a log file; a person reads
our own sentences.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from cdc_spark.conformance import class_archive, java, remote, sinks, spark_settings
from cdc_spark.conformance.class_archive import Archive
from cdc_spark.conformance.job import Job
from cdc_spark.errors import SetupError, UsageError
from cdc_spark.untyped import Session

JARS = "HARNESS_SPARK_JARS"
LOG = "spark.log"
SCRATCH = "scratch"
ARCHIVING_S = 60.0

SETTINGS: Mapping[str, str] = {
    "spark.master": "local[2]",
    # As many state stores and shuffle tasks as cores; each costs files at every micro-batch.
    "spark.sql.shuffle.partitions": "2",
    # Plans are small and known; re-planning them between stages costs more than it saves.
    "spark.sql.adaptive.enabled": "false",
    # Compiling generated code takes longer than running it once over some thousand rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Nothing listens outside this machine, and a host name that resolves oddly does no harm.
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    # Short-lived JVM: no profiling compiler, one collector thread.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
    "spark.python.daemon.module": "cdc_spark.conformance.daemon",
    # The state of a bounded run is small; keeping its last versions is enough.
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # A query that cannot be stopped must not outlive the deadline.
    "spark.sql.streaming.stopTimeout": "5000",
    # A failed task fails the same way again, and its first message is the one to read.
    "spark.task.maxFailures": "1",
}

_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""


@dataclass(frozen=True, slots=True)
class Running:
    """A session, and what is to be called last of all."""

    spark: Session
    end: Callable[[], None]


def begin(job: Job, environment: Mapping[str, str]) -> Running:
    """Start Spark, or connect to it; raises SetupError, and UsageError for settings that clash."""
    url = remote.address(environment)
    if url:
        return _connected(url, environment)
    jar_files = jars(environment)
    archive = class_archive.find(environment, jar_files)
    spark = start(job, jar_files, archive)
    return Running(spark, partial(stop, spark, job, archive))


def _connected(url: str, environment: Mapping[str, str]) -> Running:
    if environment.get(spark_settings.MASTER):
        raise UsageError(
            f"{spark_settings.MASTER} and {remote.VARIABLE} are both set",
            expected="a master to start Spark on, or a server that has started it",
        )
    delta = sinks.chosen(environment) == sinks.DELTA
    settings = {**SETTINGS, **sinks.settings(environment)}
    ours = {name: value for name, value in settings.items() if name not in sinks.AT_START}
    spark = remote.start(url, ours, spark_settings.user_settings(environment), delta=delta)
    return Running(spark, spark.stop)


def jars(environment: Mapping[str, str]) -> list[str]:
    """Return the connector's jar files; raises SetupError when they are not named or not there."""
    named = [path for path in environment.get(JARS, "").split(os.pathsep) if path]
    hint = "the harness sets it; by hand, name the Kafka connector's jars and those it needs"
    if not named:
        raise SetupError(
            f"{JARS} is not set", expected=f"paths joined by {os.pathsep!r}", hint=hint
        )
    missing = [path for path in named if not Path(path).is_file()]
    if missing:
        raise SetupError(f"{JARS} names {missing[0]}, which is not there", hint=hint)
    return named


def start(job: Job, jar_files: list[str], archive: Archive | None) -> Session:
    """Start Java and a session in it; raises SetupError when that fails."""
    log = job.work_dir / LOG
    scratch = job.work_dir / SCRATCH
    shutil.rmtree(scratch, ignore_errors=True)  # of a run that was killed
    scratch.mkdir()
    logging = job.work_dir / "log4j2.properties"
    logging.write_text(_LOG4J.format(log=log), encoding="utf-8")
    ours = {**SETTINGS, **sinks.settings()}
    java_options = [
        ours["spark.driver.extraJavaOptions"],
        f'"-Dlog4j2.configurationFile={logging}"',
        f'"-Djava.io.tmpdir={scratch}"',  # Java heeds no TMPDIR, and is killed at its end
        *(f'"{option}"' for option in (archive.options() if archive else ())),
    ]
    settings = {
        **ours,
        "spark.driver.extraJavaOptions": " ".join(java_options),
        # On the class path, jars are neither copied nor served, and can be in the class archive.
        "spark.driver.extraClassPath": os.pathsep.join(jar_files),
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(job.work_dir / "warehouse"),
    }
    settings = spark_settings.settled(settings, jar_files, os.environ)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"  # or Spark looks up a host name that may not resolve
    os.environ["PYTHONPATH"] = _python_path(os.environ.get("PYTHONPATH", ""))
    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        with _output_to(log):
            return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise SetupError(
            f"Spark did not start on {java.version(os.environ)}",
            expected="Java 17 or 21, by JAVA_HOME or on PATH",
            hint=f"{log} has what Java said",
        ) from error


def stop(spark: Session, job: Job, archive: Archive | None) -> None:
    """End Java; to be called last of all.

    All that counts is in files by now, so Java is killed: an orderly end takes a second and adds
    nothing, except when it is to leave an archive of its classes. PySpark's threads complain of the
    loss, hence standard error goes to the log from here on.
    """
    with (job.work_dir / LOG).open("ab") as file:
        os.dup2(file.fileno(), 2)
    process: subprocess.Popen[bytes] = spark.sparkContext._gateway.proc  # noqa: SLF001
    if archive is not None and not archive.made and process.stdin is not None:
        process.stdin.close()  # which is how PySpark's Java learns that it is time to end
        with suppress(subprocess.TimeoutExpired):
            process.wait(ARCHIVING_S)
            archive.keep()
    process.kill()
    process.wait()
    shutil.rmtree(job.work_dir / SCRATCH, ignore_errors=True)


def _python_path(given: str) -> str:
    """Return a PYTHONPATH by which workers find this very package.

    A site directory is left out: ahead of the standard library its backports would shadow it.
    """
    entries = [entry for entry in given.split(os.pathsep) if entry]
    root = str(Path(__file__).parents[2])
    if root not in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *entries}:
        entries.insert(0, root)
    return os.pathsep.join(entries)


@contextmanager
def _output_to(log: Path) -> Generator[None]:
    """Let processes that are started now write their output and errors to the log."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        for descriptor, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)
