"""The decoder refuses what is not a record of the connector, and reads columns it is told of."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.codecs.connect.avro_schema import avro_schema
from harness.codecs.connect.avro_writer import avro_body
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.codecs.debezium.decode import DebeziumDecoder
from harness.codecs.debezium.decode_values import Columns
from harness.codecs.debezium_vitess.decode import vitess_decoder
from harness.errors import DecodingError
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import EventKind
from harness.model.values import Value
from harness.wire.confluent import confluent_frame
from harness.wire.registry import MemoryRegistry

BARE = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
AVRO = "io.confluent.connect.avro.AvroConverter"
WITH_AVRO = {"key.converter": AVRO, "value.converter": AVRO}
SOURCE = {"keyspace": "ks", "table": "t", "shard": "0", "ts_ms": 5000}
HEARTBEAT = Schema(
    SchemaType.STRUCT,
    name="h.Heartbeat",
    fields=(Field("vgtid", Schema(SchemaType.STRING)), Field("ts_ms", Schema(SchemaType.INT64))),
)


def change(op: str, **images: object) -> bytes:
    """Return a change without a schema."""
    return json.dumps(
        {"before": None, "after": None, **images, "source": SOURCE, "op": op}
    ).encode()


def columns(kinds: Mapping[str, Column]) -> Columns:
    """Return what the decoder asks for a table's columns."""

    def known(keyspace: str, table: str) -> Mapping[str, Column] | None:
        return kinds if (keyspace, table) == ("ks", "t") else None

    return known


@pytest.mark.parametrize(
    ("written", "kind", "expected"),
    [
        (b"0.12345678901234567890", ColumnKind.DECIMAL, "0.12345678901234567890"),
        (b"15E-8", ColumnKind.DECIMAL, "0.00000015000000000000"),
        (b"0.5", ColumnKind.DOUBLE, 0.5),
        (b"0.5", None, 0.5),
        (b"0.12345678901234567890", None, "0.12345678901234567890"),
        (b"18446744073709551616", None, "18446744073709551616"),
    ],
)
def test_numbers_keep_digits(written: bytes, kind: ColumnKind | None, expected: Value) -> None:
    """Under NUMERIC a Decimal is a number, of which a double would lose digits."""
    known = {} if kind is None else {"c": Column(1, "c", kind, length=30, scale=20)}
    decoder = vitess_decoder(
        {**BARE, "value.converter.decimal.format": "NUMERIC"}, columns=columns(known)
    )
    (event,) = decoder.decode(b'{"id":1}', change("c", after={"c": 0}).replace(b"0", written, 1))
    assert event.after == {"c": expected}


def test_moved_key() -> None:
    """The header of a moved primary key is told with the event."""
    headers = [("__debezium.newkey", b'{"id":2}'), ("__debezium.context.taskId", b"0")]
    (event,) = vitess_decoder(BARE).decode(b'{"id":1}', change("d", before={"id": 1}), headers)
    assert event.kind is EventKind.DELETE
    assert event.key == {"id": 1}
    assert event.place is not None
    assert (event.place.new_key, event.place.old_key) == ('{"id":2}', "")


@pytest.mark.parametrize(
    ("column", "mode", "raw", "expected"),
    [
        (Column(1, "c", ColumnKind.DATE), {}, 17_000, "2016-07-18"),
        (Column(1, "c", ColumnKind.TIME, scale=3), {}, -3_723_004_000, "-01:02:03.004"),
        (Column(1, "c", ColumnKind.DATETIME, scale=3), {}, 1_500, "1970-01-01 00:00:01.500"),
        (Column(1, "c", ColumnKind.DATETIME, scale=6), {}, 1_500, "1970-01-01 00:00:00.001500"),
        (Column(1, "c", ColumnKind.DATETIME), {"time.precision.mode": "connect"}, 0,
         "1970-01-01 00:00:00"),
        (Column(1, "c", ColumnKind.DATETIME), {"time.precision.mode": "isostring"},
         "2018-06-20 06:37:03", "2018-06-20 06:37:03"),
        (Column(1, "c", ColumnKind.BIGINT, unsigned=True), {}, "18446744073709551615", 2**64 - 1),
        (Column(1, "c", ColumnKind.BIGINT, unsigned=True), {}, "AP//////////", 2**64 - 1),
        (Column(1, "c", ColumnKind.BLOB), {}, "AQ==", b"\x01"),
        (Column(1, "c", ColumnKind.BLOB), {"binary.handling.mode": "hex"}, "01ff", b"\x01\xff"),
        (Column(1, "c", ColumnKind.BLOB), {"binary.handling.mode": "base64-url-safe"}, "-_8=",
         b"\xfb\xff"),
        (Column(1, "c", ColumnKind.ENUM, members=("a", "b")), {}, "b", 2),
        (Column(1, "c", ColumnKind.SET, members=("a", "b")), {}, "a,b", 3),
        # MariaDB's BOOL.
        (Column(1, "c", ColumnKind.TINYINT), {}, False, 0),
    ],
)  # fmt: skip
def test_known_column(column: Column, mode: dict[str, str], raw: object, expected: Value) -> None:
    """Without a schema, a known column still gives its canonical value."""
    decoder = vitess_decoder({**BARE, **mode}, columns=columns({"c": column}))
    (event,) = decoder.decode(None, change("c", after={"c": raw}))
    assert event.after == {"c": expected}
    assert (event.schema, event.table, event.commit_ts) == ("ks", "t", 5000)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"a":1}',
        b'{"status":"MIDDLE","id":"x","ts_ms":1}',
        b'{"status":"END","id":"x","ts_ms":1,"data_collections":[1]}',
        change("x", after={"id": 1}),
        change("c"),
        change("d", after={"id": 1}),
        change("c", after={"id": [1]}),
        change("c", after=7),
        b'{"before":null,"after":{},"source":1,"op":"c"}',
        b'{"a":' * 10_000,
        b'{"\\ud83d":' * 10_000,
        b'{"vgtid":"x","ts_ms":"\\ud83d"}',
    ],
)
def test_refused(value: bytes) -> None:
    """Bytes that are no record of the connector are refused with our own error."""
    with pytest.raises(DecodingError):
        vitess_decoder(BARE).decode(None, value)


@pytest.mark.parametrize(
    "schema",
    [
        b"null",
        b'{"type":"struct","fields":{}}',
        b'{"type":"struct","fields":[{"type":"int32"}]}',
        b'{"type":"struct","fields":[' * 40 + b"{}" + b"]}" * 40,
    ],
)
def test_refused_schema(schema: bytes) -> None:
    """A schema of the wrong shape, or nested beyond reason, is refused."""
    with pytest.raises(DecodingError):
        vitess_decoder().decode(None, b'{"schema":%b,"payload":{"vgtid":"x","ts_ms":1}}' % schema)


def test_envelope_required() -> None:
    """With schemas enabled a bare payload is refused."""
    with pytest.raises(DecodingError, match="payload"):
        vitess_decoder().decode(None, b'{"vgtid":"x","ts_ms":1}')


def avro() -> tuple[DebeziumDecoder, bytes]:
    """Return a decoder of Avro, and a heartbeat that it reads."""
    registry = MemoryRegistry()
    schema_id = registry.register("h-value", avro_schema(HEARTBEAT).text)
    body = avro_body(HEARTBEAT, {"vgtid": "v", "ts_ms": 7})
    return vitess_decoder(WITH_AVRO, registry), confluent_frame(schema_id, body)


def test_avro_heartbeat() -> None:
    """A framed body is read by the registry's schema."""
    decoder, data = avro()
    (event,) = decoder.decode(None, data)
    assert (event.kind, event.commit_ts) == (EventKind.HEARTBEAT, 7)


def test_avro_refused() -> None:
    """Another magic byte, an unknown id, a cut body and bytes behind it are refused."""
    decoder, data = avro()
    wrong = [b"\x01" + data[1:], b"\x00\x00\x00\x00\x63" + data[5:], data + b"\x00"]
    wrong += [data[:size] for size in range(len(data))]
    for bad in wrong:
        with pytest.raises(DecodingError):
            decoder.decode(None, bad)


@given(st.none() | st.binary(), st.binary())
@example(None, b"\x00\x00\x00\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
def test_any_bytes(key: bytes | None, value: bytes) -> None:
    """Whatever the bytes, a decoder answers or refuses."""
    decoder, data = avro()
    for read, tried in (
        (vitess_decoder(), value),
        (vitess_decoder(BARE), value),
        (decoder, value),
        (decoder, data[:5] + value),
    ):
        try:
            events = read.decode(key, tried)
        except DecodingError:
            continue
        assert len(events) == 1


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["before", "after", "source", "op", "status", "id", "ts_ms", "vgtid",
                         "keyspace", "table", "shard", "transaction", "schema", "payload",
                         "type", "fields", "field", "name", "ddl", "data_collections"]), inner),
))  # fmt: skip
def test_any_json(document: object) -> None:
    """Whatever the JSON, a decoder answers or refuses."""
    data = json.dumps(document).encode()
    for values in ({}, BARE):
        try:
            assert len(vitess_decoder(values).decode(None, data)) == 1
        except DecodingError:
            continue
