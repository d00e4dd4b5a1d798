"""The promise that nothing is lost: real Spark, real Delta, a restart after every failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from cdc_spark import Changefeed
from cdc_spark.errors import GrowthError, PoisonError, RegistryAwayError, StatementError
from cdc_spark.wire.registry import WAIT
from tests.cdc_spark.avro_messages import Publisher
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.messages import Message, ddl, message, put, resolved

# PySpark leaves the sockets of its results to the collector.
SOCKETS = "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
POISON = (b"not", b"ours")
FIRST = message(ddl(1, CREATE, 3), put(2, 1, "a"), resolved(2))
UNKNOWN = "ALTER TABLE `test`.`t` FROBNICATE `v`"


def later(ts: int, text: str) -> Message:
    """Return a message with a row, and the resolved event behind it."""
    return message(put(ts, ts, text), resolved(ts))


def started(place: Path, spark: Any, **options: Any) -> FilesLab:
    """Return a lab that has run once and has a row."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, **options))
    lab.send(FIRST)
    lab.run(spark)
    return lab


def test_poison_fails_every_start_until_it_is_skipped(place: Path, spark: Any) -> None:
    """Start, poison, restart, more rows, restart, repair: nothing is missing."""
    lab = started(place, spark)
    lab.send(later(3, "b"), POISON, later(4, "c"))
    for number in (5, 6):  # more rows come between the starts
        with pytest.raises(PoisonError, match="topic t, partition 0, offset 2") as found:
            lab.run(spark)
        lab.send(later(number, "d"))
    assert "skip=[('t', 0, 2)]" in found.value.hint
    assert lab.rows(spark) == [(1, "a")]
    lab.differing(skip=[("t", 0, 2)]).run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4, 5, 6]
    (letter,) = cdc_spark.read_dead_letters(spark, lab.root.as_uri()).collect()
    assert (letter.topic, letter.partition, letter.offset) == ("t", 0, 2)
    assert (bytes(letter.key), bytes(letter.value)) == POISON
    assert [(one.key, bytes(one.value)) for one in letter.headers] == [("h", b"\0\xff")]
    assert letter.reason.startswith("skipped by name: ")
    lab.run(spark)  # what was skipped is behind the checkpoint now


def test_a_skip_takes_one_message_and_no_other(place: Path, spark: Any) -> None:
    """The next message that cannot be read fails the query again."""
    lab = started(place, spark).differing(skip=[("t", 0, 1)])
    lab.send(POISON, POISON)
    with pytest.raises(PoisonError, match="offset 2"):
        lab.run(spark)
    lab.differing(poison="dead_letter").run(spark)
    letters = cdc_spark.read_dead_letters(spark, lab.root.as_uri())
    assert letters.count() == 2


def test_ddl_of_unknown_effect_fails_every_start_until_it_is_supplied(
    place: Path, spark: Any
) -> None:
    """Nothing of its batch is written; another text for it, or its skip, lets the query go on."""
    lab = started(place, spark)
    lab.send(later(3, "b"), message(ddl(4, UNKNOWN, 5), resolved(4)), later(5, "c"))
    for _ in range(2):
        with pytest.raises(StatementError, match="topic t, partition 0, offset 2") as found:
            lab.run(spark)
    assert "statements={('t', 0, 2): 'SQL'}" in found.value.hint
    assert lab.rows(spark) == [(1, "a")]
    supplied = "ALTER TABLE `test`.`t` ADD COLUMN `n` INT DEFAULT 7"
    lab.differing(statements={("t", 0, 2): supplied}).run(spark)
    assert lab.rows(spark) == [(1, "a", 7), (3, "b", 7), (5, "c", None)]


def test_ddl_that_is_skipped_changes_nothing(place: Path, spark: Any) -> None:
    """Rows before and behind it are there."""
    lab = started(place, spark)
    lab.send(message(ddl(4, UNKNOWN, 5), resolved(4)), later(5, "c"))
    lab.differing(skip=[("t", 0, 1)]).run(spark)
    assert lab.rows(spark) == [(1, "a"), (5, "c")]


def test_a_ddl_behind_the_resolved_event_of_its_ts_is_executed(place: Path, spark: Any) -> None:
    """Whatever micro-batch it comes in: TiCDC lets a clock send the one, and a queue the other."""
    lab = started(place, spark)
    lab.send(message(resolved(3)))
    lab.run(spark)
    lab.send(message(ddl(3, "TRUNCATE TABLE `test`.`t`", 11)))
    lab.run(spark)
    assert lab.rows(spark) == []
    lab.send(message(ddl(3, "TRUNCATE TABLE `test`.`t`", 11)), later(4, "b"))
    lab.run(spark)
    assert lab.rows(spark) == [(4, "b")]


def test_a_lost_registry_loses_no_row(
    place: Path, spark: Any, source: Publisher, address: str
) -> None:
    """While it is away every start fails at the same message; when it is back all rows come."""
    feed = Changefeed("avro", {"t": 1}, registry=address)
    lab = FilesLab(place, feed)
    lab.send(source.put(7, {"id": 1}))
    lab.run(spark)
    lab.send(source.put(8, {"id": 2}), source.put(9, {"id": 3}))
    away = lab.differing(registry="http://127.0.0.1:1", properties={WAIT: "1"})
    for _ in range(2):
        with pytest.raises(RegistryAwayError, match="topic t, partition 0, offset 1"):
            away.run(spark)
    lab.run(spark)
    found = cdc_spark.read_delta(spark, lab.root.as_uri())
    assert sorted(row.id for frame in found.values() for row in frame.collect()) == [1, 2, 3]


def test_growth_is_named_and_loses_no_row(place: Path, spark: Any) -> None:
    """A partition is read; of a topic that nobody declared an error says what to declare."""
    lab = started(place, spark)
    lab.send(later(3, "b"), partition=1)
    lab.run(spark)
    assert lab.rows(spark) == [(1, "a")]  # held until partition 0 is as far
    grown = lab.differing(topics={"t": 2})
    grown.send(later(4, "c"))
    grown.send(later(5, "d"), topic="u")
    with pytest.raises(GrowthError, match="topic u, partition 0, offset 0"):
        grown.run(spark)
    with pytest.raises(GrowthError, match="is not where the checkpoint knows it"):
        lab.differing(topics={"u": 1, "t": 2}).run(spark)
    more = lab.differing(topics={"t": 2, "u": 1})
    for partition in (0, 1):
        more.send(message(resolved(5)), partition=partition)
    more.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4, 5]
    more.send(message(resolved(6)))
    with pytest.raises(GrowthError, match="has 1 partitions and had 2"):
        lab.differing(topics={"t": 1, "u": 1}).run(spark)
