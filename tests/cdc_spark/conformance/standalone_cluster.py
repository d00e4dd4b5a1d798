"""A standalone cluster of Spark: a master and workers, each a Java of its own, on this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from harness.process import spawn
from harness.services import find_java
from harness.services.ports import HOST, free_ports
from tests.cdc_spark.job_factory import DEADLINE_S, ROOT

DEPLOY = "org.apache.spark.deploy"
REGISTERED = "Registering worker"
SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a Java that ends before more would pay


@contextmanager
def standalone_cluster(directory: Path, workers: int) -> Iterator[str]:
    """Yield the master's URL once all workers, of one core each, are with it."""
    directory.mkdir()
    home = Path(pyspark.__file__).parent
    (port,) = free_ports(1)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "JAVA_HOME": str(find_java("spark").home),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": SHORT,
        "PYTHONPATH": ROOT,
    }
    url = f"spark://{HOST}:{port}"
    where = ["--host", HOST, "--webui-port", "0"]
    master = [f"{DEPLOY}.master.Master", "--port", str(port), *where]
    worker = [f"{DEPLOY}.worker.Worker", *where, "--cores", "1", "--memory", "1g", url]
    log = directory / "master.log"
    with ExitStack() as stack:
        for name, words in [("master", master), *[(f"worker-{n}", worker) for n in range(workers)]]:
            own = directory / name
            own.mkdir()
            output = directory / f"{name}.log"
            argv = [str(home / "bin" / "spark-class"), *words]
            stack.enter_context(spawn(argv, cwd=own, env=environment, stdout=output, stderr=output))
        until = time.monotonic() + DEADLINE_S
        while log.read_text().count(REGISTERED) < workers:
            assert time.monotonic() < until, log.read_text()[-2000:]
            time.sleep(0.1)
        yield url
