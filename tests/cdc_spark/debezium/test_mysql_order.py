"""Promises of order for MariaDB and MySQL: repeats by place, newest columns, transactions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cdc_spark.conformance.in_memory import Message, consume

pytestmark = pytest.mark.spark  # rows in buckets are pandas'

Row = Mapping[str, Any]


def record(offset: int, gtid: int, row: Row, partition: int = 0, **more: Any) -> Message:
    """Return a change of `shop.t` as JSON without schemas; `ts` and `transaction` may differ."""
    source = {"ts_ms": more.get("ts", 1000), "db": "shop", "table": "t", "snapshot": "false"}
    place = {"server_id": 1, "gtid": f"0-1-{gtid}", "file": "b.000001", "pos": -40, "row": 0}
    image = {"before": None, "after": row, "op": more.get("op", "u")}
    value = {**image, "source": source | place, "transaction": more.get("transaction")}
    key = json.dumps({"id": row["id"]}).encode()
    return "p.shop.t", partition, offset, key, json.dumps(value).encode()


def read(*batches: Sequence[Message], metadata: bool = False, **settings: str) -> list[Row]:
    """Return the rows of the table after some micro-batches; `skipped` are operations."""
    names = {"p.shop.t": 2, "p.transaction": 1}
    topics = [
        {
            "name": name,
            "canonical": name,
            "role": "transaction" if "transaction" in name else "data",
            "partitions": partitions,
            "start_offsets": [0] * partitions,
            "end_offsets": [99] * partitions,
        }
        for name, partitions in names.items()
    ]
    named = {"provide.transaction.metadata": "true"} if metadata else {}
    named |= {f"{name}.operations": value for name, value in settings.items()}
    feed = {
        "id": "f",
        "protocol": "debezium-mysql",
        "dialect": "mariadb",
        "complete": None,
        "settings": named,
        "tables": [],
        "topics": topics,
    }
    found = consume(feed, {}, batches)
    return sorted(found["tables"]["shop", "t"], key=lambda row: row["id"])


def test_a_repeat_changes_nothing_and_the_newest_row_stays() -> None:
    """A connector that was restarted sends again what it sent; a part of it may be all."""
    first = [record(0, 7, {"id": 1, "v": "a"}), record(1, 8, {"id": 1, "v": "b"})]
    assert read(first, [record(2, 7, {"id": 1, "v": "a"})]) == [{"id": 1, "v": "b"}]
    # Numbers are compared as numbers.
    assert read(first, [record(2, 10, {"id": 1, "v": "c"})]) == [{"id": 1, "v": "c"}]


def test_rows_of_one_transaction_take_effect_one_after_the_other() -> None:
    """They share their GTID, and MariaDB writes no place for them."""
    rows = [record(at, 7, {"id": 1, "v": f"{at}"}) for at in range(3)]
    assert read(rows[:1], rows[1:]) == [{"id": 1, "v": "2"}]


def test_a_log_that_was_begun_anew_is_read() -> None:
    """RESET MASTER lets numbers begin again, at a later time."""
    first = [record(0, 900, {"id": 1, "v": "a"})]
    assert read(first, [record(1, 1, {"id": 1, "v": "b"}, ts=2000)]) == [{"id": 1, "v": "b"}]


def test_the_newest_row_says_what_the_columns_are() -> None:
    """Of rows of one second the GTID says it, whichever partition is read first."""
    new = record(0, 9, {"id": 1, "v": "a", "w": "new"})
    old = record(0, 7, {"id": 2, "v": "b"}, partition=1)
    wanted = [{"id": 1, "v": "a", "w": "new"}, {"id": 2, "v": "b", "w": None}]
    assert read([new], [old]) == wanted
    assert read([old], [new]) == wanted


def test_transactions_wait_for_their_end() -> None:
    """With metadata rows take effect when as many are there as END counts."""
    blocks = [{"id": "0-1-7", "total_order": n, "data_collection_order": n} for n in (1, 2)]
    rows = [
        record(at, 7, {"id": at, "v": "a"}, transaction=block) for at, block in enumerate(blocks)
    ]
    last = {"status": "END", "id": "0-1-7", "event_count": 2, "data_collections": [], "ts_ms": 1}
    ended: Message = ("p.transaction", 0, 0, b'{"id":"0-1-7"}', json.dumps(last).encode())
    open_one = record(2, 8, {"id": 9, "v": "b"}, transaction={"id": "0-1-8", "total_order": 1})
    found = read([ended], [rows[1]], [rows[0], open_one], metadata=True)
    assert found == [{"id": 0, "v": "a"}, {"id": 1, "v": "a"}]


def truncation(offset: int, gtid: int, partition: int = 0) -> Message:
    """Return TRUNCATE as a connector sends it that skips no operation."""
    topic, *_, value = record(offset, gtid, {"id": 0}, op="t")
    document = {**json.loads(value or b""), "after": None}
    return topic, partition, offset, None, json.dumps(document).encode()


def test_truncate_takes_the_rows_before_it() -> None:
    """In the order of one partition; rows behind it are there."""
    rows = [record(at, 7 + at, {"id": at, "v": "a"}) for at in range(4)]
    moved = [(topic, part, at + 1, *rest) for topic, part, at, *rest in rows[2:]]
    assert read(rows[:2], [truncation(2, 8)], moved, skipped="none") == [
        {"id": 2, "v": "a"},
        {"id": 3, "v": "a"},
    ]


def test_truncate_that_comes_late_leaves_newer_rows() -> None:
    """Its place in the log counts, whatever partition was read first; older rows come no more."""
    old, new = record(0, 7, {"id": 1, "v": "a"}), record(1, 9, {"id": 2, "v": "b"})
    late = record(0, 6, {"id": 3, "v": "c"}, partition=1)
    assert read([old, new], [truncation(2, 8)], [late], skipped="none") == [{"id": 2, "v": "b"}]
    assert read([truncation(0, 8, 1)], [old, new], skipped="none") == [{"id": 2, "v": "b"}]


def test_truncate_waits_for_older_rows_that_wait() -> None:
    """With metadata a row of an open transaction is older, and goes when its END is there."""
    block = {"id": "0-1-7", "total_order": 1, "data_collection_order": 1}
    old = record(0, 7, {"id": 1, "v": "a"}, transaction=block)
    new = record(2, 9, {"id": 2, "v": "b"})
    last = {"status": "END", "id": "0-1-7", "event_count": 1, "data_collections": [], "ts_ms": 1}
    ended: Message = ("p.transaction", 0, 0, b"{}", json.dumps(last).encode())
    assert read([old], [truncation(1, 8)], [new], [ended], metadata=True) == [{"id": 2, "v": "b"}]


def test_the_newest_columns_are_those_of_the_latest_place_in_a_file() -> None:
    """Places a few bytes apart, in one second and in two partitions, are told apart."""

    def at(place: int, offset: int, row: Row, partition: int) -> Message:
        topic, _, _, key, value = record(offset, 0, row, partition)
        there = json.loads(value or b"")
        there["source"] |= {"gtid": None, "pos": place}
        return topic, partition, offset, key, json.dumps(there).encode()

    new, old = at(1300, 0, {"id": 1, "v": "a", "w": "new"}, 0), at(1200, 0, {"id": 2, "v": "b"}, 1)
    found = [{"id": 1, "v": "a", "w": "new"}, {"id": 2, "v": "b", "w": None}]
    assert read([new, old]) == read([old, new]) == found
