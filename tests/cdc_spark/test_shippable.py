"""Promises to whoever ships the package: it is one zip, and it asks for nothing of the harness."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.cdc_spark import messages, vitess_records
from tests.cdc_spark.avro_messages import Publisher
from tests.tree import ROOT, under

DEADLINE_S = 120.0

# Runs where the harness cannot be imported; the package comes from the zip alone.
BLOCKED = """
import base64, importlib.abc, json, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"harness", "tests"}:
            raise ImportError(f"{name} is not there")

sys.meta_path.insert(0, Blocked())
given = json.load(sys.stdin)
sys.path.insert(0, given["zip"])
import cdc_spark
assert ".zip" in cdc_spark.__file__, cdc_spark.__file__
rows = {
    name: [(t, p, o, k and base64.b64decode(k), v and base64.b64decode(v)) for t, p, o, k, v in of]
    for name, of in given["messages"].items()
}
"""

# Messages go through what Spark would call.
DECODE = """
import pyarrow as pa
from cdc_spark.decoding import NEEDED, Decoding
from cdc_spark.protocols import Language
from cdc_spark.set_aside import Policy

found = {}
for name, some in rows.items():
    columns = [pa.array(one, kind) for one, kind in zip(
        zip(*some), (pa.string(), pa.int32(), pa.int64(), pa.binary(), pa.binary()))]
    batch = pa.RecordBatch.from_arrays(columns, names=list(NEEDED))
    url = given["registry"] if name == "avro" else ""
    decoding = Decoding(Language(name, url=url), Policy(fails=True))
    found[name] = [(row["op"], row["after"]) for one in decoding.decode(iter([batch]))
                   for row in one.to_pylist()]
print(json.dumps(found))
"""

# A session whose workers have the package by --py-files alone.
SESSION = """
from pyspark.sql import SparkSession

settings = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.submit.pyFiles": given["zip"],
}
builder = SparkSession.builder
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()

def whereabouts(batches):
    import cdc_spark, pyarrow
    for _ in batches:
        yield pyarrow.RecordBatch.from_pydict({"file": [cdc_spark.__file__]})

for name in cdc_spark.__all__:
    getattr(cdc_spark, name)
((there,),) = spark.range(1).mapInArrow(whereabouts, "file string").collect()
assert ".zip" in there, there
shape = "topic string, partition int, offset bigint, key binary, value binary"
frames = {name: spark.createDataFrame(some, shape) for name, some in rows.items()}
events = {
    "open": cdc_spark.decode_open(frames["open"]),
    "avro": cdc_spark.decode_avro(frames["avro"], given["registry"]),
    "vitess": cdc_spark.decode_vitess(frames["vitess"]),
    "debezium-mysql": cdc_spark.decode_debezium(frames["debezium-mysql"]),
}
found = {
    name: [(row.op, row.after) for row in one.orderBy("offset", "slot").collect()]
    for name, one in events.items()
}
spark.stop()
print(json.dumps(found))
"""

EVENTS = {
    "open": [["upsert", '{"id":1,"v":"a"}'], ["resolved", None]],
    "avro": [["upsert", '{"id":1}'], ["delete", None]],
    "vitess": [["upsert", '{"id":1}'], ["tombstone", None]],
    "debezium-mysql": [["tombstone", None]],
}


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """Return the package as a zip, as `--py-files` takes it."""
    path = tmp_path / "cdc_spark.zip"
    with ZipFile(path, "w") as archive:
        for file in under("cdc_spark", ".py"):
            archive.write(ROOT / file, file.as_posix())
    return path


def question(shipped: Path) -> dict[str, Any]:
    """Return some messages of each protocol, and where their schemas are."""
    source = Publisher()
    row = {"id": 1}
    records = {
        "open": [messages.message(messages.put(2, 1, "a"), messages.resolved(3))],
        "avro": [source.put(7, row), (source.key(1), None)],
        "vitess": [
            (b'{"id":1}', vitess_records.plain(vitess_records.change("c", None, row))),
            (b'{"id":1}', None),
        ],
        "debezium-mysql": [(b'{"id":1}', None)],
    }
    schemas = shipped.with_name("schemas.json")
    schemas.write_text(json.dumps(source.texts), encoding="utf-8")
    return {
        "zip": str(shipped),
        "registry": schemas.as_uri(),
        "messages": {
            name: [
                ("t", 0, offset, *(part and b64encode(part).decode() for part in record))
                for offset, record in enumerate(of)
            ]
            for name, of in records.items()
        },
    }


def answered(shipped: Path, program: str) -> dict[str, Any]:
    """Return what a program prints that is run beside the zip, far from the checkout."""
    run = subprocess.run(
        [sys.executable, "-c", BLOCKED + program],
        input=json.dumps(question(shipped)),
        env={
            **{name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ},
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        cwd=shipped.parent,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_the_zip_decodes_without_the_harness(shipped: Path) -> None:
    """Messages of each protocol are decoded, where Spark is not installed as well."""
    assert answered(shipped, DECODE) == EVENTS


@pytest.mark.spark
def test_a_session_ships_the_zip_to_its_workers(shipped: Path) -> None:
    """All public names are there, and work where driver and workers have nothing but the zip."""
    assert answered(shipped, SESSION) == EVENTS
