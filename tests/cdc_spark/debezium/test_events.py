"""Promises of reading Debezium Vitess: three converters, every type, boundaries, refusals."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import pytest

from cdc_spark.debezium.connectors import VITESS
from cdc_spark.debezium.events import Decoder
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import Definitions
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Kind
from tests.cdc_spark.vitess_records import (
    ID,
    VALUE,
    block,
    change,
    connect,
    end,
    enveloped,
    field,
    plain,
)

KEY = plain({"id": 1})
TIME = "io.debezium.time."
CONNECT = "org.apache.kafka.connect.data."


def decode(key: bytes | None, value: bytes | None, known: Definitions | None = None) -> list[Event]:
    """Return the events of one record."""

    def nothing(schema_id: int) -> str:
        raise DecodingError(f"no schema {schema_id}")

    return Decoder(Parts(nothing), Rows(known or Definitions()), VITESS).decode(key, value)


def row_of(event: Event, side: str = "after") -> dict[str, Any]:
    """Return an image of a row's event."""
    return json.loads(event.payload)[side]


@pytest.mark.parametrize(
    "value",
    [
        plain(change("c", None, {"id": 1, "v": "x"})),
        enveloped(change("c", None, {"id": 1, "v": "x"}), field(ID), field(VALUE)),
    ],
)
def test_a_row_is_read_with_schema_or_without(value: bytes) -> None:
    """Both forms of JSON give one event, its key by the record's key."""
    (event,) = decode(KEY, value)
    assert (event.kind, event.ts, event.schema, event.table) == (Kind.UPSERT, 1000, "ks", "t")
    assert event.identity == '["ks","t",1]'
    assert row_of(event) == {"id": 1, "v": "x"}


def test_an_update_carries_both_rows_and_a_delete_the_old_one() -> None:
    """Images come out on the sides where they were sent."""
    old, new = {"id": 1, "v": "a"}, {"id": 1, "v": "b"}
    (update,) = decode(KEY, plain(change("u", old, new)))
    (delete,) = decode(KEY, plain(change("d", old, None)))
    assert (row_of(update, "before"), row_of(update)) == (old, new)
    assert (delete.kind, row_of(delete, "before"), row_of(delete)) == (Kind.DELETE, old, None)


def test_heartbeats_and_notifications_are_no_events() -> None:
    """What says nothing of rows gives nothing."""
    assert decode(None, None) == []
    assert decode(plain({"serverName": "s"}), plain({"vgtid": "[]", "ts_ms": 1})) == []
    assert decode(None, plain({"id": "1", "aggregate_type": "Initial Snapshot"})) == []


def test_a_tombstone_carries_its_key() -> None:
    """The key's values are there; its table too, where the key's schema tells it."""
    schema = {**connect("srv.ks.t.Key", field(ID)), "optional": False}
    for key, table in ((KEY, ""), (plain({"schema": schema, "payload": {"id": 1}}), "t")):
        (event,) = decode(key, None)
        assert (event.kind, event.table, row_of(event, "before")) == (
            Kind.TOMBSTONE,
            table,
            {"id": 1},
        )
    assert decode(KEY, b'{"schema":null,"payload":null}')[0].kind is Kind.TOMBSTONE


@pytest.mark.parametrize(
    ("kind", "semantic", "raw", "expected"),
    [
        ("int64", "", -(2**63), -(2**63)),
        ("string", "", "18446744073709551615", "18446744073709551615"),
        ("double", "", 1e300, 1e300),
        ("bytes", "", "AP8=", "00ff"),
        ("bytes", f"{CONNECT}Decimal", "RA==", 68),
        ("bytes", f"{CONNECT}Decimal", "/w==", -1),
        ("bytes", f"{CONNECT}Decimal", 68, 68),
        ("int32", f"{TIME}Date", -719528, "0000-01-01"),
        ("int32", f"{CONNECT}Date", 2932896, "9999-12-31"),
        ("int32", f"{TIME}Date", -141427, "1582-10-15"),
        ("int64", f"{TIME}MicroTime", -3020399000001, "-838:59:59.000001"),
        ("int32", f"{CONNECT}Time", 86400000, "24:00:00.000"),
        ("int64", f"{TIME}NanoTime", 1, "00:00:00.000000"),
        ("int64", f"{TIME}Timestamp", -1, "1969-12-31 23:59:59.999"),
        ("int64", f"{TIME}MicroTimestamp", -62135596800000000, "0001-01-01 00:00:00.000000"),
        ("int64", f"{TIME}NanoTimestamp", 1000, "1970-01-01 00:00:00.000001"),
        ("string", f"{TIME}ZonedTimestamp", "2018-06-20 06:37:03.1", "2018-06-20 06:37:03.1"),
        ("string", f"{TIME}ZonedTimestamp", "1970-01-01T00:00:00Z", "1970-01-01 00:00:00"),
        ("string", "io.debezium.data.EnumSet", "a,b", "a,b"),
        ("string", "io.debezium.data.Json", '{"a": 1.50}', '{"a": 1.50}'),
    ],
)
def test_every_type_is_exact(kind: str, semantic: str, raw: Any, expected: Any) -> None:
    """Values come out in the contract's JSON by their schema's names; NULL stays null."""
    fields = field(ID), field(("v", kind, semantic))
    for value, wanted in ((raw, expected), (None, None)):
        (event,) = decode(KEY, enveloped(change("c", None, {"id": 1, "v": value}), *fields))
        assert row_of(event) == {"id": 1, "v": wanted}


def test_without_schemas_definitions_say_what_values_are() -> None:
    """Dates, bytes and unsigned numbers are read by the column and by the connector's modes."""
    names = {"d": "date", "t": "time", "m": "datetime", "b": "blob", "n": "bigint", "x": "varchar"}
    columns: Mapping[str, Any] = {
        name: {"type": kind, "scale": 6 if kind == "datetime" else None, "unsigned": True}
        for name, kind in names.items()
    }
    known = Definitions({("ks", "t"): columns}, binary_mode="base64-url-safe")
    raw = {"d": 1, "t": 1, "m": 1, "b": "_w==", "n": "18446744073709551615", "x": "1", "y": 1}
    (event,) = decode(None, plain(change("c", None, raw)), known)
    assert row_of(event) == {
        "d": "1970-01-02",
        "t": "00:00:00.000001",
        "m": "1970-01-01 00:00:00.000001",
        "b": "ff",
        "n": 2**64 - 1,
        "x": "1",
        "y": 1,
    }


def test_a_block_carries_order_epoch_and_rank() -> None:
    """What orders a row travels beside it; a rank may have any number of digits."""
    rank = 10**30
    unscaled = b64encode(rank.to_bytes(13, "big")).decode()
    for number in (unscaled, 68):
        document = {**block("t1", 3, 2, 0), "transaction_rank": number}
        (event,) = decode(KEY, plain(change("c", None, {"id": 1}, transaction=document)))
        wanted = {"id": "t1", "n": 3, "shard": "0", "epoch": 2}
        assert json.loads(event.transaction) == {
            **wanted,
            "rank": str(68 if number == 68 else rank),
        }


def test_boundaries_are_events_of_their_own() -> None:
    """BEGIN and END tell the transaction, END the number of its rows."""
    (last,) = decode(None, plain(end("t1", 4)))
    assert (last.kind, json.loads(last.transaction)) == (Kind.END, {"id": "t1", "count": 4})
    (first,) = decode(None, plain({"status": "BEGIN", "id": "t1", "ts_ms": 1}))
    assert first.kind is Kind.BEGIN


def test_a_schema_in_every_message_is_read_once_and_never_mixed_up() -> None:
    """Messages of two schemas alternate and each is read by its own."""
    decoder = Decoder(Parts(lambda _: ""), Rows(Definitions()), VITESS)
    number = enveloped(change("c", None, {"id": 1, "v": 1}), field(ID), field(("v", "int32", "")))
    date = enveloped(
        change("c", None, {"id": 1, "v": 1}), field(ID), field(("v", "int32", f"{TIME}Date"))
    )
    seen = [row_of(decoder.decode(KEY, value)[0])["v"] for value in (number, date) * 3]
    assert seen == [1, "1970-01-02"] * 3


def test_a_payload_of_text_that_looks_like_an_envelope_is_text() -> None:
    """Where a string holds what ends a schema, the message is read for what it is."""
    text = '"},"payload":{"'
    value = enveloped(change("c", None, {"id": 1, "v": text}), field(ID), field(VALUE))
    (event,) = decode(KEY, value)
    assert row_of(event)["v"] == text
    odd = field(VALUE, parameters={"allowed": text})
    (event,) = decode(KEY, enveloped(change("c", None, {"id": 1, "v": "x"}), field(ID), odd))
    assert row_of(event)["v"] == "x"


def test_operations_that_a_transform_removed_are_read_off_the_rows() -> None:
    """Without `op` the images tell what a change is."""
    for images, kind in (((None, {"id": 1}), Kind.UPSERT), (({"id": 1}, None), Kind.DELETE)):
        document = change("", *images)
        del document["op"]
        (event,) = decode(KEY, plain(document))
        assert event.kind is kind


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"nonsense",
        b"{}",
        b'{"schema":{"type":"struct"},"payload":7}',
        plain(change("t", None, None)),
        plain(change("d", None, {"id": 1})),
        plain({**change("c", None, {"id": 1}), "source": None}),
        plain({"status": "MIDDLE", "id": "x"}),
        enveloped(change("c", None, {"id": 1, "stranger": 2}), field(ID)),
        enveloped(change("c", None, {"id": "text"}), field(ID)),
        b"\0\0\0\0\7\2",
    ],
)
def test_what_the_connector_never_sends_is_refused(value: bytes) -> None:
    """Every malformed record is a DecodingError, and nothing else."""
    with pytest.raises(DecodingError):
        decode(KEY, value)
