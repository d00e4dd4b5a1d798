"""Ordered changes as change data: one row a change, for files or for a writer of one's own.

It is what `in_order` gives, with the row's images apart. Spark's file sink takes each once; what
else writes it may repeat a micro-batch after a crash, and knows a change again by `_bucket` and
`_seq`.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecoder
from typing import Any

import orjson

from cdc_spark.events import Kind
from cdc_spark.set_aside import unpacked
from cdc_spark.untyped import ArrowBatch, Frame, pa

CHANGE_DATA: tuple[tuple[str, str, str], ...] = (
    ("_op", "string", "`upsert`, `delete`, `ddl`, or `poison` for a message that was set aside"),
    (
        "_commit_ts",
        "decimal(20,0)",
        "TiDB's commit ts, for Debezium milliseconds; null without one",
    ),
    (
        "_table_version",
        "decimal(20,0)",
        "the commit ts of the table's last DDL; null before any, and in streams without DDL",
    ),
    ("schema", "string", "whose row it is, as in the stream"),
    ("table", "string", "the same"),
    ("key", "array<string>", "the names of the key's columns"),
    ("before", "string", "the row as JSON, in the contract's values; null where the wire has none"),
    ("after", "string", "the same"),
    ("query", "string", "the statement of a `ddl`, else null"),
    ("reason", "string", "what is wrong with a `poison` message, else null"),
    ("_bucket", "int", "with `_seq` what a change is known by"),
    ("_seq", "bigint", "its place in its bucket, dense from 0"),
)
_OPS = {Kind.DELETE: "delete", Kind.UPSERT: "upsert", Kind.DDL: "ddl", Kind.ERROR: "poison"}
_LABELS = {"before": '{"before":', "after": ',"after":'}
_SCHEMA = ", ".join(f"{name} {kind}" for name, kind, _ in CHANGE_DATA)
_ARROW = pa.schema(
    [
        ("_op", pa.string()),
        ("_commit_ts", pa.decimal128(20, 0)),
        ("_table_version", pa.decimal128(20, 0)),
        ("schema", pa.string()),
        ("table", pa.string()),
        ("key", pa.list_(pa.string())),
        ("before", pa.string()),
        ("after", pa.string()),
        ("query", pa.string()),
        ("reason", pa.string()),
        ("_bucket", pa.int32()),
        ("_seq", pa.int64()),
    ]
)


def change_data(changes: Frame) -> Frame:
    """Return the changes of `in_order` with images, statement and reason in columns of their own.

    Changes that wait for the END of their transaction (Debezium) are not among them. Within a
    bucket `_seq` is their order; a row's images are the text that they were, no number is read.
    """
    return changes.mapInArrow(apart, _SCHEMA)


def apart(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Yield each batch of `ORDERED_SCHEMA` as one of change data."""
    names = ("kind", "ts", "schema", "table", "payload", "bucket", "seq", "version")
    for batch in batches:
        columns = [batch[name].to_pylist() for name in names]
        found = [_row(*one) for one in zip(*columns, strict=True) if one[0] in _OPS]
        yield pa.RecordBatch.from_pylist(found, schema=_ARROW)


def _row(*change: Any) -> dict[str, Any]:  # noqa: ANN401 - the columns of a change
    kind, ts, schema, table, payload, bucket, seq, version = change
    found = {"_op": _OPS[kind], "schema": schema, "table": table, "_bucket": bucket, "_seq": seq}
    found["_commit_ts"] = int(ts) or None
    found["_table_version"] = int(version) or None
    if kind == Kind.ERROR:
        return found | {"reason": unpacked(payload)[0]}
    if kind == Kind.DDL:
        return found | {"query": orjson.loads(payload)["q"]}
    said = orjson.loads(payload)
    if said.get("undated"):  # its place in time is that of the row before it
        found["_commit_ts"] = None
    return found | {"key": said["key"]} | _images(payload)


def _images(payload: str) -> dict[str, str | None]:
    """Return the JSON texts of `before` and `after`, which begin a row's payload; None for null."""
    found: dict[str, str | None] = {}
    end = 0
    for name, label in _LABELS.items():
        assert payload.startswith(label, end), payload[end : end + 40]
        start = end + len(label)
        value, end = _DECODER.raw_decode(payload, start)
        found[name] = None if value is None else payload[start:end]
    return found


_DECODER = JSONDecoder()
