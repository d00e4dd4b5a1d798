"""Open Protocol messages built by hand: JSON text and lengths, with nothing of ours in between."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

Message = tuple[bytes, bytes]
Frame = tuple[str, str]  # an event's key JSON and value JSON
Columns = Mapping[str, Mapping[str, Any]]

INT_KEY = {"t": 3, "h": True, "f": 11}
VARCHAR = {"t": 15, "f": 64}


def key(value: object, kind: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a column of the handle key; an INT PRIMARY KEY unless told otherwise."""
    return {**(kind or INT_KEY), "h": True, "v": value}


def column(value: object, kind: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a column outside the key; a nullable VARCHAR unless told otherwise."""
    return {**(kind or VARCHAR), "v": value}


def row(
    ts: int, images: Mapping[str, Columns], table: str = "t", schema: str = "test", **more: object
) -> Frame:
    """Return a row event; `images` holds `u`, `p`, `d`, and `more` further fields of its key."""
    names = {"ts": ts, "scm": schema, "tbl": table, **more, "t": 1}
    return json.dumps(names), json.dumps(images)


def put(ts: int, number: int, text: str | None, table: str = "t") -> Frame:
    """Return the event of a row `{id: number, v: text}` being there now."""
    return row(ts, {"u": {"id": key(number), "v": column(text)}}, table)


def gone(ts: int, number: int, table: str = "t") -> Frame:
    """Return the delete of a row by its handle key only."""
    return row(ts, {"d": {"id": key(number)}}, table)


def loose(ts: int, value: int, rid: int | None = None, *, deleted: bool = False) -> Frame:
    """Return an event of a row `{n: value}` of a table without a key."""
    image = {"n": {"t": 3, "f": 65, "v": value}}
    more = {} if rid is None else {"rid": rid}
    return row(ts, {"d" if deleted else "u": image}, "loose", **more)


def ddl(ts: int, query: str, action: int, table: str = "t", schema: str = "test") -> Frame:
    """Return a DDL event."""
    names = {"ts": ts, "scm": schema, "tbl": table, "t": 2}
    return json.dumps(names), json.dumps({"q": query, "t": action})


def resolved(ts: int) -> Frame:
    """Return a resolved event."""
    return json.dumps({"ts": ts, "t": 3}), ""


def message(*frames: Frame, version: int = 1) -> Message:
    """Return one Kafka message that holds these events."""
    sides = [_side([frame[side].encode() for frame in frames]) for side in (0, 1)]
    return struct.pack(">Q", version) + sides[0], sides[1]


def _side(texts: Sequence[bytes]) -> bytes:
    return b"".join(struct.pack(">Q", len(text)) + text for text in texts)
