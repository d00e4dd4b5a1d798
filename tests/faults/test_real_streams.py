"""The faults on what the Avro and Vitess codecs really write: refused, or harmless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.contracts import BoundCodec
from harness.errors import DecodingError
from harness.faults import FAULTS, poison
from harness.faults.actions import Step
from harness.model.change import Change
from harness.model.decoded import EventKind
from harness.model.record import Record
from harness.model.values import Value
from harness.protocols import PROTOCOLS
from harness.sources.vitess.simulator import stream
from harness.sources.vitess.topology import topology
from harness.wire.registry import MemoryRegistry
from tests.changelogs import ddl, delete, feed, insert, log, source_events, transaction, update
from tests.faults.deliveries import deliveries, reading

MANY = settings(
    max_examples=max(100, settings().max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
CHANGES: Sequence[Change] = (
    ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))"),
    transaction(insert(1, "one"), insert(2, "two"), insert(3, "three"), name="t1"),
    transaction(update((1, "one"), (4, "one")), delete(2, "two"), name="t2"),
    ddl("ALTER TABLE t ADD COLUMN w INT DEFAULT 7"),
    transaction(update((3, "three", 7), (3, "tres", 8)), insert(2, "again", 9), name="t3"),
)
CONNECTOR: Mapping[str, Any] = {
    "topic.prefix": "srv",
    "vitess.keyspace": "shop",
    "provide.transaction.metadata": "true",
}
CONVERTER = "io.confluent.connect.avro.AvroConverter"
CONVERTERS = {"key.converter": CONVERTER, "value.converter": CONVERTER}
INDEX_VALUE: Mapping[str, Any] = {
    "sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]
}


REGISTRY = MemoryRegistry()


def real(form: str) -> tuple[BoundCodec, tuple[Record, ...]]:
    """Return a codec and what it makes of the changes."""
    protocol = form.split("-", maxsplit=1)[0]
    codec = PROTOCOLS[protocol].codec
    if protocol == "avro":
        wire = codec.bind({}, codec.dialects[0], REGISTRY)
        return wire, tuple(wire.encode(source_events(*CHANGES, to=feed(2, **INDEX_VALUE))))
    values = {**CONNECTOR, **(CONVERTERS if form != "vitess" else {})}
    wire = codec.bind(values, codec.dialects[0], REGISTRY)
    output = stream(log(*CHANGES), topology("shop", (), {}), ("shop",))
    return wire, tuple(wire.encode(output.responses))


FORMS = ("avro", "vitess", "vitess-avro")
REAL = {form: real(form) for form in FORMS}
POISONS = [
    pytest.param(fault.name, form, id=f"{fault.name}-{form}")
    for fault in poison.ROWS
    for form in FORMS
    if form.split("-", maxsplit=1)[0] in fault.permissions
    and not (form == "vitess" and fault.name in {"wrong-magic", "unknown-schema-id", "huge-length"})
    and not (form == "vitess-avro" and fault.name == "garbage-value")
]


@pytest.mark.parametrize(("name", "form"), POISONS)
@given(seed=st.integers(), transaction_name=st.sampled_from(["t1", "t3"]))
def test_malformed_messages_are_refused(
    name: str, form: str, seed: int, transaction_name: str
) -> None:
    """Every hostile message is one that the protocol's own decoder refuses."""
    wire, records = REAL[form]
    after = FAULTS[name](records, {"transaction": transaction_name}, 1, Random(seed))
    (made,) = [record for record in after if record not in records]
    with pytest.raises(DecodingError):
        wire.decode(made.key, registered(made))


def registered(record: Record) -> bytes | None:
    """Return the value as whoever sends it does: with the id that the registry gives its schema."""
    use = record.value_schema
    if use is None or record.value is None:
        return record.value
    number = REGISTRY.register(use.subject, use.schema)
    return record.value[:1] + number.to_bytes(4, "big") + record.value[5:]


Rows = Mapping[tuple[str, bytes | None], Mapping[str, Value] | None]


def rows(wire: BoundCodec, steps: Sequence[Step], random: Random) -> Rows:
    """Return the rows of a consumer that reads a delivery: the last image of each key."""
    found: dict[tuple[str, bytes | None], Mapping[str, Value] | None] = {}
    for (topic, _), one in reading(steps, random):
        for event in wire.decode(one.record.key, one.record.value):
            match event.kind:
                case EventKind.INSERT | EventKind.UPDATE | EventKind.UPSERT:
                    found[topic, one.record.key] = event.after
                case EventKind.DELETE | EventKind.TOMBSTONE:
                    found.pop((topic, one.record.key), None)
                case _:
                    pass
    return found


@pytest.mark.parametrize("form", FORMS)
@MANY
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_allowed_faults_are_harmless(form: str, data: st.DataObject, seed: int) -> None:
    """Whatever sequence of allowed faults, the rows are those of the undisturbed stream."""
    wire, records = REAL[form]
    protocol = form.split("-", maxsplit=1)[0]
    steps = data.draw(deliveries(records, protocol, ["t1", "t2", "t3"]))
    assert rows(wire, steps, Random(seed)) == rows(wire, records, Random(0))


@pytest.mark.parametrize("form", FORMS)
def test_the_rows_are_these(form: str) -> None:
    """The undisturbed stream ends with rows 2, 3 and 4."""
    wire, records = REAL[form]
    found = [row for row in rows(wire, records, Random(0)).values() if row is not None]
    assert sorted(str(row["id"]) for row in found) == ["2", "3", "4"]


# Form -> faults that find nothing to act on in its stream.
IDLE: Mapping[str, frozenset[str]] = {
    "avro": frozenset(),
    "vitess": frozenset({"old-schema-again"}),
    "vitess-avro": frozenset(),
}
ACTIVE = {
    "duplicate": {"transaction": "t2"},
    "replay": {"from": "t2"},
    "drop-tombstones": {},
    "drop-deletes": {},
    "tombstone-first": {},
    "zero-byte-tombstones": {},
    "old-schema-again": {},
    "compacted": {},
    "grow": {"from": "t2"},
    "registry-down": {"from": "t3"},
}
TRIALS = [
    pytest.param(name, form, id=f"{name}-{form}")
    for name in ACTIVE
    for form in FORMS
    if form.split("-", maxsplit=1)[0] in FAULTS[name].permissions and name not in IDLE[form]
]


@pytest.mark.parametrize(("name", "form"), TRIALS)
def test_faults_find_what_they_act_on(name: str, form: str) -> None:
    """What a fault looks for is in the records that the codecs write."""
    _, records = REAL[form]
    assert FAULTS[name].act_on(records, ACTIVE[name], 1, Random(0)) != records
