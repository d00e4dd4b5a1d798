"""Promises of the library in somebody's own job: the guide's example, started with spark-submit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdc_spark.errors import UsageError
from harness import services
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.job_factory import DEADLINE_S, KEPT, ROOT, JobFactory
from tests.cdc_spark.messages import ddl, message, put, resolved

pytestmark = pytest.mark.spark

EXAMPLE = Path(ROOT, "docs/guides/examples/delta_job.py")
CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def test_the_example_keeps_delta_tables(jobs: JobFactory, tmp_path: Path) -> None:
    """Its tables are those of the topic; a message that cannot be read is set aside."""
    import pyspark  # noqa: PLC0415 - only where Spark is

    first = [message(ddl(1, CREATE, 3), put(2, 1, "a")), (b"not", b"ours")]
    topic = jobs.topic([[*first, message(put(3, 2, "é"), resolved(3)), message(put(4, 3, "c"))]])
    groups = [services.jars(group, on_event=quiet) for group in ("spark", "delta")]
    jars = ",".join(str(path) for group in groups for path in group)
    conf = [word for name, value in CONF.items() for word in ("--conf", f"{name}={value}")]
    places = [(tmp_path / name).as_uri() for name in ("tables", "checkpoint")]
    run = subprocess.run(
        [
            str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
            *("--master", "local[1]", "--jars", jars, *conf, str(EXAMPLE)),
            *(jobs.bootstrap, topic["name"], "1", *places, "--once"),
        ],
        env={
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": ROOT,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    rows = ['{"id":1,"v":"a"}', '{"id":2,"v":"é"}']
    assert run.stdout.splitlines() == [f"test.t: {rows}"]
    assert (tmp_path / "tables" / "_dead_letters" / "_delta_log").is_dir()


@pytest.mark.parametrize(
    "differs", [{"protocol": "canal"}, {"topics": {}}, {"poison": "skip"}, {"dialect": "5.0"}]
)
def test_a_changefeed_that_cannot_be_is_refused(differs: dict[str, object]) -> None:
    """What nobody could read is told before anything starts."""
    from cdc_spark import Changefeed  # noqa: PLC0415 - only where Spark is

    options = {"protocol": "open", "topics": {"t": 1}, **differs}
    with pytest.raises(UsageError):
        Changefeed(**options)
