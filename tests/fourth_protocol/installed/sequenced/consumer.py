"""A consumer of the protocol: the row with the greatest sequence number is the row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, TopicPartition


def consume(job: dict[str, Any]) -> None:
    """Read every changefeed of a job to its end and write its tables."""
    for feed in job["changefeeds"]:
        kafka = Consumer(job["kafka"]["librdkafka"] | {"group.id": job["kafka"]["group_id"]})
        latest: dict[str, dict[str, Any]] = {}
        for topic in feed["topics"]:
            for partition, end in enumerate(topic["end_offsets"]):
                kafka.assign([TopicPartition(topic["name"], partition, 0)])
                for message in kafka.consume(end, 30.0) if end else ():
                    row = json.loads(message.value())
                    key = str(message.key())
                    latest[key] = max(row, latest.get(key, row), key=lambda one: one["seq"])
        kafka.close()
        out = Path(job["out_dir"], feed["dir"])
        for row in (row for row in latest.values() if row["after"] is not None):
            with (out / "tables" / "{}.{}.jsonl".format(*row["table"])).open("a") as file:
                file.write(json.dumps(row["after"]) + "\n")
        (out / "status.json").write_text('{"status": "done"}')
