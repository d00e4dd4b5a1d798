"""No false alarm: whatever sequence of allowed faults, a right consumer reaches one state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.ddl import Catalogue
from harness.faults import FAULTS
from harness.faults.actions import AddPartitions, Step
from harness.faults.choose import Place, place
from harness.faults.fault import Claim
from harness.faults.log import simulate_log
from harness.faults.orders import count_orders, enumerate_orders
from harness.model.decoded import EventKind
from harness.model.record import Record
from harness.protocols import OWN, PROTOCOLS
from harness.reference_consumer.hold import Hold
from harness.reference_consumer.tables import Tables
from harness.verdict.expected import Expected
from tests.changelogs import ddl, delete, insert, resolved, transaction, update
from tests.faults.deliveries import allowed, deliveries, reading
from tests.faults.samples import STREAMS, T1, T2, streams
from tests.reference_consumer.test_fold_property import CREATE, change_logs
from tests.verdict.answers import case

MANY = settings(
    max_examples=max(150, settings().max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
INDEX_VALUE: dict[str, Any] = {
    "sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]
}
OPEN = PROTOCOLS["open"].codec.bind({}, "current")
State = dict[str, Counter[tuple[object, ...]]]


def consumed(steps: Sequence[Step], random: Random) -> State:
    """Return the tables of a right consumer of the Open Protocol that reads a delivery."""
    read = ((there, one.record) for there, one in reading(steps, random))
    return folded(read, set(simulate_log(steps)))


def folded(
    read: Iterable[tuple[Place, Record]],
    partitions: AbstractSet[Place] = frozenset({("ticdc", 0), ("ticdc", 1)}),
) -> State:
    """Return the tables of a right consumer that reads these messages of these partitions."""
    assert OPEN.complete is not None
    hold = Hold(set(partitions), OPEN.complete)
    tables = Tables(Catalogue.empty())
    for (topic, partition), record in read:
        for event in OPEN.decode(record.key, record.value):
            for ready in hold.take(event, (topic, partition, 0)):
                if ready.event.kind is EventKind.DDL:
                    tables.apply_ddl(ready.event)
                else:
                    tables.apply_row(tables.settle(ready.event))
    return {
        str(table): Counter(tuple(row[name] for name in sorted(row)) for row in rows)
        for table, rows in tables.all().items()
    }


def truth(expected: Expected) -> State:
    """Return the expected tables in the same shape."""
    found: State = {}
    for table, state in expected.tables.items():
        columns = state.source_table.table.columns
        order = sorted(range(len(columns)), key=lambda n: columns[n].name)
        rows = (tuple(row[n] for n in order) for row in state.all_rows())
        found[str(table)] = Counter(rows)
    return found


@MANY
@given(data=st.data(), partitions=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_open(data: st.DataObject, partitions: int, seed: int) -> None:
    """Any change log, any allowed faults, any order of reading: the expected tables."""
    changes = data.draw(change_logs(CREATE["clustered"]))
    plan = case(*changes, partitions=partitions, **INDEX_VALUE)
    names = [str(getattr(change, "name", "none")) for change in changes]
    steps = data.draw(deliveries(plan.records, "open", names))
    assert consumed(steps, Random(seed)) == truth(plan.expected)


# Seen although no document allows it, and yet a consumer that goes by commit ts gets it right.
BEYOND = [FAULTS[name] for name in ("withhold", "reorder", "headers", "grow")]


@MANY
@given(data=st.data(), partitions=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_open_beyond_the_documents(data: st.DataObject, partitions: int, seed: int) -> None:
    """What was seen in the wild can be coped with too, but for messages that are none."""
    beyond = {name for name, f in FAULTS.items() if f.claim("open") is Claim.SEEN}
    assert {fault.name for fault in BEYOND} == beyond - {"empty-message"}
    changes = data.draw(change_logs(CREATE["clustered"]))
    plan = case(*changes, partitions=partitions, **INDEX_VALUE)
    names = [str(getattr(change, "name", "none")) for change in changes]
    steps = data.draw(deliveries(plan.records, "open", names, BEYOND))
    assert consumed(steps, Random(seed)) == truth(plan.expected)


def test_every_order_of_reading() -> None:
    """A small case is read in every order in which its two partitions can be."""
    create = ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    first = transaction(*(insert(n, 1) for n in (1, 2, 3, 4)), name="t1")
    second = transaction(delete(1, 1), update((4, 1), (4, 2)), name="t2")
    plan = case(create, first, resolved(), second, partitions=2, **INDEX_VALUE)
    assert {record.partition for record in plan.records} == {0, 1}
    expected = truth(plan.expected)
    orders = list(enumerate_orders(plan.records))
    assert len(orders) == count_orders(plan.records) > 100
    for order in orders:
        assert folded((place(record), record) for record in order) == expected


def last_values(steps: Sequence[Step], random: Random) -> dict[tuple[str, bytes], bytes]:
    """Return the rows of a consumer for which the last message of a key is the row."""
    rows: dict[tuple[str, bytes], bytes] = {}
    for _, one in reading(steps, random):
        record = one.record
        if record.key is None or record.origins[0].kind in {"begin", "end"}:
            continue
        if record.value is None or record.origins[0].kind == "delete":
            rows.pop((record.topic, record.key), None)
        else:
            rows[record.topic, record.key] = record.value
    return rows


@pytest.mark.parametrize("form", ["avro", "avro-watermark", "vitess", "vitess-avro"])
@MANY
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_last_values(form: str, data: st.DataObject, seed: int) -> None:
    """Where the last message of a key is its row, allowed faults leave the rows alone."""
    records = data.draw(streams(form))
    protocol = form.split("-", maxsplit=1)[0]
    steps = data.draw(deliveries(records, protocol, ["t1", "t2", "x0"]))
    assert last_values(steps, Random(seed)) == last_values(records, Random(0))


def test_the_property_has_teeth() -> None:
    """A delivery that loses a message does not lead to the state."""
    records: tuple[Record, ...] = STREAMS["avro"]([T1, T2])
    assert last_values(records[1:], Random(0)) == last_values(records, Random(0))
    assert last_values(records[:-1], Random(0)) != last_values(records, Random(0))


@pytest.mark.parametrize("protocol", OWN)
def test_most_faults_are_allowed(protocol: str) -> None:
    """The property covers many faults of every protocol, those done to the run included."""
    faults = allowed(protocol)
    assert len(faults) >= 12
    assert any(fault.act is not None for fault in faults)


def test_new_partitions_are_read() -> None:
    """A partition that was added is one that the reader reads."""
    assert [p for _, p in simulate_log([AddPartitions("t", 2)])] == [0, 1]
