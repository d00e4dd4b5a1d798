"""Kafka records back to events; refuses everything that the protocol does not allow.

Independent of the encoder: it reads JSON with a library and knows the type codes, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import orjson

from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.protocols.ticdc_open.settings import Settings
from harness.protocols.ticdc_open.types import read_value
from harness.wire.framing import unframe

ROW, DDL, RESOLVED = 1, 2, 3


def decode(key: bytes | None, value: bytes | None, settings: Settings) -> tuple[DecodedEvent, ...]:
    """Return the events of one message, in order; DecodingError for anything malformed."""
    if key is None or value is None:
        raise DecodingError("a message without key or value", expected="framed keys and values")
    return tuple(_event(k, v, settings) for k, v in unframe(key, value))


def _event(key: bytes, value: bytes, settings: Settings) -> DecodedEvent:
    head = _object(key, "event key")
    kind = _integer(head, "t", "event key")
    if kind == RESOLVED:
        if value:
            raise DecodingError(f"a resolved event with a value of {len(value)} bytes")
        return DecodedEvent(
            EventKind.RESOLVED, _integer(head, "ts", "event key"), key_text=_text(key)
        )
    body = _object(value, "event value")
    if kind == DDL:
        return DecodedEvent(
            EventKind.DDL,
            _integer(head, "ts", "event key"),
            _string(head, "scm"),
            _string(head, "tbl"),
            query=_named(body, "q"),
            type=_integer(body, "t", "DDL value"),
            key_text=_text(key),
            value_text=_text(value),
        )
    if kind == ROW:
        return _row(head, body, settings, (_text(key), _text(value)))
    raise DecodingError(f"event type {kind}", expected="1 (row), 2 (DDL) or 3 (resolved)")


def _row(
    head: Mapping[str, Any], body: Mapping[str, Any], settings: Settings, texts: tuple[str, str]
) -> DecodedEvent:
    images = {name: body[name] for name in ("u", "p", "d") if name in body}
    if set(images) not in ({"u"}, {"u", "p"}, {"d"}):
        raise DecodingError(f"a row event with {sorted(images)}", expected="u, u with p, or d")
    columns = {name: _columns(image, settings) for name, image in images.items()}
    first = cast("Mapping[str, Any]", images.get("u", images.get("d")))
    if "d" in columns:
        kind = EventKind.DELETE
    elif "p" in columns:
        kind = EventKind.UPDATE
    else:
        # Without old values the wire does not tell an insert from an update.
        kind = EventKind.INSERT if settings.output_old_value else EventKind.UPSERT
    return DecodedEvent(
        kind,
        _integer(head, "ts", "event key"),
        _named(head, "scm"),
        _named(head, "tbl"),
        before=columns.get("d", columns.get("p")),
        after=columns.get("u"),
        handle=tuple(name for name, column in first.items() if column.get("h")),
        types={name: int(column["t"]) for name, column in first.items()},
        row_id=_integer(head, "rid", "event key") if "rid" in head else None,
        key_text=texts[0],
        value_text=texts[1],
    )


def _columns(image: object, settings: Settings) -> Mapping[str, Value]:
    if not isinstance(image, dict):
        raise DecodingError(f"columns of a row event are {type(image).__name__}, not an object")
    values: dict[str, Value] = {}
    for name, column in cast("dict[str, Any]", image).items():
        if not isinstance(column, dict) or "t" not in column or "v" not in column:
            raise DecodingError(f"column {name!r} lacks `t` or `v`")
        fields = cast("dict[str, Any]", column)
        if not isinstance(fields.get("h", False), bool):
            raise DecodingError(f"`h` of column {name!r} is {fields['h']!r}, not true or false")
        flag = _integer(fields, "f", name) if "f" in fields else None
        code = _integer(fields, "t", name)
        values[name] = read_value(code, flag, fields["v"], text_base64=settings.dialect.text_base64)
    return values


def _object(raw: bytes, part: str) -> Mapping[str, Any]:
    try:
        document: object = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise DecodingError(f"the {part} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DecodingError(f"the {part} is not a JSON object")
    return cast("dict[str, Any]", document)


def _integer(document: Mapping[str, Any], name: str, part: str) -> int:
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise DecodingError(f"`{name}` of the {part} is {value!r}, not an integer")
    return value


def _string(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name, "")
    if not isinstance(value, str):
        raise DecodingError(f"`{name}` is {value!r}, not text")
    return value


def _named(document: Mapping[str, Any], name: str) -> str:
    value = _string(document, name)
    if not value:
        raise DecodingError(f"`{name}` is missing or empty")
    return value


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
