"""A session on somebody's Spark Connect server: `HARNESS_SPARK_REMOTE`.

A session sets what may change while Spark runs. What only a start can give is asked for before
anything is read, and its lack is an error.

| of the pipeline | over Connect (Spark 4.2.0) |
| --- | --- |
| `mapInArrow`, `applyInPandasWithState`, streams, the file sink, `createDataFrame` | as elsewhere |
| `foreachBatch` | on the server: the sink travels there, and keeps its state there |
| this package, as an artifact | functions of a stream and of `foreachBatch` do not see it |
| Kafka's connector, as another | it registers its settings once a Java; artifacts load it twice |
| Java's classes, `sparkContext` | not there; Kafka is asked for topic ids by librdkafka |
| static settings, and those that are no `spark.sql.*` | the server's own |
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyspark
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from cdc_spark.errors import SetupError, UsageError
from cdc_spark.untyped import ArrowBatch, Session

VARIABLE = "HARNESS_SPARK_REMOTE"
REACH_S = 10.0
_PORT = 15002
_GUIDE = "see docs/guides/run-spark-elsewhere.md"
_EXTENSIONS, _DELTA = "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"


def address(environment: Mapping[str, str] | None = None) -> str:
    """Return the server's URL, "" where Spark is our own; raises UsageError for another URL."""
    url = (os.environ if environment is None else environment).get(VARIABLE, "")
    if url and (urlsplit(url).scheme != "sc" or not urlsplit(url).hostname):
        raise UsageError(f"{VARIABLE} is {_shown(url)!r}", expected="sc://host:port of a server")
    return url


def start(
    url: str, ours: Mapping[str, str], users: Mapping[str, str], *, delta: bool = False
) -> Session:
    """Open a session on a server that has what we need; raises SetupError, UsageError for `users`.

    `ours` are settings that help where they may be set, `users` those that the user asked for.
    """
    _reach(url)
    try:
        builder: Any = SparkSession.builder
        spark: Session = builder.remote(url).create()
        _same_version(str(spark.version))
        if delta:
            _has_delta(spark)
        _set(spark, ours, users)
        _has_kafka(spark)
        _has_us(spark)
    except ImportError as error:
        raise SetupError(
            f"Spark Connect needs Python packages that are not installed: {_first_line(error)}",
            hint="pip install 'cdc-conformance[connect]'",
        ) from error
    except PySparkException as error:
        raise SetupError(
            f"the Spark Connect server {_shown(url)} gives no session: {_first_line(error)}",
            expected=f"a server of Spark {pyspark.__version__}",
        ) from error
    return spark


def _has_delta(spark: Session) -> None:
    """Raise SetupError where the server was not started for Delta, which no session can change."""
    if _DELTA not in spark.conf.get(_EXTENSIONS, ""):
        raise SetupError(
            f"the Spark Connect server has no {_EXTENSIONS} for Delta, and no session can give it",
            expected=f"a server that was started with {_DELTA} and Delta's catalog",
            hint=_GUIDE,
        )


def _reach(url: str) -> None:
    """Raise SetupError where nobody listens: PySpark's client would try for minutes."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORT
    try:
        socket.create_connection((host, port), timeout=REACH_S).close()
    except OSError as error:
        raise SetupError(
            f"no Spark Connect server answers at {host}:{port}: {error}",
            expected="sc://host:port of a server that runs",
        ) from error


def _same_version(theirs: str) -> None:
    ours = pyspark.__version__
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        raise SetupError(
            f"the Spark Connect server runs Spark {theirs}", expected=f"Spark {ours}, as here"
        )


def _set(spark: Session, ours: Mapping[str, str], users: Mapping[str, str]) -> None:
    for name, value in {**ours, **users}.items():
        try:
            spark.conf.set(name, value)
        except AnalysisException as error:
            if name in users:
                raise UsageError(
                    f"--spark-conf {name} cannot be set on a session of Spark Connect",
                    expected="settings that may change while Spark runs, such as spark.sql.*",
                    hint="start the server with it",
                ) from error


def _has_kafka(spark: Session) -> None:
    options = {"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "none"}
    try:
        _ = spark.readStream.format("kafka").options(**options).load().schema
    except AnalysisException as error:
        raise SetupError(
            "the Spark Connect server lacks Spark's connector for Kafka, which no session can give",
            expected=f"spark-sql-kafka-0-10_2.13:{pyspark.__version__} among its jars",
            hint=_GUIDE,
        ) from error


def _has_us(spark: Session) -> None:
    """Raise SetupError where the server's Python has not just this package."""
    try:
        ((theirs,),) = spark.range(1).mapInArrow(_prints, "print string").collect()
    except PySparkException as error:
        if "No module named" not in str(error):
            raise
        raise SetupError(
            f"the Python of the Spark Connect server lacks a package: {_missing(str(error))}",
            expected="this package with its extra `spark`, where the server runs Python",
            hint=_GUIDE,
        ) from error
    if theirs != package_print():
        raise SetupError(
            "the Python of the Spark Connect server has another version of this package",
            expected="the package as it is here, for what is judged is what runs there",
            hint=_GUIDE,
        )


def _prints(batches: Iterator[ArrowBatch]) -> Iterator[Any]:
    """Yield the print of the package where this runs, in the place of each batch."""
    import pyarrow as pa  # noqa: PLC0415 - PySpark has loaded it where this runs

    for _ in batches:
        yield pa.RecordBatch.from_pydict({"print": [package_print()]})


def package_print() -> str:
    """Return a hash of all source files of this package."""
    root = Path(__file__).parent
    digest = sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _missing(text: str) -> str:
    return text.partition("No module named ")[2].partition("\n")[0]


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")[:300]


def _shown(url: str) -> str:
    """Return the URL without its parameters, among which a token may be."""
    return url.partition("/;")[0]
