"""One message of the Open Protocol -> the events that it holds.

| wire | events |
| --- | --- |
| `u` | upsert |
| `u` and `p` | upsert with the row before; when the handle key differs, delete and upsert |
| `d` | delete; maybe of the handle key's columns only |
| `q`, `t` | DDL |
| resolved | resolved |

Source: TiCDC Open Protocol (2020), §Event format. Splitting an update of the handle key is what the
sink itself does where it can (tiflow c7b2588 cdc/model/sink.go:1187); `p` may hold changed columns
only (same, open_protocol_message.go:83), then the rest is as in `u`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import orjson

from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Images, Kind, Plain, json_text, payload_of
from cdc_spark.open import frames
from cdc_spark.open.values import Dialect, image

ROW, _DDL, _RESOLVED = 1, 2, 3  # the key's `t`


def decode(dialect: Dialect, key: bytes | None, value: bytes | None) -> list[Event]:
    """Return the events of one Kafka message; raises DecodingError."""
    events: list[Event] = []
    for key_frame, value_frame in frames.split(key, value):
        events.extend(_events(dialect, _object(key_frame, "key"), value_frame))
    return events


def _object(frame: bytes, side: str) -> dict[str, Any]:
    try:
        found = orjson.loads(frame)
    except orjson.JSONDecodeError as error:
        raise DecodingError(f"the {side} frame {frame[:40]!r} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise DecodingError(f"the {side} frame is not a JSON object")
    return cast("dict[str, Any]", found)


def _events(dialect: Dialect, key: Mapping[str, Any], frame: bytes) -> Sequence[Event]:
    ts, kind = key.get("ts"), key.get("t")
    if type(ts) is not int or ts < 0 or type(kind) is not int or not ROW <= kind <= _RESOLVED:
        raise DecodingError(
            f"the key says ts {ts!r} and t {kind!r}", expected="a ts, and t 1, 2 or 3"
        )
    if kind == _RESOLVED:
        return (Event(Kind.RESOLVED, ts),)
    schema, table = key.get("scm", ""), key.get("tbl", "")
    if type(schema) is not str or type(table) is not str or (kind == ROW and not table):
        raise DecodingError(f"the key says scm {schema!r} and tbl {table!r}", expected="names")
    if kind == _DDL:
        return (_ddl(ts, schema, table, _object(frame, "value")),)
    if key.get("ohk") or key.get("ccl"):
        raise DecodingError(
            "the row is not in the message (large-message-handle)",
            expected="messages that hold the whole row",
        )
    who = Who(ts, schema, table, key.get("rid"))
    return _row(dialect, who, _object(frame, "value"))


def _ddl(ts: int, schema: str, table: str, value: Mapping[str, Any]) -> Event:
    query, action = value.get("q"), value.get("t")
    if type(query) is not str or type(action) is not int:
        raise DecodingError(
            f"a DDL event with q {query!r} and t {action!r}", expected="text, number"
        )
    payload = json_text({"q": query, "t": action})
    identity = json_text([schema, table, query])
    return Event(Kind.DDL, ts, schema, table, identity, payload)


class Who(NamedTuple):
    """What the key says of a row's event."""

    ts: int
    schema: str
    table: str
    rid: object


def _row(dialect: Dialect, who: Who, value: Mapping[str, Any]) -> Sequence[Event]:
    newest: Any = value.get("u")
    older: Any = value.get("p")
    deleted: Any = value.get("d")
    if bool(newest) is bool(deleted) or (deleted and older):
        raise DecodingError(f"a row event with {sorted(value)}", expected="u, u and p, or d")
    if not all(isinstance(one, dict) for one in (newest, older, deleted) if one):
        raise DecodingError("a row image is not an object of columns")
    if deleted:
        before, handle = image(dialect, deleted)
        return (_change(Kind.DELETE, who, handle, (before, None)),)
    after, handle = image(dialect, newest)
    if not older:
        return (_change(Kind.UPSERT, who, handle, (None, after)),)
    before = {**after, **image(dialect, older)[0]}
    if any(before[name] != after[name] for name in handle):
        return (
            _change(Kind.DELETE, who, handle, (before, None)),
            _change(Kind.UPSERT, who, handle, (None, after)),
        )
    return (_change(Kind.UPSERT, who, handle, (before, after)),)


def _change(
    kind: Kind,
    who: Who,
    handle: list[str],
    rows: tuple[dict[str, Plain] | None, dict[str, Plain] | None],
) -> Event:
    before, after = rows
    row = before if after is None else after
    assert row is not None
    ts, schema, table, rid = who
    identity = ""
    if handle:
        identity = json_text([schema, table, *[row[name] for name in handle]])
    elif rid is not None:
        identity = json_text([schema, table, {"rid": rid}])
    images = Images(
        None if before is None else json_text(before),
        None if after is None else json_text(after),
        handle,
    )
    payload = payload_of(images, f'"rid":{json_text(rid)}')
    return Event(kind, ts, schema, table, identity, payload, images=images)
