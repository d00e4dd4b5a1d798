"""Kafka records back to events; refuses everything that the protocol does not allow.

A null value is a delete, which only its key describes. `_tidb_op` distinguishes insert and update
where the extension is on. Names come as the wire has them: sanitised, which loses characters.

Source: TiCDC Avro Protocol, §Data format definition, §TiDB extension fields, §Consumer
implementation; TiCDC codec notes §3.1, 3.6, 3.8, 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from struct import Struct
from typing import cast

from harness.codecs.avro.checksum import checksum_of
from harness.codecs.avro.decode_body import AvroFieldShape, AvroRecordShape, Raw, read, record_form
from harness.codecs.avro.decode_values import default_of, value_of
from harness.codecs.avro.settings import AvroSettings
from harness.contracts import SchemaRegistry
from harness.errors import DecodingError
from harness.model.columns import ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.model.zones import Moved, to_utc
from harness.wire.confluent import confluent_unframe

DDL, CHECKPOINT = 1, 2
_UINT64 = Struct(">Q")
_OPS = {"c": EventKind.INSERT, "u": EventKind.UPDATE}
# Field of the extension -> its Avro type.
_EXTENSION = {"_tidb_op": "string", "_tidb_commit_ts": "long", "_tidb_commit_physical_time": "long"}
_CHECKSUM = {
    "_tidb_row_level_checksum": "string",
    "_tidb_corrupted": "boolean",
    "_tidb_checksum_version": "int",
}
_VECTOR = "TiDBVECTORFloat32"


@dataclass(frozen=True, slots=True)
class AvroMessagePart:
    """A key or a value as it was read: its schema, and values by the names of the wire.

    `raw` are all fields as a plain Avro reader has them, without what `tidb_type` says of them.
    """

    form: AvroRecordShape
    values: Mapping[str, Value]
    added: Mapping[str, Raw]
    raw: Mapping[str, Raw]


def decode(
    key: bytes | None,
    value: bytes | None,
    settings: AvroSettings,
    registry: SchemaRegistry,
) -> tuple[DecodedEvent, ...]:
    """Return the event of one message, TIMESTAMPs in UTC; DecodingError for anything malformed."""
    in_utc = to_utc(settings.zone)
    if key is None and settings.watermark:
        return (_watermark(value),)
    if key is None and value is None:
        raise DecodingError("a message without key and value", expected="a key at least")
    keyed = None if key is None else _part(key, {}, registry, in_utc)
    if value is None:
        assert keyed is not None
        return (_delete(keyed),)
    added = (_EXTENSION if settings.extension else {}) | (_CHECKSUM if settings.checksum else {})
    part = _part(value, added, registry, in_utc)
    if settings.checksum:
        _verify(part)
    return (_row(keyed, part, settings),)


def _part(
    data: bytes, added: Mapping[str, str], registry: SchemaRegistry, in_utc: Moved
) -> AvroMessagePart:
    schema_id, body = confluent_unframe(data)
    form = record_form(registry.schema(schema_id))
    types = {one.name: one.type for one in form.fields if one.null is None}
    for name, kind in added.items():
        if types.get(name) != kind:
            raise DecodingError(
                f"the schema has no field {name!r} of the type {kind}",
                hint="the settings say that the extension is on",
            )
    pairs = list(zip(form.fields, read(form, body), strict=True))
    return AvroMessagePart(
        form,
        {one.name: _value(one, raw, in_utc) for one, raw in pairs if one.name not in added},
        {one.name: raw for one, raw in pairs if one.name in added},
        {one.name: raw for one, raw in pairs},
    )


def _value(one: AvroFieldShape, raw: Raw, in_utc: Moved) -> Value:
    value = value_of(one, raw)
    moment = one.parameters.get("tidb_type") == "TIMESTAMP" and isinstance(value, str)
    return in_utc(cast("str", value)) if moment else value


def _delete(keyed: AvroMessagePart) -> DecodedEvent:
    return DecodedEvent(
        EventKind.DELETE,
        0,
        keyed.form.schema,
        keyed.form.table,
        handle=tuple(keyed.values),
        key=keyed.values,
        key_text=_text(keyed.raw),
        value_text="null",
    )


def _row(
    keyed: AvroMessagePart | None, part: AvroMessagePart, settings: AvroSettings
) -> DecodedEvent:
    kind, commit_ts = EventKind.UPSERT, 0
    if settings.extension:
        op, sent = part.added["_tidb_op"], part.added["_tidb_commit_ts"]
        if not isinstance(op, str) or op not in _OPS:
            raise DecodingError(f"_tidb_op {op!r}"[:80], expected="'c' or 'u'")
        if not isinstance(sent, int) or sent < 0:
            raise DecodingError(f"_tidb_commit_ts {sent!r}"[:80])
        kind, commit_ts = _OPS[op], sent
    key = None if keyed is None else keyed.values
    if keyed is not None and _named(keyed) != _named(part):
        raise DecodingError(f"a key of {_named(keyed)} with a value of {_named(part)}")
    return DecodedEvent(
        kind,
        commit_ts,
        part.form.schema,
        part.form.table,
        after=part.values,
        handle=tuple(key or ()),
        key=key,
        key_text="null" if keyed is None else _text(keyed.raw),
        value_text=_text(part.raw),
        defaults={
            one.name: default_of(one)
            for one in part.form.fields
            if one.default is not None and one.name in part.values
        },
    )


def _named(part: AvroMessagePart) -> str:
    return f"{part.form.schema}.{part.form.table}"


def _verify(part: AvroMessagePart) -> None:
    """Compare the row's checksum with its values, which come in the order of the column ids."""
    sent = part.added["_tidb_row_level_checksum"]
    if part.added["_tidb_corrupted"]:
        raise DecodingError("TiCDC says that the row is corrupted")
    values: list[tuple[ColumnKind, Value]] = []
    for one in part.form.fields:
        if one.name in part.added:
            continue
        tidb_type, value = one.parameters.get("tidb_type", ""), part.values[one.name]
        if tidb_type in _NAMED and isinstance(value, str):
            # Which member a name stands for is not certain, and the checksum is over its number.
            return
        # As far as the checksum asks, a value is a vector or it is none.
        values.append((ColumnKind.VECTOR if tidb_type == _VECTOR else ColumnKind.TEXT, value))
    # "0" is a row whose checksum is not enabled; so is the field's default (decoder.go:293).
    ours = checksum_of(values)
    if sent not in {"", "0", str(ours)}:
        raise DecodingError(f"the row's checksum is {str(sent)[:60]}, its values give {ours}")


_NAMED = frozenset({"ENUM", "SET"})


def _watermark(value: bytes | None) -> DecodedEvent:
    if not value:
        raise DecodingError("a message without key and value", expected="a DDL or a checkpoint")
    if value[0] == CHECKPOINT and len(value) == 1 + _UINT64.size:
        (ts,) = _UINT64.unpack_from(value, 1)
        return DecodedEvent(EventKind.RESOLVED, ts, value_text=f"x'{value.hex()}'")
    if value[0] != DDL:
        raise DecodingError(
            f"a message of {len(value)} bytes without a key, beginning with {value[0]}",
            expected="1 and a DDL's JSON, or 2 and eight bytes of ts",
        )
    return _ddl(value[1:])


def _ddl(raw: bytes) -> DecodedEvent:
    try:
        text = raw.decode()
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"a DDL that is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DecodingError("a DDL that is not a JSON object")
    members = cast("Mapping[str, object]", document)
    numbers = [members.get(name) for name in ("type", "commitTs")]
    texts = [members.get(name) for name in ("query", "schema", "table")]
    kind, ts = (one if type(one) is int and one >= 0 else None for one in numbers)
    query, schema, table = (one if isinstance(one, str) else None for one in texts)
    if kind is None or ts is None or query is None or schema is None or table is None:
        raise DecodingError(
            "a DDL that lacks a member, or has another type in it",
            expected="query, type, schema, table and commitTs",
        )
    return DecodedEvent(EventKind.DDL, ts, schema, table, query=query, type=kind, value_text=text)


def _text(values: Mapping[str, Raw]) -> str:
    """Return Avro's own values as JSON; bytes as hexadecimal text."""
    shown = {k: v.hex() if isinstance(v, bytes) else v for k, v in values.items()}
    return json.dumps(shown, ensure_ascii=False)
