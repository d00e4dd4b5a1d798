"""Rows that are too large for a message: refused, reduced to their handle, or left as claim checks.

The keys' text is that of tiflow c7b2588 open_protocol_encoder.go:298 and of pingcap/ticdc
b813e76f9d codec.go:52; both files of a claim check are those of claimcheck/claim_check.go:84.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from harness.codecs.open.codec import BoundOpen, bind
from harness.codecs.open.dialect import DIALECTS
from harness.codecs.open.reference import LARGE
from harness.codecs.open.settings import settings
from harness.codecs.ticdc.claim_check import content, location
from harness.errors import DecodingError, SourceStopped
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, RowEvent
from harness.model.table import TableId
from harness.wire.compression import COMPRESSIONS
from tests.source_tables import shop_table

ID = Column(1, "id", ColumnKind.INT, nullable=False)
VAL = Column(2, "val", ColumnKind.VARCHAR, length=4000)
TABLE = shop_table(ID, VAL, name=TableId("test", "t1"))
LOOSE = shop_table(ID, VAL, key=(), name=TableId("test", "t2"))
LONG = "x" * 1000
HANDLE_ONLY = {"max-message-bytes": 400, LARGE + "large-message-handle-option": "handle-key-only"}
CLAIM_CHECK = {
    "max-message-bytes": 400,
    LARGE + "large-message-handle-option": "claim-check",
    LARGE + "claim-check-storage-uri": "s3://bucket/checks/?region=eu",
}
INSERT = RowEvent(
    Op.INSERT, TABLE, None, (1, LONG), 7, "ticdc", 0, Origin(1, 0, 0, "insert"), row_id=1
)
UPDATE = replace(INSERT, op=Op.UPDATE, before=(1, "old"))
DELETE = replace(INSERT, op=Op.DELETE, before=(1, LONG), after=None)
SMALL = replace(INSERT, after=(2, "a"), row_id=2)


def only(wire: BoundOpen, row: RowEvent) -> DecodedEvent:
    """Return the one event of the one record that a row becomes."""
    (record,) = wire.encode([row])
    assert len(record.key or b"") + len(record.value or b"") + 36 <= 400
    (event,) = wire.decode(record.key, record.value)
    return event


# Dialect, row, key, value.
REDUCED: list[tuple[str, RowEvent, str, str]] = [
    (
        "current",
        INSERT,
        '{"ts":7,"scm":"test","tbl":"t1","rid":1,"t":1,"ohk":true}',
        '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    ),
    (
        "current",
        UPDATE,
        '{"ts":7,"scm":"test","tbl":"t1","rid":1,"t":1,"ohk":true}',
        '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}},"p":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    ),
    (
        "current",
        DELETE,
        '{"ts":7,"scm":"test","tbl":"t1","rid":1,"t":1,"ohk":true}',
        '{"d":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    ),
    (
        "newarch",
        replace(INSERT, physical_id=120),
        '{"ts":7,"scm":"test","tbl":"t1","t":1,"ohk":true,"ptn":120}',
        '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    ),
]


@pytest.mark.parametrize(("dialect", "row", "key", "value"), REDUCED)
def test_handle_only(dialect: str, row: RowEvent, key: str, value: str) -> None:
    """A row that is too large is sent with its handle columns, and its key says so."""
    event = only(bind(HANDLE_ONLY, dialect), row)
    assert (event.key_text, event.value_text) == (key, value)
    assert event.handle_only
    assert (event.after or event.before) == {"id": 1}


def test_only_what_is_too_large() -> None:
    """Other rows keep all their columns, and share the message with the reduced one."""
    wire = bind(HANDLE_ONLY, "current")
    (record,) = wire.encode([SMALL, INSERT])
    small, reduced = wire.decode(record.key, record.value)
    assert (small.handle_only, small.after) == (False, {"id": 2, "val": "a"})
    assert reduced.handle_only


def test_a_reduced_update_of_changed_columns() -> None:
    """When only changed columns are kept of old rows, a reduced update is like an insert."""
    event = only(bind({**HANDLE_ONLY, "only-output-updated-columns": True}, "current"), UPDATE)
    assert event.value_text == '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}'
    assert event.kind is EventKind.UPSERT


CLAIM_KEYS = {
    "current": r'{"ts":7,"scm":"test","tbl":"t1","rid":1,"t":1,"ccl":"%s"}',
    "newarch": r'{"ts":7,"scm":"test","tbl":"t1","t":1,"ohk":true,"ohk":false,"ccl":"%s"}',
}


@pytest.mark.parametrize(("dialect", "key"), CLAIM_KEYS.items())
def test_claim_check(dialect: str, key: str) -> None:
    """The key names the file, the message has the handle, the file has all; both decode to all."""
    wire = bind(CLAIM_CHECK, dialect)
    event = only(wire, INSERT)
    (check,) = wire.claim_checks
    assert event.key_text == key % f"s3://bucket/checks/{check.name}"
    assert event.value_text == '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}'
    assert (event.after, event.handle_only) == ({"id": 1, "val": LONG}, False)
    assert event.claim_check.endswith(check.name)
    message = json.loads(check.content)
    assert list(message) == ["key", "value"]
    (stored,) = wire.decode(*(b64decode(message[part]) for part in message))
    assert (stored.after, stored.claim_check) == (event.after, "")


def test_names_of_claim_checks() -> None:
    """Names are UUIDs that follow from the seed: the same again for the same input, else others."""
    bound = settings(CLAIM_CHECK, "current")
    wire = BoundOpen(bound, seed=7)
    first = list(wire.encode([INSERT, DELETE]))
    assert list(wire.encode([INSERT, DELETE])) == first
    assert len(wire.claim_checks) == 2
    assert list(BoundOpen(bound, seed=8).encode([INSERT, DELETE])) != first
    assert all(len(check.name) == 41 and check.name[14] == "4" for check in wire.claim_checks)


def test_a_stranger_reads_claim_checks() -> None:
    """A decoder of its own is told how to read the storage; without it, or the file, it refuses."""
    bound = settings(CLAIM_CHECK, "current")
    wire = BoundOpen(bound)
    (record,) = wire.encode([INSERT])
    files = {check.name: check.content for check in wire.claim_checks}
    (event,) = BoundOpen(bound, load=files.__getitem__).decode(record.key, record.value)
    assert event.after == {"id": 1, "val": LONG}
    with pytest.raises(DecodingError, match="cannot be read"):
        BoundOpen(bound).decode(record.key, record.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'"x"', b'{"key":1,"value":2}', b'{"key":"?","value":""}', b"[" * 5000],
)
def test_wrong_claim_checks(content: bytes) -> None:
    """A file that holds no message is refused with DecodingError."""
    wire = BoundOpen(settings(CLAIM_CHECK, "current"), load=lambda _: content)
    (record,) = wire.encode([INSERT])
    with pytest.raises(DecodingError, match="claim check"):
        wire.decode(record.key, record.value)


def test_a_claim_check_of_a_mark() -> None:
    """Only rows lie in claim checks."""
    bound = settings(CLAIM_CHECK, "current")
    file = content(b'{"ts":7,"t":3}', b"")
    (record,) = BoundOpen(bound).encode([INSERT])
    with pytest.raises(DecodingError, match="holds no row event"):
        BoundOpen(bound, load=lambda _: file).decode(record.key, record.value)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("s3://b/p?access-key=x", "s3://b/p/f"),
        ("s3://b/", "s3://b/f"),
        ("file:///tmp/checks/", "file:///tmp/checks/f"),
        ("/tmp/checks", "file:///tmp/checks/f"),
        ("gs://b/p", "gcs://b/p/f"),
        ("azblob://b/p", "azure://b/p/f"),
    ],
)
def test_locations(uri: str, expected: str) -> None:
    """A file's place is named as TiDB's storages name themselves, without parameters."""
    assert location(uri, "f") == expected


@pytest.mark.parametrize("given", [HANDLE_ONLY, CLAIM_CHECK])
def test_even_the_handle_is_too_large(given: Mapping[str, Any]) -> None:
    """When the reduced row does not fit either, TiCDC stops."""
    with pytest.raises(SourceStopped) as stop:
        list(bind({**given, "max-message-bytes": 100}, "current").encode([INSERT]))
    assert stop.value.code == "ErrMessageTooLarge"


@pytest.mark.parametrize("row", [INSERT, UPDATE, DELETE])
def test_no_handle(row: RowEvent) -> None:
    """A row without handle key cannot be reduced: TiCDC stops."""
    with pytest.raises(SourceStopped) as stop:
        list(bind(HANDLE_ONLY, "current").encode([replace(row, table=LOOSE)]))
    assert stop.value.code == "ErrOpenProtocolCodecInvalidData"


@pytest.mark.parametrize(("dialect", "way"), [*product(DIALECTS, COMPRESSIONS)])
def test_compressed_values(dialect: str, way: str) -> None:
    """Values of rows and DDL are compressed one by one, keys are not; all of it comes back."""
    plain = bind({}, dialect)
    wire = bind({LARGE + "large-message-handle-compression": way}, dialect)
    ddl = DdlEvent(
        3, "CREATE", "create", "test", "t1", None, None, 8, "ticdc", 1, Origin(1, 0, 1, "ddl")
    )
    for ours, theirs in zip(
        wire.encode([INSERT, SMALL, ddl]), plain.encode([INSERT, SMALL, ddl]), strict=True
    ):
        assert ours.key == theirs.key
        assert (ours.value == theirs.value) == (way == "none")
        assert wire.decode(ours.key, ours.value) == plain.decode(theirs.key, theirs.value)
        if way != "none":
            with pytest.raises(DecodingError):
                wire.decode(theirs.key, theirs.value)


def test_compression_decides_what_is_too_large() -> None:
    """A row is as large as its compressed value."""
    given = {"max-message-bytes": 400, LARGE + "large-message-handle-compression": "lz4"}
    assert only(bind(given, "current"), INSERT).after == {"id": 1, "val": LONG}
