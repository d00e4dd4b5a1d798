"""Promises of a workload's bytes: the same whoever makes them, and telling the expected state."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from cdc_spark.events import Kind
from harness.errors import HarnessBug, UsageError
from harness.load.encoding import prepared
from harness.load.repeats import with_repeats
from harness.load.spec import Spec, checked
from harness.load.workload import Partition
from harness.protocols import OWN
from tests.load import reading

BARE = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
WHOLE = {"provide.transaction.metadata": True}
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "open": ("open", {}),
    "open, one a message": ("open", {"max-batch-size": 1}),
    "avro": ("avro", {}),
    "avro, with the extension": ("avro", {"enable-tidb-extension": True}),
    "avro, with the watermark": (
        "avro",
        {"enable-tidb-extension": True, "avro-enable-watermark": True},
    ),
    "vitess": ("vitess", {}),
    "vitess, with transactions": ("vitess", WHOLE),
    "vitess, after a copy of nothing": ("vitess", {"snapshot.mode": "initial"}),
    "debezium-mysql": ("debezium-mysql", {}),
    "debezium-mysql, with transactions": ("debezium-mysql", WHOLE),
}


def workload(name: str = "open", **options: Any) -> Spec:
    """Return a small workload in which everything happens."""
    protocol, settings = SETTINGS[name]
    small = {"events": 500, "mark": 40, "window": 40, "ddl": 4, "duplicates": 0.2}
    values = {"protocol": protocol, "settings": settings, "update": 0.5, "delete": 0.15}
    return checked({**small, **values, "move": 0.1, "skew-partitions": 0.5, **options})


@pytest.mark.parametrize("name", SETTINGS)
def test_the_messages_carry_the_expected_state(name: str) -> None:
    """What decoders of other make read folds to the rows that the generator leaves."""
    encoding = prepared(workload(name))
    assert reading.folded(encoding) == reading.expected(encoding.spec)


@pytest.mark.parametrize("protocol", OWN)
def test_tasks_change_no_byte(protocol: str) -> None:
    """A task that has several partitions writes each as tasks that have one do."""
    pa = pytest.importorskip("pyarrow")
    from harness.load.executors import Writer  # noqa: PLC0415 - it needs PyArrow

    encoding = prepared(workload(protocol))

    def written(*partitions: int) -> dict[tuple[str, int], list[Any]]:
        numbers = pa.RecordBatch.from_pydict({"id": list(partitions)})
        found: dict[tuple[str, int], list[Any]] = {}
        for batch in Writer(encoding).messages(iter([numbers])):
            for row in batch.to_pylist():
                found.setdefault((row["topic"], row["partition"]), []).append(row)
        return found

    apart = [written(number) for number in range(encoding.spec.partitions)]
    together = written(3, 0, 2, 1)
    assert together == {place: rows for one in apart for place, rows in one.items()}
    assert len({partition for _, partition in together}) == encoding.spec.partitions


def test_a_key_never_leaves_its_partition() -> None:
    """All that is told of a key stands in one partition of one topic, so its order holds."""
    encoding = prepared(workload("vitess"))
    places: dict[bytes, set[tuple[str, int]]] = {}
    for partition in reading.messages(encoding):
        for record in partition:
            places.setdefault(record.key or b"", set()).add((record.topic, record.partition))
    assert all(len(found) == 1 for found in places.values())
    assert len(places) > 100


@pytest.mark.parametrize(("protocol", "left_open"), [("vitess", 0), ("debezium-mysql", 7)])
def test_every_partition_carries_the_size_of_its_transactions(
    protocol: str, left_open: int
) -> None:
    """With metadata, each END counts the rows of its transaction, tombstones not among them.

    A MariaDB's statement, of which there are three and four here, begins and does not end.
    """
    encoding = prepared(workload(f"{protocol}, with transactions", duplicates=0))
    kinds = Counter(event.kind for event in reading.events(encoding))
    assert kinds[Kind.BEGIN] - left_open == kinds[Kind.END] > 50
    assert any(topic.endswith(".transaction") for topic in encoding.topics)


def test_partitions_share_one_log() -> None:
    """New GTIDs rise in each partition, no two share one, and the first alone has statements."""
    numbers: list[int] = []
    for number, records in enumerate(reading.messages(prepared(workload("debezium-mysql")))):
        values = [json.loads(record.value)["payload"] for record in records if record.value]
        assert bool(number) is not any("ddl" in value for value in values)
        found = [int(value["source"]["gtid"].rpartition("-")[2]) for value in values]
        new = list(dict.fromkeys(found))
        assert new == sorted(new)
        numbers += new
    assert len(numbers) == len(set(numbers)) > 100


def test_a_log_of_bytes_is_refused() -> None:
    """The MySQL connector knows places by their bytes, and partitions are made apart."""
    with pytest.raises(UsageError, match="no workload is made for the dialect 'mysql'"):
        prepared(workload("debezium-mysql", dialect="mysql"))


def test_all_topics_and_schemas_are_known_before_anything_is_generated() -> None:
    """What executors write goes to topics that the driver could make; no schema is a surprise."""
    for name in SETTINGS:
        encoding = prepared(workload(name, events=100), prefix="mine.")
        used = {record.topic for part in reading.messages(encoding) for record in part}
        assert used <= set(encoding.topics)
        assert all(topic.startswith("mine.") for topic in encoding.topics)
    with pytest.raises(HarnessBug):
        encoding.registry.register("another", "{}")


def test_stretches_come_again() -> None:
    """About the share that was asked for is told twice, in its order, and nothing is left out."""
    spec = checked({"events": 8000, "partitions": 1, "duplicates": 0.5})
    plain = list(Partition(spec, 0).events())
    again = list(with_repeats(plain, spec.duplicates, Random(5)))
    assert list(dict.fromkeys(map(id, again))) == [id(event) for event in plain]
    assert 1.3 < len(again) / len(plain) < 1.7


def test_settings_that_keep_tables_out_are_refused() -> None:
    """A filter would leave rows without their DDL."""
    filtered = {"filter.rules": ["other.*"]}
    with pytest.raises(UsageError, match="keep statements"):
        prepared(checked({"settings": filtered}))
