"""my-consumer: materialises tables from Kafka in Spark, and writes them as JSON lines.

One batch reads the topics of all changefeeds up to their end offsets and decodes them on the
executors. What a changefeed's events come to is folded there too, one group a changefeed. It keeps
nothing between starts: one that was killed reads everything again. What messages mean is in `fold`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from fold import decoded, lacking, materialised
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from tables import Declined

from harness.services import jars

KAFKA_OPTIONS = {
    "failOnDataLoss": "true",
    "kafka.fetch.max.wait.ms": "1",  # Spark waits it out once per partition
}
ANSWER = "dir string, kind string, told string, schema string, table string, rows array<string>"
ORDER = ["offset", "slot", "topic", "partition"]
Answer = tuple[str, str, str, str, list[str]]  # `ANSWER` without its first column


def session() -> SparkSession:
    """Start Spark here, with the Kafka connector; on a cluster, `--packages` brings it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    connector = ",".join(str(file) for file in jars("spark", on_event=lambda _: None))
    settings = {
        "spark.jars": connector,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()


def messages(spark: SparkSession, job: dict[str, Any], feeds: list[dict[str, Any]]) -> DataFrame:
    """Read every topic of the changefeeds from its start offsets to its end offsets."""
    topics = [topic for feed in feeds for topic in feed["topics"]]

    def offsets(which: str) -> str:
        return json.dumps({t["name"]: dict(enumerate(t[which])) for t in topics})

    kafka = {f"kafka.{name}": value for name, value in job["kafka"]["java"].items()}
    span = {"startingOffsets": offsets("start_offsets"), "endingOffsets": offsets("end_offsets")}
    names = ",".join(topic["name"] for topic in topics)
    reader = spark.read.format("kafka").options(**kafka, **KAFKA_OPTIONS, **span)
    # A task for each of hundreds of small partitions would cost more than reading them.
    return reader.option("subscribe", names).load().coalesce(os.cpu_count() or 1)


def answers(spark: SparkSession, job: dict[str, Any], feeds: list[dict[str, Any]]) -> list[Any]:
    """Return what became of each changefeed, as rows of `ANSWER`."""
    events = decoded(messages(spark, job, feeds), job)
    directory = {topic["name"]: feed["dir"] for feed in feeds for topic in feed["topics"]}
    pairs = [F.lit(word) for pair in directory.items() for word in pair]
    placed = events.withColumn("dir", F.create_map(*pairs)[F.col("topic")])
    known = {feed["dir"]: feed for feed in feeds}

    def folded(key: tuple[str], rows: pd.DataFrame) -> pd.DataFrame:
        found = answer(known[key[0]], rows.sort_values(ORDER).to_dict("records"))
        names = [part.split()[0] for part in ANSWER.split(", ")]
        return pd.DataFrame([(*key, *one) for one in found], columns=names)

    return placed.groupBy("dir").applyInPandas(folded, ANSWER).collect()


def answer(feed: dict[str, Any], events: list[dict[str, Any]]) -> list[Answer]:
    """Return a row for each table and one for its DDL, or one that says why there are none."""
    for event in events:
        if event["op"] == "poison":
            place = {name: event[name] for name in ("topic", "partition", "offset")}
            return [("error", event["reason"], "", "", lines([place]))]
    try:
        tables, ddl = materialised(feed, events)
    except Declined as lack:
        return [("needs", str(lack), "", "", [])]
    found = [("table", "", *name, lines(rows)) for name, rows in tables.items()]
    return found if ddl is None else [*found, ("ddl", "", "", "", lines(ddl))]


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return objects as lines of JSON."""
    return [json.dumps(row) for row in rows]


def needs_of(feed: dict[str, Any], mode: str) -> str:
    """Name what a changefeed asks for and this program does not do; "" for nothing."""
    if mode != "bounded":
        return f"mode:{mode}"
    if any(table["rows"] for table in feed["tables"]):
        return "rows-at-the-start"
    return lacking(feed)


def run(job: dict[str, Any]) -> None:
    """Do a job; the harness calls this."""
    needs = {feed["dir"]: needs_of(feed, job["mode"]) for feed in job["changefeeds"]}
    feeds = [feed for feed in job["changefeeds"] if not needs[feed["dir"]]]
    statuses = {d: {"status": "not-applicable", "needs": n} for d, n in needs.items() if n}
    indices: dict[str, dict[str, dict[str, str]]] = {feed["dir"]: {} for feed in feeds}
    for one in answers(session(), job, feeds) if feeds else []:
        out, index = Path(job["out_dir"], one.dir), indices[one.dir]
        text = "".join(f"{row}\n" for row in one.rows)
        if one.kind == "error":
            messages = [json.loads(row) for row in one.rows]
            statuses[one.dir] = {"status": "error", "error": one.told, "messages": messages}
        elif one.kind == "needs":
            statuses[one.dir] = {"status": "not-applicable", "needs": one.told}
        elif one.kind == "ddl":
            (out / "ddl.jsonl").write_text(text, encoding="utf-8")
        else:
            file = f"{len(index)}.jsonl"
            index[file] = {"schema": one.schema, "name": one.table}
            (out / "tables" / file).write_text(text, encoding="utf-8")
    for directory in needs:
        out = Path(job["out_dir"], directory)
        (out / "tables.json").write_text(json.dumps(indices.get(directory, {})), encoding="utf-8")
        status = statuses.get(directory, {"status": "done"})
        (out / "status.json").write_text(json.dumps(status), encoding="utf-8")
