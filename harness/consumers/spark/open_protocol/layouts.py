"""Messages of the Open Protocol of one row, laid out like one that was read before.

Law: `events.decode` says what a message means. Here is only its quick way for the row of a table
whose columns, types and flags were met already: it gives the same events, or leaves the message
alone. Layouts are learnt from messages, and each is tried on its own message before it is kept.

A value's type and flags stand before it in every message, so they are literals of the pattern; that
is what spares the walk over the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import orjson

from harness.consumers.spark import known_json
from harness.consumers.spark.events import Event, Images, Kind, json_text
from harness.consumers.spark.known_json import Cell, Image, Written
from harness.consumers.spark.open_protocol import columns, events, frames
from harness.consumers.spark.open_protocol.columns import BINARY_FLAG, Dialect
from harness.consumers.spark.open_protocol.events import ROW, Who
from harness.errors import DecodingError

LAYOUTS_A_TABLE = 8
TABLES = 4096
_KEYS = frozenset({("ts", "scm", "tbl", "t"), ("ts", "scm", "tbl", "rid", "t")})
# The images before and after, by what a row's event holds.
_FORMS: Mapping[tuple[str, ...], tuple[int | None, int | None]] = {
    ("u",): (None, 0),
    ("u", "p"): (1, 0),
    ("d",): (0, None),
}
_COPIED: Mapping[Any, str] = {int: known_json.WHOLE, str: known_json.TEXT}


class Layout(NamedTuple):
    """The rows of one table in one form: a pattern, and its images before and after.

    `template` writes an image; `head` begins an identity, `key` is the payload's member; `handle`
    are the places of the key's columns, `names` their names.
    """

    match: Callable[[str], re.Match[str] | None]
    before: Image | None
    after: Image | None
    template: str
    head: str
    key: str
    handle: list[int]
    names: list[str]


class Decoder:
    """Reads messages; remembers how the rows of tables are laid out."""

    def __init__(self, dialect: Dialect) -> None:
        """Take the dialect of the changefeed."""
        self._dialect = dialect
        self._known: dict[tuple[str, str], list[Layout]] = {}

    def decode(self, key: bytes | None, value: bytes | None) -> list[Event]:
        """Return the events of one Kafka message; raises DecodingError."""
        if key and value:
            one = frames.only(key, value)
            if one is not None:
                try:
                    found = self._quick(*one)
                except ValueError:
                    found = None  # the long way says what is wrong
                if found is not None:
                    return found
        return events.decode(self._dialect, key, value)

    def _quick(self, key: bytes, value: bytes) -> list[Event] | None:
        """Return the events of a row whose layout is known; None for any other."""
        told = _object(key)
        if told is None or tuple(told) not in _KEYS:
            return None
        ts, schema, table = told["ts"], told["scm"], told["tbl"]
        if type(ts) is not int or ts < 0 or told["t"] != ROW:
            return None
        if type(schema) is not str or type(table) is not str or not table:
            return None
        text = value.decode()
        for layout in self._known.get((schema, table), ()):
            match = layout.match(text)
            if match is not None:
                who = Who(ts, schema, table, told.get("rid"))
                return _events(layout, who, match.groups(), escaped="\\" in text)
        self._learn((schema, table), value, text)
        return None

    def _learn(self, table: tuple[str, str], value: bytes, text: str) -> None:
        """Remember the layout of a row that is read the long way this time."""
        if len(self._known) >= TABLES:
            return
        known = self._known.setdefault(table, [])
        if len(known) < LAYOUTS_A_TABLE:
            layout = _layout(self._dialect, table, _object(value))
            if layout is not None and layout.match(text) is not None:
                known.append(layout)


def _object(frame: bytes) -> dict[str, Any] | None:
    """Return a frame's object, None for other JSON; raises ValueError for what is none."""
    found: object = orjson.loads(frame)
    return cast("dict[str, Any]", found) if type(found) is dict else None


def _events(layout: Layout, who: Who, groups: Sequence[str], *, escaped: bool) -> list[Event]:
    """Return the events of a match; raises ValueError for an escape that is none."""
    if layout.before is None and layout.after is not None:
        return [_event(layout, who, None, layout.after.values(groups, escaped=escaped))]
    assert layout.before is not None
    before = layout.before.values(groups, escaped=escaped)
    if layout.after is None:
        return [_event(layout, who, before, None)]
    after = layout.after.values(groups, escaped=escaped)
    if all(before[place] == after[place] for place in layout.handle):
        return [_event(layout, who, before, after)]
    return [_event(layout, who, before, None), _event(layout, who, None, after)]


def _event(
    layout: Layout, who: Who, before: Sequence[str] | None, after: Sequence[str] | None
) -> Event:
    ts, schema, table, rid = who
    row = before if after is None else after
    assert row is not None
    identity = ""
    if layout.handle:
        identity = f"{layout.head}{','.join([row[place] for place in layout.handle])}]"
    elif rid is not None:
        identity = f"{layout.head}{json_text({'rid': rid})}]"
    older = None if before is None else layout.template % tuple(before)
    newer = None if after is None else layout.template % tuple(after)
    return Event(
        Kind.DELETE if after is None else Kind.UPSERT,
        ts,
        schema,
        table,
        identity,
        f'{{"before":{older or "null"},"after":{newer or "null"},{layout.key},"rid":'
        f"{'null' if rid is None else rid if type(rid) is int else json_text(rid)}}}",
        "",
        Images(older, newer, layout.names),
    )


def _layout(
    dialect: Dialect, table: tuple[str, str], value: Mapping[str, Any] | None
) -> Layout | None:
    """Return the layout of a row's event; None for a form that is left to the long way.

    An update is such when it tells changed columns only, or otherwise than in the row after.
    """
    sides = () if value is None else tuple(value)
    if value is None or sides not in _FORMS:
        return None
    described: list[Any] = [value[side] for side in sides]
    if not all(type(one) is dict and len(cast("Any", one)) for one in described):
        return None
    try:
        handle = columns.image(dialect, described[0])[1]
    except DecodingError:
        return None
    cells = [_cell(dialect, name, parts) for name, parts in described[0].items()]
    pattern = known_json.members({cell.name: cell.pattern for cell in cells})
    before, after = _FORMS[sides]
    names = [cell.name for cell in cells]
    return Layout(
        re.compile(known_json.members(dict.fromkeys(sides, pattern))).fullmatch,
        None if before is None else known_json.image(cells, before),
        None if after is None else known_json.image(cells, after),
        known_json.template(names),
        f"{json_text(table)[:-1]},",
        f'"key":{json_text(handle)}',
        [names.index(name) for name in handle],
        handle,
    )


def _cell(dialect: Dialect, name: str, parts: Mapping[str, Any]) -> Cell:
    """Return a column: its value is copied where it comes out as it went in."""
    flag = parts.get("f")
    plain: Any = None
    if type(flag) is int:
        plain = dialect.plain[flag & BINARY_FLAG].get(parts.get("t", 0))
    copied = _COPIED.get(plain)
    value = f"({copied or known_json.SCALAR}|{known_json.NULL})"
    shown = {member: known_json.literal(one) for member, one in parts.items()}
    pattern = known_json.members({**shown, "v": value})
    return Cell(name, pattern, None if copied else _writer(dialect, name, parts))


def _writer(dialect: Dialect, name: str, parts: Mapping[str, Any]) -> Written:
    """Return what reads a column's value and writes it as contract JSON."""
    flag = parts.get("f") if dialect.flags else 0
    reader = dialect.readers.get(parts.get("t", 0))

    def written(text: str) -> str:
        value = orjson.loads(text)
        if reader is None or type(flag) is not int:
            return json_text(columns.read(dialect, name, {**parts, "v": value}))
        try:
            return json_text(reader(value, flag))
        except DecodingError as error:
            raise columns.named(error, name) from error

    return written
