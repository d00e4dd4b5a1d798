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

from collections.abc import Iterator, Mapping
from typing import Any, cast

import orjson

from harness.consumers.spark.events import Event, Kind, Plain
from harness.consumers.spark.open_protocol import frames
from harness.consumers.spark.open_protocol.columns import Dialect, is_handle, read
from harness.errors import DecodingError

_ROW, _DDL, _RESOLVED = 1, 2, 3  # the key's `t`


def decode(dialect: Dialect, key: bytes | None, value: bytes | None) -> list[Event]:
    """Return the events of one Kafka message; raises DecodingError."""
    events: list[Event] = []
    for key_frame, value_frame in frames.split(key, value):
        events.extend(_event(dialect, _object(key_frame, "key"), value_frame))
    return events


def _object(frame: bytes, side: str) -> dict[str, Any]:
    try:
        found = orjson.loads(frame)
    except orjson.JSONDecodeError as error:
        raise DecodingError(f"the {side} frame {frame[:40]!r} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise DecodingError(f"the {side} frame is not a JSON object")
    return cast("dict[str, Any]", found)


def _event(dialect: Dialect, key: Mapping[str, Any], frame: bytes) -> Iterator[Event]:
    ts, kind = key.get("ts"), key.get("t")
    if type(ts) is not int or ts < 0 or type(kind) is not int or not _ROW <= kind <= _RESOLVED:
        raise DecodingError(
            f"the key says ts {ts!r} and t {kind!r}", expected="a ts, and t 1, 2 or 3"
        )
    if kind == _RESOLVED:
        yield Event(Kind.RESOLVED, ts)
        return
    schema, table = key.get("scm", ""), key.get("tbl", "")
    if type(schema) is not str or type(table) is not str or (kind == _ROW and not table):
        raise DecodingError(f"the key says scm {schema!r} and tbl {table!r}", expected="names")
    if kind == _DDL:
        yield _ddl(ts, schema, table, _object(frame, "value"))
        return
    if key.get("ohk") or key.get("ccl"):
        raise DecodingError(
            "the row is not in the message (large-message-handle)",
            expected="messages that hold the whole row",
        )
    yield from _row(dialect, key, _object(frame, "value"))


def _ddl(ts: int, schema: str, table: str, value: Mapping[str, Any]) -> Event:
    query, action = value.get("q"), value.get("t")
    if type(query) is not str or type(action) is not int:
        raise DecodingError(
            f"a DDL event with q {query!r} and t {action!r}", expected="text, number"
        )
    payload = orjson.dumps({"q": query, "t": action}).decode()
    identity = orjson.dumps([schema, table, query]).decode()
    return Event(Kind.DDL, ts, schema, table, identity, payload)


def _row(dialect: Dialect, key: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Event]:
    images = {side: value[side] for side in ("u", "p", "d") if value.get(side)}
    if set(images) not in ({"u"}, {"u", "p"}, {"d"}):
        raise DecodingError(f"a row event with {sorted(value)}", expected="u, u and p, or d")
    if not all(isinstance(image, dict) for image in images.values()):
        raise DecodingError("a row image is not an object of columns")
    newest: Mapping[str, Any] = images.get("u") or images["d"]
    handle = sorted(name for name, column in newest.items() if is_handle(column))
    rows = {side: _image(dialect, image) for side, image in images.items()}
    if "d" in rows:
        yield _change(Kind.DELETE, key, handle, rows["d"], None)
        return
    after = rows["u"]
    before = {**after, **rows["p"]} if "p" in rows else None
    if before is not None and any(before[name] != after[name] for name in handle):
        yield _change(Kind.DELETE, key, handle, before, None)
        before = None
    yield _change(Kind.UPSERT, key, handle, before, after)


def _image(dialect: Dialect, image: Mapping[str, Any]) -> dict[str, Plain]:
    return {name: read(dialect, name, column) for name, column in image.items()}


def _change(
    kind: Kind,
    key: Mapping[str, Any],
    handle: list[str],
    before: dict[str, Plain] | None,
    after: dict[str, Plain] | None,
) -> Event:
    schema, table, rid = key.get("scm", ""), key["tbl"], key.get("rid")
    row = after if after is not None else before
    assert row is not None
    who: list[Any] = []
    if handle:
        who = [schema, table, *(row[name] for name in handle)]
    elif rid is not None:
        who = [schema, table, {"rid": rid}]
    payload = {"before": before, "after": after, "key": handle, "rid": rid}
    return Event(
        kind,
        key["ts"],
        schema,
        table,
        orjson.dumps(who).decode() if who else "",
        orjson.dumps(payload).decode(),
    )
