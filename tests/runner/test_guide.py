"""The guide's consumer does what the guide says, by its own words and through a real Kafka."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from harness.model.observed import Observed, Outcome
from harness.model.table import TableId
from harness.runner.commands import Whereabouts
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.run import RunPlan, run
from harness.runner.targets import parse
from harness.services import Services

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs/guides/examples/open_consumer.py"
Message = tuple[bytes, bytes]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """Load the example as a module."""
    spec = importlib.util.spec_from_file_location("open_consumer", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def message(*events: tuple[dict[str, Any], dict[str, Any] | None]) -> Message:
    """Return key and value of one batch (TiCDC Open Protocol, §Message Format)."""
    keys, values = b"", b""
    for key, value in events:
        keys += framed(json.dumps(key).encode())
        values += framed(b"" if value is None else json.dumps(value).encode())
    return struct.pack(">Q", 1) + keys, values


def framed(part: bytes) -> bytes:
    """Put a part's length before it."""
    return struct.pack(">Q", len(part)) + part


def row(ts: int, **images: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a row event of shop.t: `a` is its key, `b` a nullable varchar."""
    shapes = {"a": {"t": 3, "h": True, "f": 11}, "b": {"t": 15, "f": 64}}
    columns = {
        image: {name: {**shapes[name], "v": value} for name, value in values.items()}
        for image, values in images.items()
    }
    return {"ts": ts, "scm": "shop", "tbl": "t", "t": 1}, columns


def resolved(ts: int) -> Message:
    """Return a resolved event."""
    return message(({"ts": ts, "t": 3}, None))


def ddl(ts: int, kind: int) -> Message:
    """Return a DDL event on shop.t."""
    return message(({"ts": ts, "scm": "shop", "tbl": "t", "t": 2}, {"q": "…", "t": kind}))


def table_of(example: ModuleType, *partitions: list[Message], complete: str = "at-or-below") -> Any:
    """Return the rows of shop.t that the example makes of messages, a list a partition."""
    topic = {"name": "x", "partitions": len(partitions)}
    feed = {"topics": [topic], "complete": complete, "tables": []}

    def messages() -> Iterator[tuple[str, int, bytes, bytes]]:
        for partition, batch in enumerate(partitions):
            for key, value in batch:
                yield "x", partition, key, value

    return list(example.materialise(feed, messages()).get(("shop", "t"), {}).values())


INSERT = message(row(10, u={"a": 1, "b": "x"}))
MOVE = message(row(20, d={"a": 1, "b": "x"}), row(20, u={"a": 2, "b": "x"}))


def test_rows_are_held_until_every_partition_is_resolved(example: ModuleType) -> None:
    """The slowest partition decides, and `below` excludes what `at-or-below` includes."""
    streams = [INSERT, resolved(30)]
    assert table_of(example, streams, [resolved(9)]) == []
    assert table_of(example, streams, [resolved(10)]) == [{"a": 1, "b": "x"}]
    assert table_of(example, streams, [resolved(10)], complete="below") == []
    assert table_of(example, streams, []) == []


def test_replays_and_moves_change_nothing(example: ModuleType) -> None:
    """A replay after a key change, on whatever partition, does not bring the old row back."""
    end = resolved(30)
    expected = [{"a": 2, "b": "x"}]
    assert table_of(example, [INSERT, MOVE, end]) == expected
    assert table_of(example, [INSERT, MOVE, INSERT, MOVE, end]) == expected
    assert table_of(example, [MOVE, end], [INSERT, end]) == expected


def test_statements_take_effect_in_their_turn(example: ModuleType) -> None:
    """TRUNCATE empties what came before it, although it may be read after what follows."""
    late = message(row(40, u={"a": 9, "b": None}))
    assert table_of(example, [INSERT, late, ddl(35, 11), resolved(50)]) == [{"a": 9, "b": None}]


def test_what_it_cannot_do_it_says(example: ModuleType) -> None:
    """ALTER TABLE and keyless tables are refused by name."""
    with pytest.raises(example.UnsupportedError, match="ddl:5"):
        table_of(example, [ddl(5, 5), resolved(9)])
    keyless = message(row(5, u={"b": "x"}))
    with pytest.raises(example.UnsupportedError, match="table:keyless"):
        table_of(example, [keyless, resolved(9)])


@pytest.mark.services
def test_the_example_runs_through_exec(shared: Callable[..., Services], tmp_path: Path) -> None:
    """On a real Kafka its answer is read back, also with a transaction marker at the very end."""
    observed = consume(shared("kafka").kafka.bootstrap, tmp_path)
    assert observed.detail == ""
    assert observed.outcome is Outcome.DONE
    assert observed.tables == {TableId("shop", "t"): ({"a": 2, "b": "x"},)}


def consume(bootstrap: str, tmp_path: Path) -> Observed:
    """Fill two partitions in a transaction, and run the example over them."""
    from confluent_kafka import Producer  # noqa: PLC0415 - the pure tests need no Kafka
    from confluent_kafka.admin import AdminClient, NewTopic  # noqa: PLC0415

    properties = {"bootstrap.servers": bootstrap, "isolation.level": "read_committed"}
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic("guide", 2, 1)])["guide"].result(30)
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": "guide"})
    producer.init_transactions(30)
    producer.begin_transaction()
    for partition, batch in enumerate([[INSERT, resolved(30)], [MOVE, resolved(30)]]):
        for key, value in batch:
            producer.produce("guide", value, key, partition)
    producer.commit_transaction(30)
    feed = ChangefeedJob("one", "0000", "open", (TopicJob("guide", "ticdc", (0, 0), (3, 3)),))
    kafka = KafkaJob("guide", properties, properties)
    target = f"exec:{sys.executable} ./{EXAMPLE.relative_to(ROOT)}"
    consumer = parse(target, Whereabouts(ROOT, dict(os.environ)))
    plan = RunPlan((feed,), kafka, tmp_path / "run", deadline_s=60)
    return run(consumer, plan, environment=os.environ)["one"]
