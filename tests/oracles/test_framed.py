"""Avro messages: schemas in place of ids, and times where a record ends."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

import fastavro

from harness.codecs.connect.partitioner import partition_for
from harness.oracles.compare import Message, Rules, compare
from harness.oracles.framed import AvroProcessingTime, Frames, without_frame

SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "Envelope",
        "fields": [
            {"name": "op", "type": "string"},
            {"name": "ts_ms", "type": ["null", "long"], "default": None},
            {"name": "ts_ns", "type": ["null", "long"], "default": None},
        ],
    }
)
BEGAN = 1_795_443_417_000_000_000
RULES = Rules((AvroProcessingTime(BEGAN, BEGAN + 10**9),))
OURS = {"op": "c", "ts_ms": 1559033905863, "ts_ns": 1559033905863497147}
THEIRS = {"op": "c", "ts_ms": 1795443417215, "ts_ns": 1795443417215985196}


def framed(record: Mapping[str, object], number: int) -> bytes:
    """Return a record's message, its schema under a number."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(SCHEMA)), dict(record))
    return b"\0" + number.to_bytes(4, "big") + out.getvalue()


def ours(record: Mapping[str, object]) -> Message:
    """Return our message of a record, without its frame."""
    return without_frame(Message("t", 0, None, framed(record, 1), value_schema=SCHEMA))


def theirs(record: Mapping[str, object], schema: str = SCHEMA) -> Message:
    """Return their message of a record, whose registry knows one schema."""
    return Frames(lambda _: schema).unframed(Message("t", 0, None, framed(record, 7)))


def test_ids_and_times_are_free() -> None:
    """Another id of the same schema, and another processing time, are no difference."""
    assert not compare([ours(OURS)], [theirs(THEIRS)], RULES).differences


def test_another_schema_is_a_difference() -> None:
    """An equal body under a schema that differs is a difference."""
    other = SCHEMA.replace("Envelope", "Envelope2")
    found = compare([ours(OURS)], [theirs(OURS, other)], RULES)
    assert [one.part for one in found.differences] == ["value_schema"]


def test_another_body_is_a_difference() -> None:
    """A field before the times counts, and so does a time outside of the run."""
    for wrong in ({**THEIRS, "op": "u"}, {**THEIRS, "ts_ms": 1}):
        found = compare([ours(OURS)], [theirs(wrong)], RULES)
        assert [one.part for one in found.differences] == ["value"]


def test_json_passes_untouched() -> None:
    """What has no frame is left as it is."""
    message = Message("t", 0, b"{}", None)
    assert Frames(lambda _: SCHEMA).unframed(message) == message == without_frame(message)


def test_a_key_is_hashed_with_their_id() -> None:
    """Our record lies where the key's hash puts it under the id that their registry gave."""
    key, theirs_key = framed(OURS, 1), framed(OURS, 7)
    count = 64
    assert partition_for(key, count) != partition_for(theirs_key, count)
    frames = Frames(lambda _: SCHEMA)
    frames.unframed(Message("t", 0, theirs_key, None))
    mine = Message("t", partition_for(key, count), key, None, key_schema=SCHEMA)
    assert frames.placed(mine, count).partition == partition_for(theirs_key, count)
    elsewhere = Message("t", (mine.partition + 1) % count, key, None, key_schema=SCHEMA)
    assert frames.placed(elsewhere, count).partition == elsewhere.partition
