"""Promises of reading TiCDC Avro: every type exact, deletes undated, refusals with their cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdc_spark.avro.events import Decoder
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Kind
from tests.cdc_spark.avro_messages import (
    ID,
    PLAIN_EXTENSION,
    Publisher,
    column,
    nullable,
)

HUGE = 2**64 - 1


def one(decoder: Decoder, key: bytes | None, value: bytes | None) -> Event:
    """Return the one event of a message."""
    (event,) = decoder.decode(key, value)
    return event


def after(event: Event) -> dict[str, Any]:
    """Return the row of an upsert."""
    return json.loads(event.payload)["after"]


def test_a_row_is_dated_and_identified() -> None:
    """An upsert tells its commit ts, its table and its key; the extension is no column."""
    source = Publisher()
    event = one(Decoder(source.schema), *source.put(7, {"id": 1}))
    assert (event.kind, event.ts, event.schema, event.table) == (Kind.UPSERT, 7, "shop", "t")
    assert event.identity == '["shop","t",1]'
    assert after(event) == {"id": 1}
    assert json.loads(event.payload)["key"] == ["id"]


def test_a_null_value_deletes_its_key() -> None:
    """A tombstone is a delete by the key's columns, and says that it is undated."""
    source = Publisher()
    event = one(Decoder(source.schema), source.key(1), None)
    assert (event.kind, event.ts, event.identity) == (Kind.DELETE, 0, '["shop","t",1]')
    assert json.loads(event.payload)["before"] == {"id": 1}
    assert json.loads(event.payload)["undated"] is True


@pytest.mark.parametrize(
    ("avro", "tidb", "raw", "expected"),
    [
        ("long", "INT UNSIGNED", 4294967295, 4294967295),
        ("long", "BIGINT", -(2**63), -(2**63)),
        ("long", "BIGINT UNSIGNED", -1, HUGE),
        ("long", "BIGINT UNSIGNED", 5, 5),
        ("string", "BIGINT UNSIGNED", str(HUGE), HUGE),
        ("double", "DOUBLE", 1e300, 1e300),
        ("float", "FLOAT", 0.5, 0.5),
        ("string", "DECIMAL", "-0.10", "-0.10"),
        ("bytes", "BIT", b"\xff" * 8, HUGE),
        ("bytes", "BIT", b"\0", 0),
        ("bytes", "BLOB", b"\0\xff", "00ff"),
        ("string", "TEXT", "null", "null"),
        ("string", "ENUM", "", ""),
        ("string", "SET", "a,b", "a,b"),
        ("string", "TIME", "-838:59:59", "-838:59:59"),
    ],
)
def test_every_type_is_exact(avro: str, tidb: str, raw: Any, expected: Any) -> None:
    """Values come out in the contract's JSON, without loss; NULL stays null."""
    source = Publisher()
    decoder = Decoder(source.schema)
    v = nullable(("v", avro, tidb))
    assert after(one(decoder, *source.put(1, {"id": 1, "v": raw}, v))) == {"id": 1, "v": expected}
    assert after(one(decoder, *source.put(1, {"id": 1, "v": None}, v))) == {"id": 1, "v": None}


@pytest.mark.parametrize(
    ("raw", "scale", "expected"),
    [
        (b"\xff", 0, "-1"),
        (b"\xff", 2, "-0.01"),
        (b"\x00", 3, "0.000"),
        (b"\x80" + bytes(15), 0, str(-(2**127))),
        (b"\x04\xd2", 2, "12.34"),
    ],
)
def test_decimals_keep_sign_and_scale(raw: bytes, scale: int, expected: str) -> None:
    """A decimal's bytes are a two's complement of the digits; two scales in a row stay apart."""
    source = Publisher()
    precise = {"logicalType": "decimal", "precision": 65, "scale": scale}
    other = {"logicalType": "decimal", "precision": 65, "scale": 1}
    message = source.put(
        1,
        {"id": 1, "v": raw, "w": b"\x0f"},
        column(("v", "bytes", "DECIMAL"), **precise),
        column(("w", "bytes", "DECIMAL"), **other),
    )
    assert after(one(Decoder(source.schema), *message)) == {"id": 1, "v": expected, "w": "1.5"}


def test_a_column_may_be_called_like_the_extension() -> None:
    """Only a field without a TiDB type belongs to the extension."""
    source = Publisher()
    own = column(("_tidb_op", "string", "TEXT"))
    schema_id = source.register(column(ID), own)
    value = source.part(schema_id, {"id": 1, "_tidb_op": "x"})
    event = one(Decoder(source.schema), source.key(1), value)
    assert (event.ts, after(event)) == (0, {"id": 1, "_tidb_op": "x"})


def test_each_schema_is_asked_for_once() -> None:
    """Messages of many schemas mix freely; each id is fetched when it is first met."""
    source = Publisher()
    decoder = Decoder(source.schema)
    old = source.put(1, {"id": 1})
    new = source.put(2, {"id": 2, "v": "x"}, column(("v", "string", "TEXT")))
    rows = [after(one(decoder, *message)) for message in (old, new, old, new)]
    assert rows == [{"id": 1}, {"id": 2, "v": "x"}] * 2
    assert len(source.asked) == len(set(source.asked)) == 3


def test_shapes_carry_names_types_and_defaults() -> None:
    """A default that the schema tells is part of the shape, in the contract's JSON."""
    source = Publisher()
    unsigned = {**column(("n", "long", "BIGINT UNSIGNED")), "default": -1}
    blob = {**column(("b", "bytes", "BLOB")), "default": "AP8="}
    now = {**column(("c", "string", "DATETIME")), "default": "CURRENT_TIMESTAMP"}
    message = source.put(1, {"id": 1, "n": 0, "b": b"", "c": ""}, unsigned, blob, now)
    event = one(Decoder(source.schema), *message)
    assert json.loads(event.payload)["shape"] == [
        ["id", "integer"],
        ["n", "integer", HUGE],
        ["b", "blob", "00ff"],
        ["c", "datetime"],
    ]


def test_marks_and_ddl_come_without_a_key() -> None:
    """With the watermark, 0x02 is a resolved ts and 0x01 a DDL."""
    decoder = Decoder(Publisher().schema)
    assert one(decoder, None, b"\x02" + (9).to_bytes(8, "big")) == Event(Kind.RESOLVED, 9)
    document = {"query": "DROP TABLE t", "type": 4, "schema": "shop", "table": "t", "commitTs": 5}
    event = one(decoder, None, b"\x01" + json.dumps(document).encode())
    assert (event.kind, event.ts, event.table) == (Kind.DDL, 5, "t")
    assert json.loads(event.payload) == {"q": "DROP TABLE t", "t": 4}


def spoilt() -> dict[str, tuple[bytes | None, bytes | None]]:
    """Return messages that cannot be read, by a word of what is said of them."""
    source = Publisher()
    key, value = source.put(1, {"id": 1})
    bad_op = source.part(
        source.register(column(ID), *PLAIN_EXTENSION),
        {"id": 1, "_tidb_op": "d", "_tidb_commit_ts": 1, "_tidb_commit_physical_time": 0},
    )
    return {
        "begins with": (key, b"\1" + value[1:]),
        "stand behind": (key, value + b"\0"),
        "do not fit": (key, value[:-1]),
        "with a value of": (source.key(1, table="u"), value),
        "_tidb_op": (key, bad_op),
        "neither key nor value": (None, None),
        "beginning with 3": (None, b"\3"),
        "not JSON": (None, b"\1{"),
        "lacks a member": (None, b"\1{}"),
    }


@pytest.mark.parametrize("word", spoilt())
def test_what_cannot_be_read_is_refused_with_its_cause(word: str) -> None:
    """Every malformed message is a DecodingError that says what is wrong."""
    source = Publisher()
    source.put(1, {"id": 1})
    source.key(1, table="u")
    with pytest.raises(DecodingError) as raised:
        Decoder(source.schema).decode(*spoilt()[word])
    assert word in raised.value.what


def test_a_corrupted_row_is_refused() -> None:
    """TiCDC's own word that a row is corrupted is believed."""
    source = Publisher()
    flag = {"name": "_tidb_corrupted", "type": "boolean"}
    value = source.part(source.register(column(ID), flag), {"id": 1, "_tidb_corrupted": True})
    with pytest.raises(DecodingError, match="corrupted"):
        Decoder(source.schema).decode(source.key(1), value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"type": "int"}',
        '{"type": "record", "name": "t", "fields": [{"name": "a"}]}',
    ],
)
def test_a_schema_that_is_none_is_refused(text: str) -> None:
    """Whatever the registry answers, nothing but a DecodingError is raised."""
    with pytest.raises(DecodingError):
        Decoder(lambda _: text).decode(b"\0\0\0\0\1\2", None)
