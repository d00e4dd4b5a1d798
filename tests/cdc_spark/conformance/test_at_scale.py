"""A workload from end to end: made by Spark, read by the guide's job, compared by Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cdc_spark.job_factory import DEADLINE_S, KEPT, ROOT, JobFactory

pytestmark = pytest.mark.spark

EXAMPLE = Path(ROOT, "docs/guides/examples/latest_rows.py")
WORKLOAD = """\
events: 6000
tables: 3
partitions: 3
ddl: 2
duplicates: 0.05
update: 0.5
delete: 0.1
move: 0.05
"""
# What makes a short session short: nothing is compiled or planned twice.
CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def ran(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run a command with this Python and this checkout."""
    return subprocess.run(
        argv,
        env={
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "PYTHONPATH": ROOT,
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )


def test_a_workload_is_made_read_and_compared(jobs: JobFactory, tmp_path: Path) -> None:
    """Duplicates, moved keys and DDL on the way: the tables are as expected; a lost row shows."""
    import pyspark  # noqa: PLC0415 - only where Spark is
    from pyarrow import parquet  # noqa: PLC0415 - as above

    spec = tmp_path / "workload.yaml"
    spec.write_text(WORKLOAD, encoding="utf-8")
    harness = (sys.executable, "-m", "harness")
    settings = [f"{name}={value}" for name, value in CONF.items()]
    ours = [word for one in settings for word in ("--spark-conf", one)]
    loaded = ran(
        *(*harness, "load", *ours, "--spec", str(spec), "--bootstrap", jobs.bootstrap),
        *("--topic-prefix", "scale.", "--expected", str(tmp_path / "expected")),
    )
    assert loaded.returncode == 0, loaded.stderr[-2000:]

    conf = [word for one in settings for word in ("--conf", one)]
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    jars = jobs.jars.replace(os.pathsep, ",")
    out = tmp_path / "out"
    read = ran(
        *(submit, "--master", "local[2]", "--jars", jars, *conf, str(EXAMPLE)),
        *(jobs.bootstrap, "scale.ticdc", str(out)),
    )
    assert read.returncode == 0, read.stderr[-2000:]

    verify = (*harness, "verify", *ours, "--spark", str(out))
    verify = (*verify, "--expected", str(tmp_path / "expected"))
    same = ran(*verify)
    assert same.returncode == 0, same.stdout + same.stderr[-2000:]
    assert same.stdout.count(": same\n") == 3

    parts = (out / "load.orders_0").glob("*.parquet")
    part = max(parts, key=lambda one: one.stat().st_size)
    rows = parquet.read_table(part)
    parquet.write_table(rows.slice(1), part)
    (part.parent / f".{part.name}.crc").unlink()
    lost = ran(*verify)
    assert lost.returncode == 1, lost.stderr[-2000:]
    assert lost.stdout.count(": 1 missing\n") == 1
