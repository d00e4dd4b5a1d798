"""Promises of partitions and topics that come while a changefeed is read: real Spark and Delta."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from cdc_spark import Changefeed
from cdc_spark.errors import GrowthError, PoisonError, UsageError
from tests.cdc_spark.avro_messages import Publisher
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import CREATE, FIRST, POISON, SOCKETS, later, started
from tests.cdc_spark.messages import ddl, message, put, resolved

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

OTHER = "CREATE TABLE `test`.`o` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"


def test_every_bucket_waits_for_a_partition_that_joins(place: Path, spark: Any) -> None:
    """From its first message on, at restarts too; copies of DDL that it has are no news."""
    lab = started(place, spark, buckets=4)
    lab.send(message(ddl(1, CREATE, 3), put(4, 4, "b")), partition=1)
    lab.send(message(*(put(5, number, "c") for number in range(10, 30)), resolved(5)))
    lab.run(spark)
    assert lab.rows(spark) == [(1, "a")]
    lab.send(message(resolved(4)), partition=1)
    lab.run(spark)
    assert lab.rows(spark) == [(1, "a"), (4, "b")]
    lab.send(message(resolved(5)), partition=1)
    lab.differing(topics={"t": 2}).run(spark)
    assert len(lab.rows(spark)) == 22
    found = cdc_spark.health((place / "checkpoint").as_uri(), spark=spark)
    marks = {(one["partition"], one["watermark"]) for one in found["partitions"]}
    assert marks == {(0, 5), (1, 5)}


@pytest.mark.parametrize("declared", [1, 2])
def test_what_joins_behind_what_was_applied_is_refused(
    place: Path, spark: Any, declared: int
) -> None:
    """At every start, declared or not; a named repetition is dropped, and the rest is read."""
    lab = started(place, spark, buckets=2)
    lab.send(message(put(2, 7, "lost?"), put(3, 8, "b")), partition=1)
    for _ in range(2):
        with pytest.raises(GrowthError, match="topic t, partition 1, offset 0") as found:
            lab.differing(topics={"t": declared}).run(spark)
    assert "repeats=[('t', 1)]" in found.value.hint
    lab.send(later(3, "c"))
    again = lab.differing(repeats=[("t", 1)])
    again.send(message(resolved(3)), partition=1)
    again.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 8]
    lab.send(message(put(3, 9, "seen")), partition=1)
    lab.run(spark)  # behind its own resolved event: a repetition, whoever joined when
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 8]


def test_rows_between_resolved_events_behind_what_was_applied_are_refused(
    place: Path, spark: Any
) -> None:
    """Its first resolved event covers what came before, and not all that was applied without it."""
    lab = started(place, spark)
    lab.send(later(9, "b"))
    lab.run(spark)
    lab.send(message(resolved(5), put(6, 6, "lost?"), resolved(9)), partition=1)
    with pytest.raises(GrowthError, match="commit ts 6, and all up to 9"):
        lab.run(spark)


def test_a_topic_that_is_yet_to_come_is_read_when_it_does(place: Path, spark: Any) -> None:
    """Nothing waits for it before; DDL that has stood in no other topic may not be behind."""
    lab = FilesLab(place, Changefeed("open", {"t": 1, "u": 0}))
    lab.send(FIRST)
    lab.run(spark)
    assert lab.rows(spark) == [(1, "a")]
    lab.send(message(ddl(1, OTHER, 3, table="o")), topic="u")
    rows = (ddl(3, OTHER, 3, table="o"), put(4, 1, "x", "o"), resolved(4))
    lab.send(message(*rows), topic="u")
    with pytest.raises(GrowthError, match="topic u, partition 0, offset 0"):
        lab.run(spark)
    lab.differing(repeats=[("u", 0)]).run(spark)
    lab.send(message(resolved(4)))
    lab.run(spark)
    assert lab.rows(spark, "o") == [(1, "x")]


def test_streams_of_rows_alone_read_what_comes(
    place: Path, spark: Any, source: Publisher, address: str
) -> None:
    """A partition, and a topic that was named before: old rows too; poison there is named."""
    lab = FilesLab(place, Changefeed("avro", {"t": 1, "u": 0}, registry=address))
    lab.send(source.put(7, {"id": 1}))
    lab.run(spark)
    lab.send(source.put(3, {"id": 2}), POISON, partition=2)
    lab.send(source.put(4, {"id": 3}), topic="u")
    with pytest.raises(PoisonError, match="topic t, partition 2, offset 1"):
        lab.run(spark)
    lab.differing(skip=[("t", 2, 1)]).run(spark)
    (frame,) = cdc_spark.read_delta(spark, lab.root.as_uri()).values()
    assert sorted(row.id for row in frame.collect()) == [1, 2, 3]


@pytest.mark.parametrize(
    "differs", [{"topics": {"t": -1}}, {"topics": {"t": 0}}, {"repeats": ["t"]}, {"repeats": [7]}]
)
def test_growth_that_cannot_be_is_refused(differs: dict[str, Any]) -> None:
    """No partition at all, names of no partition."""
    with pytest.raises(UsageError):
        Changefeed(**{"protocol": "open", "topics": {"t": 1}, **differs})
