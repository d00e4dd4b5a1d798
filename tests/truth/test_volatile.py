"""What no two runs share is put out by a named exception, and nothing else with it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.codecs.open.codec import BoundOpen
from harness.codecs.open.settings import settings
from harness.truth.exceptions import EXCEPTIONS
from harness.truth.ticdc_config import settings_of
from harness.truth.ticdc_open import compare
from harness.wire.framing import frame_values, unframe
from tests.truth.vectors import vector
from tests.vectors import mounted_rows

LARGE = "large-message-handle"


def emitted(limit: int, seed: int = 7, **large: str) -> dict[str, Any]:
    """Return a vector of three rows as our own encoder emits it under these settings."""
    made = vector("ticdc/open_batch.jsonl", "batch_mixed_txn/0/bytes1000")
    made["config"]["uri_params"] = f"max-batch-size=16&max-message-bytes={limit}"
    options = {f"{LARGE}-{name}": value for name, value in large.items()}
    if "uri" in large:
        options["claim-check-storage-uri"] = options.pop(f"{LARGE}-uri")
    made["config"]["replica_config"] = {"sink": {"kafka-config": {LARGE: options}}}
    wire = BoundOpen(settings(settings_of(made), "current"), seed)
    made["events"] = [
        {
            "topic": record.topic,
            "partition": record.partition,
            "key_hex": (record.key or b"").hex(),
            "value_hex": (record.value or b"").hex(),
            "rows": len(record.origins),
        }
        for record in wire.encode(mounted_rows(made))
    ]
    return made


def test_claim_checks_may_lie_in_files_of_any_name() -> None:
    """A claim check's random file name is put out; the row is read from the file all the same."""
    said = compare(emitted(290, option="claim-check", uri="file:///checks"))
    assert (said.differences, said.excused) == ((), ("claim-check-file",))


def test_claim_checks_lie_where_the_settings_say() -> None:
    """Only the file's name is put out: the place that it stands in is compared."""
    made = emitted(290, option="claim-check", uri="file:///checks")
    large = made["config"]["replica_config"]["sink"]["kafka-config"][LARGE]
    large["claim-check-storage-uri"] = "file:///choques"
    (first, *_) = compare(made).differences
    assert "file:///choques" in first.ours
    assert "file:///checks" in first.theirs


def test_rows_may_be_reduced_to_their_handle() -> None:
    """A row that is too large and sent as its handle alone is read as that."""
    said = compare(emitted(290, option="handle-key-only"))
    assert (said.differences, said.excused) == ((), ())


@pytest.mark.parametrize("way", ["snappy", "lz4"])
def test_our_own_compression_needs_no_excuse(way: str) -> None:
    """Where the bytes are the same, nothing is excused."""
    said = compare(emitted(9000, compression=way))
    assert (said.differences, said.excused) == ((), ())


def literal(raw: bytes) -> bytes:
    """Return a snappy block that says everything literally: right, and like no compressor's."""
    length, size = b"", len(raw)
    while size >= 0x80:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return length + bytes([size]) + b"\xf4" + (len(raw) - 1).to_bytes(2, "little") + raw


def recompressed(made: dict[str, Any], texts: list[bytes]) -> None:
    """Let the only message of a vector hold these values, compressed in another way."""
    (event,) = made["events"]
    event["value_hex"] = frame_values([literal(text) for text in texts]).hex()


def values(made: dict[str, Any]) -> list[bytes]:
    """Return the values of the only message of a vector."""
    (event,) = made["events"]
    key, value = bytes.fromhex(event["key_hex"]), bytes.fromhex(event["value_hex"])
    return [text for _, text in unframe(key, value)]


def test_compressors_may_differ_in_their_bytes() -> None:
    """What comes out again is compared, and that it was needed is counted."""
    plain = values(emitted(9000))
    made = emitted(9000, compression="snappy")
    recompressed(made, plain)
    said = compare(made)
    assert (said.differences, said.excused) == ((), ("compressed-bytes",))
    recompressed(made, [plain[0].replace(b"1", b"2"), *plain[1:]])
    assert compare(made).differences[0].where == "events[0] event 0 value"


def test_unknown_members_are_counted() -> None:
    """A member of an event that nobody knows is no difference, but it is told."""
    made = vector("ticdc/open_types.jsonl")
    made["events"][0]["colour"] = "blue"
    said = compare(made)
    assert (said.differences, said.excused) == ((), ("unknown-member",))


def test_every_exception_gives_its_reason_and_its_source() -> None:
    """The table tells why each exception is needed, and which note says so.

    What a recording cannot have is said by the database's own documentation, or by ours.
    """
    vectors = [e for e in EXCEPTIONS.values() if not e.reason.startswith("recorded: ")]
    assert all(each.reason and "notes §" in each.source for each in vectors)
    assert all(each.source for each in EXCEPTIONS.values())
