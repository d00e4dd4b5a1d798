"""A Spark Connect server: PySpark's own, on this machine, with jars and settings from its start."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

from harness.process import spawn
from harness.services import find_java
from harness.services.ports import HOST, free_ports
from tests.cdc_spark.job_factory import DEADLINE_S, ROOT

CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
DELTA: Mapping[str, str] = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
SMALL: Mapping[str, str] = {
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": HOST,
    "spark.driver.host": HOST,
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.task.maxFailures": "1",
    "spark.connect.grpc.binding.address": HOST,
}


@contextmanager
def connect_server(
    directory: Path, jars: Sequence[Path], settings: Mapping[str, str], python_path: str = ROOT
) -> Iterator[str]:
    """Yield the URL of a server whose Python finds modules by `python_path`; it ends with this."""
    directory.mkdir()
    home = Path(pyspark.__file__).parent
    (port,) = free_ports(1)
    options = {**SMALL, **settings, "spark.connect.grpc.binding.port": str(port)}
    options["spark.sql.warehouse.dir"] = str(directory / "warehouse")
    options["spark.local.dir"] = str(directory / "scratch")
    if jars:
        options["spark.driver.extraClassPath"] = os.pathsep.join(map(str, jars))
    argv = [str(home / "bin" / "spark-submit"), "--class", CLASS, "--master", "local[2]"]
    for name, value in options.items():
        argv += ["--conf", f"{name}={value}"]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "JAVA_HOME": str(find_java("spark").home),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": HOST,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": python_path,
    }
    log = directory / "server.log"
    with spawn(
        [*argv, "spark-internal"], cwd=directory, env=environment, stdout=log, stderr=log
    ) as server:
        until = time.monotonic() + DEADLINE_S
        while not _answers(port):
            assert server.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < until
            time.sleep(0.1)
        yield f"sc://{HOST}:{port}"


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False
