"""The promise of a stream that is stopped again and again: its tables are those of the upstream."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cdc_spark import Changefeed
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import CREATE, SOCKETS
from tests.cdc_spark.messages import Frame, column, ddl, gone, key, message, put, resolved, row

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

# A restart takes two seconds of two cores: the night has time for many.
RESTARTS = 50 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 5
ADD = "ALTER TABLE `test`.`t` ADD COLUMN `n` INT"
KEYS = 6
NUMBER = {"t": 3, "f": 65}


Table = dict[int, tuple[Any, ...]]  # rows by key


def sent(chance: Random, batches: int) -> tuple[list[list[list[Frame]]], Table]:
    """Return messages by batch, some of them again, and the table that they end with."""
    stream: list[list[Frame]] = [[ddl(1, CREATE, 3)]]
    table: Table = {}
    altered = batches // 2
    found: list[list[list[Frame]]] = []
    ts = 1
    for batch in range(batches):
        first = len(stream) if batch else 0
        if batch == altered:
            ts += 1
            stream.append([ddl(ts, ADD, 5)])
            table = {number: (*values, None) for number, values in table.items()}
        for _ in range(chance.randint(1, 4)):
            ts += 1
            number = chance.randint(1, KEYS)
            frames = [_frame(table, ts, number, wide=batch >= altered)]
            if chance.random() < 0.3:
                frames = [gone(ts, number)]
                table.pop(number, None)
            stream.append(frames)
        again = stream[chance.randint(0, first) : first] if chance.random() < 0.5 else []
        found.append([*again, *stream[first:], [resolved(ts)]])
    return found, table


def _frame(table: Table, ts: int, number: int, *, wide: bool) -> Frame:
    """Return an upsert of a row, and let the table have it."""
    table[number] = (number, f"v{ts}", *([ts] if wide else []))
    if not wide:
        return put(ts, number, f"v{ts}")
    columns = {"id": key(number), "v": column(f"v{ts}"), "n": column(ts, NUMBER)}
    return row(ts, {"u": columns})


@pytest.mark.parametrize("net", [False, True])
def test_a_stream_that_is_restarted_has_the_upstreams_tables(
    place: Path, spark: Any, *, net: bool
) -> None:
    """At every micro-batch, some of which lose their commit and come again; others are copies."""
    chance = Random(f"restarts/{net}")
    batches, table = sent(chance, RESTARTS)
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=2, net=net))
    commits = place / "checkpoint" / "commits"
    for number, batch in enumerate(batches):
        lab.send(*(message(*frames) for frames in batch))
        lab.run(spark)
        newest = commits / f"{number}"
        assert newest.exists()
        if chance.random() < 0.4:  # the driver was killed when all was written, and nothing noted
            newest.unlink()
            (commits / f".{number}.crc").unlink(missing_ok=True)
    lab.run(spark)
    assert lab.rows(spark) == sorted(table.values(), key=repr)
