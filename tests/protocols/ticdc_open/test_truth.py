"""Our encoder beside the vendor's: the same rows give the same bytes.

A small subset of the vectors is in the repository; the whole of them is compared when
`CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.errors import EncodingError
from harness.model.decoded import EventKind
from harness.model.mounted import DdlEvent, MountedRow, ResolvedMark
from harness.model.record import Origin
from harness.protocols.ticdc_open.wire import OpenWire, bind
from harness.wire.framing import frame_keys, frame_values
from tests.vectors import SUBSET, Vector, full_truth, lines, row_vectors, settings_of
from tests.vectors import mounted_rows as mounted

FILES = [
    "open_avro_extra_counterpart",
    "open_batch",
    "open_checksum_counterpart",
    "open_defaults",
    "open_dml",
    "open_generated",
    "open_keys",
    "open_seed_example",
    "open_timezone",
    "open_types",
]
COMMITTED = ["open_batch", "open_dml", "open_types"]
# tiflow c7b2588 pkg/sink/codec/common/message.go:31 MaxRecordOverhead.
RECORD_OVERHEAD = 36
ALL = full_truth()
PATHS = sorted(ALL.glob("open_*.jsonl")) if ALL else []
needs_all = pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")

Messages = dict[tuple[str, int], list[tuple[str, str]]]


def emitted(vector: Vector) -> Messages:
    """Return the messages of a vector, by topic and partition."""
    found: Messages = defaultdict(list)
    for event in vector["events"]:
        if "key_hex" in event:
            message = (event["key_hex"], event["value_hex"])
            found[event["topic"], event["partition"]].append(message)
    return found


def fits(wire: OpenWire, row: MountedRow) -> bool:
    """Tell whether a row is within the size limit on its own."""
    try:
        list(wire.encode([row]))
    except EncodingError:
        return False
    return True


def differences(vector: Vector) -> Iterable[str]:
    """Yield what is wrong with our messages for the vector's rows."""
    wire = bind(settings_of(vector), "current")
    rows = mounted(vector)
    small = [row for row in rows if fits(wire, row)]
    refused = sum("encode_error" in event for event in vector["events"])
    if len(rows) - len(small) != refused:
        yield f"{vector['id']}: {len(rows) - len(small)} rows are too large, not {refused}"
    ours: Messages = defaultdict(list)
    for record in wire.encode(small):
        assert record.key is not None
        assert record.value is not None
        ours[record.topic, record.partition].append((record.key.hex(), record.value.hex()))
    if ours != emitted(vector):
        yield f"{vector['id']}:\n  ours   {ours}\n  theirs {dict(emitted(vector))}"
    yield from undecodable(wire, vector)


def undecodable(wire: OpenWire, vector: Vector) -> Iterable[str]:
    """Yield what is wrong with reading the vector's own messages."""
    for event in vector["events"]:
        if "key_hex" not in event:
            continue
        key, value = bytes.fromhex(event["key_hex"]), bytes.fromhex(event["value_hex"])
        decoded = wire.decode(key, value)
        if len(decoded) != max(event["rows"], 1):
            yield f"{vector['id']}: {len(decoded)} events, not {event['rows']}"
        if len(key) + len(value) + RECORD_OVERHEAD != event["producer_length"]:
            yield f"{vector['id']}: the message's length is not {event['producer_length']}"
        if frame_keys([d.key_text.encode() for d in decoded]) != key:
            yield f"{vector['id']}: other event keys"
        if frame_values([d.value_text.encode() for d in decoded]) != value:
            yield f"{vector['id']}: other event values"


@pytest.mark.parametrize(
    "vector",
    [vector for name in COMMITTED for vector in row_vectors(SUBSET / f"{name}.jsonl")],
    ids=lambda vector: vector["id"],
)
def test_committed_rows(vector: Vector) -> None:
    """Given a vector's rows, our messages are the vendor's, byte for byte; its messages decode."""
    assert list(differences(vector)) == []


@needs_all
@pytest.mark.parametrize("name", FILES)
def test_all_rows(name: str) -> None:
    """Given any vector's rows, our messages are the vendor's, byte for byte."""
    assert ALL is not None
    vectors = list(row_vectors(ALL / f"{name}.jsonl"))
    assert vectors
    assert [what for vector in vectors for what in differences(vector)] == []


@needs_all
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_all_messages_decode(path: Path) -> None:
    """Every message of the vendor decodes, and its events' texts are all of its bytes."""
    wire = bind({}, "current")
    assert [what for vector in lines(path) for what in undecodable(wire, vector)] == []


@needs_all
def test_all_marks() -> None:
    """A resolved mark is encoded as the vendor encodes it: an empty value, framed."""
    assert ALL is not None
    wire = bind({}, "current")
    for vector in lines(ALL / "open_checkpoint.jsonl"):
        mark = ResolvedMark(vector["checkpoint_ts"], "ticdc", 0, Origin(1, 0, 0, "resolved"))
        (record,) = wire.encode([mark])
        (event,) = vector["events"]
        assert (record.key, record.value) == (
            bytes.fromhex(event["key_hex"]),
            bytes.fromhex(event["value_hex"]),
        )
        assert record.origins == (mark.origin,)
        (decoded,) = wire.decode(record.key, record.value)
        assert (decoded.kind, decoded.commit_ts) == (EventKind.RESOLVED, mark.ts)


@needs_all
@pytest.mark.parametrize("name", ["open_ddl", "open_dml", "open_keys", "open_seed_example"])
def test_all_ddl(name: str) -> None:
    """A DDL event is encoded as the vendor encodes it, once for each partition of its topic."""
    assert ALL is not None
    wire = bind({}, "current")
    described = [
        event for vector in lines(ALL / f"{name}.jsonl") for event in vector.get("ddl_events", ())
    ]
    assert described
    for event in described:
        ddl = ddl_event(event, partitions=3)
        message = event["message"]
        records = list(wire.encode([ddl]))
        assert [record.partition for record in records] == [0, 1, 2]
        for record in records:
            assert record.key == bytes.fromhex(message["key_hex"]), message["frames"]
            assert record.value == bytes.fromhex(message["value_hex"]), message["frames"]
            assert record.origins == (ddl.origin,)


def ddl_event(event: Vector, partitions: int) -> DdlEvent:
    """Return the DDL event that a vector describes."""
    return DdlEvent(
        type=event["type"],
        query=event["sent_query"],
        source=event["event_query"],
        schema=event["scm"],
        table=event["tbl"],
        before=None,
        after=None,
        commit_ts=event["commit_ts"],
        topic=event["topic"],
        partitions=partitions,
        origin=Origin(1, 0, 0, "ddl"),
    )
