"""One message of TiCDC Avro -> its event.

| key | value | event |
| --- | --- | --- |
| Avro | Avro | upsert; dated where `_tidb_commit_ts` is there |
| Avro | null | delete of the key, undated: a tombstone carries no commit ts |
| null | 0x02, ts | resolved |
| null | 0x01, JSON | DDL |

Source: TiCDC Avro Protocol, §Data format definition, §TiDB extension fields; tiflow c7b2588
pkg/sink/codec/avro/avro.go (watermark messages).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import orjson

from cdc_spark.avro.schema import RecordSchema, record_schema
from cdc_spark.avro.values import Reader
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Images, Kind, json_text, payload_of
from cdc_spark.wire.confluent import unframe

Schemas = Callable[[int], str]
DIALECTS = frozenset({"current", "6"})
_DDL, _CHECKPOINT = 1, 2
_CHECKPOINT_BYTES = 9
OPS: Mapping[str, str] = {"c": "insert", "u": "update"}


class Decoder:
    """Reads messages by the schemas of one registry; a schema is made ready once."""

    def __init__(self, schemas: Schemas, moment: Reader | None = None) -> None:
        """Take what gives a schema's text by its id, and what reads TIMESTAMPs that are not in UTC.

        The first may raise DecodingError.
        """
        self._schemas = schemas
        self._moment = moment
        self._records: dict[int, RecordSchema] = {}

    def decode(self, key: bytes | None, value: bytes | None) -> list[Event]:
        """Return the event of one message; raises DecodingError."""
        if key is None:
            return [_mark(value)]
        key_record, body = self.record(key, "key")
        names, _ = key_record.read(body)
        handle = key_record.handle
        schema, table = key_record.schema, key_record.table
        identity = json_text([schema, table, *[names[name] for name in handle]])
        if value is None:
            return [_delete(key_record, names, identity)]
        record, body = self.record(value, "value")
        if (record.schema, record.table) != (schema, table):
            raise DecodingError(f"a key of {table!r} with a value of {record.table!r}")
        row, extension = record.read(body)
        missing = [name for name in handle if name not in row]
        if missing:
            raise DecodingError(f"the value lacks the key's column {missing[0]!r}")
        images = Images(None, json_text(row), handle, OPS.get(extension.get("_tidb_op", ""), ""))
        payload = payload_of(images, record.rest)
        ts = _commit_ts(extension)
        return [Event(Kind.UPSERT, ts, schema, table, identity, payload, images=images)]

    def record(self, data: bytes, side: str) -> tuple[RecordSchema, bytes]:
        """Return the form of one side's schema, and the body; raises DecodingError."""
        schema_id, body = unframe(data, side)
        record = self._records.get(schema_id)
        if record is None:
            text = self._schemas(schema_id)
            record = self._records[schema_id] = record_schema(schema_id, text, self._moment)
        return record, body


def _delete(record: RecordSchema, key: dict[str, Any], identity: str) -> Event:
    images = Images(json_text(key), None, record.handle)
    payload = payload_of(images, '"rid":null,"undated":true')
    return Event(Kind.DELETE, 0, record.schema, record.table, identity, payload, images=images)


def _commit_ts(extension: dict[str, Any]) -> int:
    if extension.get("_tidb_corrupted"):
        raise DecodingError("TiCDC says that the row is corrupted")
    if "_tidb_op" in extension and extension["_tidb_op"] not in OPS:
        raise DecodingError(f"_tidb_op {extension['_tidb_op']!r}", expected="c or u")
    ts = extension.get("_tidb_commit_ts", 0)
    if type(ts) is not int or ts < 0:
        raise DecodingError(f"_tidb_commit_ts {ts!r}", expected="a commit ts")
    return ts


def _mark(value: bytes | None) -> Event:
    if not value:
        raise DecodingError("the message has neither key nor value", expected="a key at least")
    if value[0] == _CHECKPOINT and len(value) == _CHECKPOINT_BYTES:
        return Event(Kind.RESOLVED, int.from_bytes(value[1:], "big"))
    if value[0] != _DDL:
        raise DecodingError(
            f"a message of {len(value)} bytes without a key, beginning with {value[0]}",
            expected="1 and a DDL's JSON, or 2 and eight bytes of ts",
        )
    try:
        found: object = orjson.loads(value[1:])
    except orjson.JSONDecodeError as error:
        raise DecodingError(f"a DDL that is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise DecodingError("a DDL that is not a JSON object")
    return _ddl(cast("dict[str, Any]", found))


def _ddl(document: dict[str, Any]) -> Event:
    texts = [document.get(name) for name in ("query", "schema", "table")]
    numbers = [document.get(name) for name in ("type", "commitTs")]
    if any(type(one) is not str for one in texts) or any(
        type(one) is not int or one < 0 for one in numbers
    ):
        raise DecodingError(
            "a DDL that lacks a member, or has another type in it",
            expected="query, type, schema, table and commitTs",
        )
    query, schema, table = (str(one) for one in texts)
    payload = orjson.dumps({"q": query, "t": document["type"]}).decode()
    identity = orjson.dumps([schema, table, query]).decode()
    return Event(Kind.DDL, document["commitTs"], schema, table, identity, payload)
