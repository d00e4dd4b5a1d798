"""Rows of TiCDC Avro by pairs of schemas, a batch at a time.

`events.Decoder` says what a message means. Here keys of one schema with values of one schema, or
with none, are read by columns: to the same event, or the message is left to the decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from cdc_spark.avro.events import OPS
from cdc_spark.avro.schema import RecordSchema
from cdc_spark.avro.values import Reader
from cdc_spark.errors import DecodingError, SetupError
from cdc_spark.events import Kind, json_text
from cdc_spark.untyped import Column, np, pa, pc
from cdc_spark.vectorised import avro_columns, blocks
from cdc_spark.vectorised.avro_columns import Field, Numbers, Values
from cdc_spark.vectorised.images import RowColumns, RowWriter, joined, untimed
from cdc_spark.vectorised.reader import Frames, Side, Sides, VectorisedReader
from cdc_spark.vectorised.skeleton import indices
from cdc_spark.wire.confluent import HEAD

_FAR = np.iinfo(np.int32).max
_ESCAPED = r'["\\\x00-\x1f]'
_UNDATED = '"rid":null,"undated":true'
RecordSchemas = Callable[
    [bytes, str], tuple[RecordSchema, bytes]
]  # a side of a message -> its schema's form


@dataclass(frozen=True, slots=True)
class Written:
    """One side of messages: the five bytes that it begins with, its form and its fields."""

    head: bytes
    record: RecordSchema
    fields: Sequence[Field]

    def read(self, data: Column) -> tuple[Numbers, Mapping[str, Values]]:
        """Return which of these, all beginning alike, are unfit, and the values by field."""
        bad, values = avro_columns.read(self.fields, pc.binary_slice(data, HEAD, _FAR))
        return bad, {field.name: one for field, one in zip(self.fields, values, strict=True)}

    def columns(self, found: Mapping[str, Values], bad: Numbers) -> list[Column]:
        """Return the columns in contract JSON; adds to `bad` what cannot be written."""
        readers = dict(self.record.converted)
        return [
            _column(field.kind, found[field.name], readers.get(field.name), bad)
            for field in self.fields
            if field.name not in self.record.extension
        ]


@dataclass(frozen=True, slots=True)
class RowTemplate:
    """Messages of one pair of schemas; no value is a delete."""

    key: Written
    value: Written | None
    writer: RowWriter
    identity: RowWriter

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which messages are such, and their events."""
        mask = pc.starts_with(keys, self.key.head)
        if self.value is None:
            mask = pc.and_(mask, pc.is_null(values))
        else:
            starts = pc.fill_null(pc.starts_with(values, self.value.head), fill_value=False)
            mask = pc.and_(mask, starts)
        places = indices(mask)
        if not len(places):
            return places, ()
        bad, columns = self._event(keys.take(places), values.take(places))
        if not bad.any():
            return places, (Side(None, 0, columns),)
        good = pa.array(~bad)
        kept = {name: one.filter(good) for name, one in columns.items()}
        return places.filter(good), (Side(None, 0, kept),)

    def _event(self, keys: Column, values: Column) -> tuple[Numbers, Mapping[str, Column]]:
        bad, found = self.key.read(keys)
        key = self.key.columns(found, bad)
        identity = self.identity.identity(key)
        if self.value is None:
            deleted = RowColumns(untimed(len(keys)), identity, self.writer.image(key), None)
            return bad, self.writer.event(Kind.DELETE, deleted, (_UNDATED,))
        unfit, found = self.value.read(values)
        bad |= unfit
        row = self.value.columns(found, bad)
        ts, change = _commit_ts(found, bad), _change(found)
        upserted = RowColumns(ts, identity, None, self.writer.image(row), change=change)
        return bad, self.writer.event(Kind.UPSERT, upserted, (self.value.record.rest,))


def _change(found: Mapping[str, Values]) -> Column | None:
    """Return what the extension says that rows are; None without it."""
    if "_tidb_op" not in found:
        return None
    words = pa.array(list(OPS.values()), pa.string())
    places = pc.index_in(found["_tidb_op"].found, pa.array(list(OPS), pa.string()))
    return words.take(places)


def _commit_ts(found: Mapping[str, Values], bad: Numbers) -> Column:
    """Return the rows' commit ts, none without the extension; what it may not hold is unfit."""
    size = len(bad)
    if "_tidb_corrupted" in found:
        bad |= _whole(found["_tidb_corrupted"], size, fill=False)
    if "_tidb_op" in found:
        read_out = found["_tidb_op"]
        ops = pc.is_in(read_out.found, pa.array(list(OPS), pa.string()))
        bad |= ~_whole(Values(ops.to_numpy(zero_copy_only=False), read_out.which), size, fill=False)
    if "_tidb_commit_ts" not in found:
        return untimed(size)
    ts = _whole(found["_tidb_commit_ts"], size, fill=-1)
    bad |= ts < 0
    return pa.array(np.maximum(ts, 0)).cast(blocks.COMMIT_TS)


def _whole(values: Values, size: int, *, fill: int) -> Numbers:
    """Return the values of all messages, `fill` where there is none."""
    if values.which is None:
        return values.found
    found = np.full(size, fill, values.found.dtype)
    found[values.which] = values.found
    return found


def _column(kind: str, values: Values, reader: Reader | None, bad: Numbers) -> Column:
    """Return a field's values in contract JSON, `null` where there is none."""
    which = np.arange(len(bad)) if values.which is None else values.which
    texts = _WRITTEN[kind](values.found, reader, which, bad)
    if values.which is None:
        return texts
    mask = np.zeros(len(bad), bool)
    mask[which] = True
    return pc.replace_with_mask(blocks.same("null", len(bad)), pa.array(mask), texts)


def _numbers(found: Numbers, reader: Reader | None, _: Numbers, __: Numbers) -> Column:
    """Write whole numbers; the only reader of such gives a number without a sign its 64 bits."""
    read_out = found if reader is None else found.view(np.uint64)
    return pa.array(read_out).cast(pa.string())


def _floats(found: Numbers, _: Reader | None, which: Numbers, bad: Numbers) -> Column:
    finite = np.isfinite(found)
    bad[which[~finite]] = True
    read_out = orjson.dumps(np.where(finite, found, 0.0), option=orjson.OPT_SERIALIZE_NUMPY)
    texts = read_out[1:-1].decode().split(",") if len(found) else []
    return pa.array(texts, pa.string())


def _quoted(found: Column, reader: Reader | None, which: Numbers, bad: Numbers) -> Column:
    if reader is not None:
        return _read(found, reader, which, bad)
    plain = joined('"', found, '"')
    escaped = pc.match_substring_regex(found, _ESCAPED)
    if not pc.any(escaped, min_count=0).as_py():
        return plain
    written = pa.array([json_text(one) for one in found.filter(escaped).to_pylist()], pa.string())
    return pc.replace_with_mask(plain, escaped, written)


def _read(found: Column, reader: Reader | None, which: Numbers, bad: Numbers) -> Column:
    """Write values one by one."""
    assert reader is not None
    texts: list[str] = []
    for number, value in enumerate(found.to_pylist()):
        try:
            texts.append(json_text(reader(value)))
        except ValueError:
            bad[which[number]] = True
            texts.append("null")
    return pa.array(texts, pa.string())


_WRITTEN: Mapping[str, Callable[[Any, Reader | None, Numbers, Numbers], Column]] = {
    **dict.fromkeys(("int", "long"), _numbers),
    **dict.fromkeys(("float", "double"), _floats),
    "string": _quoted,
    "bytes": _read,
}


def reader(schemas: RecordSchemas, *, payloads: bool) -> VectorisedReader:
    """Return what reads by columns, with the schemas of one registry."""

    def written(data: bytes, side: str) -> Written | None:
        record, _ = schemas(data, side)
        fields = avro_columns.fields(record.prepared.schema)
        read_out = None if fields is None else [one for one in fields if one.name in record.names]
        if fields is None or any(one.kind not in _WRITTEN for one in read_out or ()):
            return None
        return Written(data[:HEAD], record, fields)

    def learn(key: bytes, value: bytes | None) -> RowTemplate | None:
        try:
            sides = written(key, "key"), None if value is None else written(value, "value")
        except (DecodingError, SetupError):
            return None  # row by row says what is wrong, and where
        of, row = sides
        if of is None or (row is None and value is not None):
            return None
        record = of.record if row is None else row.record
        if (record.schema, record.table) != (of.record.schema, of.record.table):
            return None
        handle = of.record.handle
        if any(name not in record.names for name in handle):
            return None
        named = RowWriter(record.schema, record.table, of.record.names, handle, payloads)
        return RowTemplate(
            of, row, RowWriter(record.schema, record.table, record.names, handle, payloads), named
        )

    return VectorisedReader(cut, learn)


def cut(keys: Column, values: Column) -> Frames | None:
    """Return the messages that have a key, one change each."""
    size = pc.fill_null(pc.binary_length(keys), 0)
    which = indices(pc.greater_equal(size, HEAD))
    found = which.to_numpy()
    return Frames(found, np.zeros(len(found), np.int64), keys.take(which), values.take(which))
