"""Topics and partitions that dispatchers choose: the rows of a vector beside our own choice.

Partitions are compared for every count. The rules are the vector's; where the vendor refuses to
choose, the codes of both refusals count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from harness.errors import SourceStopped
from harness.model.change import Op
from harness.model.source_events import RowEvent
from harness.sources.tidb.changefeed import DEFAULT_TOPIC, Changefeed
from harness.sources.tidb.dispatch import Target, target_of
from harness.sources.tidb.dispatcher import dispatcher
from harness.sources.tidb.refusal import ChangefeedError
from harness.truth.result import Difference, Result, Vector, code_of, section
from harness.truth.ticdc_rows import mount_rows


def compare(vector: Vector) -> Result:
    """Compare topic, partition key and partition of every row of a vector."""
    mounted = mount_rows(vector)
    wrong = list(mounted.differences)
    feed = routing(vector)
    for number, (row, target) in enumerate(zip(mounted.rows, vector["dispatch"], strict=False)):
        wrong += _row(f"dispatch[{number}]", feed, row, target)
    return Result(vector["id"], tuple(wrong), mounted.excused)


def routing(vector: Vector) -> Changefeed:
    """Return the routing of a vector's changefeed; ChangefeedError where the vendor refuses it."""
    config = section(vector, "config")
    rules: Sequence[Mapping[str, Any]] = section(config, "sink").get("dispatchers") or ()
    return Changefeed(
        partitions=1,
        topic=DEFAULT_TOPIC,
        dispatchers=tuple(
            dispatcher(
                rule,
                avro=vector["protocol"] == "avro",
                case_sensitive=bool(config.get("case-sensitive", False)),
                lenient=True,
            )
            for rule in rules
        ),
    )


def _row(where: str, feed: Changefeed, row: RowEvent, theirs: Vector) -> Iterator[Difference]:
    table = row.table.table.id
    topic = feed.topic_for(table)
    if topic != theirs["topic"]:
        yield Difference(f"{where}.topic", topic, theirs["topic"])
    image = row.before if row.op is Op.DELETE else row.after
    assert image is not None
    target: Target | str
    try:
        target = target_of(feed.rule(table), row.table, image, row.commit_ts)
    except SourceStopped as error:
        target = error.code
    key = "" if isinstance(target, str) else target.key
    if key != theirs["partition_key"]:
        yield Difference(f"{where}.partition_key", key, theirs["partition_key"])
    for count, partition in theirs["partition"].items():
        ours = target if isinstance(target, str) else target.partition(int(count))
        expected = _expected(partition)
        if ours != expected:
            yield Difference(f"{where}.partition[{count}]", str(ours), str(expected))


def _expected(partition: object) -> object:
    """Return the vendor's partition, or the code of its refusal to choose one."""
    if not isinstance(partition, dict):
        return partition
    return code_of(cast("dict[str, str]", partition)["error"])


def compare_topics(vector: Vector) -> Result:
    """Compare the topic of every row of a vector, or the refusal of its rules."""
    theirs = code_of(vector.get("config_error") or "")
    ours = ""
    try:
        routing(vector)
    except ChangefeedError as refusal:
        ours = refusal.code
    if ours != theirs:
        wrong = Difference("config_error", ours or "accepted", theirs or "accepted")
        return Result(vector["id"], (wrong,))
    return Result(vector["id"]) if ours else compare(vector)
