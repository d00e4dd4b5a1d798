"""Kafka records back to events; refuses everything that the protocol does not allow.

Independent of the encoder: it reads JSON with a library and knows the type codes, nothing else. Of
a member that is written twice the last one counts, as in Go; one dialect's encoder relies on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import orjson

from harness.codecs.open.decode_types import read_value, shown
from harness.codecs.open.settings import OpenSettings
from harness.codecs.ticdc.claim_check import stored_event
from harness.contracts import Load
from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.model.zones import to_utc
from harness.wire.compression import decompressed
from harness.wire.framing import unframe

# A JSON object.
Document = Mapping[str, Any]
ROW, DDL, RESOLVED = 1, 2, 3
# The type code of what is written in the zone of the TiCDC server.
TIMESTAMP = 7
_IMAGES = ({"u"}, {"u", "p"}, {"d"})


def decode(
    key: bytes | None, value: bytes | None, settings: OpenSettings, load: Load | None = None
) -> tuple[DecodedEvent, ...]:
    """Return the events of one message, in order; DecodingError for anything malformed.

    `load` reads a claim check by its name in the storage; without it claim checks are refused.
    """
    if key is None or value is None:
        raise DecodingError("a message without key or value", expected="framed keys and values")
    return tuple(_event(k, v, settings, load) for k, v in unframe(key, value))


def _event(key: bytes, value: bytes, settings: OpenSettings, load: Load | None) -> DecodedEvent:
    head = _object(key, "event key")
    kind = _integer(head, "t", "event key")
    ts = _integer(head, "ts", "event key")
    if ts < 0:
        raise DecodingError(f"`ts` of the event key is {ts}, below 0")
    if kind == RESOLVED:
        if value:
            raise DecodingError(f"a resolved event with a value of {len(value)} bytes")
        return DecodedEvent(EventKind.RESOLVED, ts, key_text=_text(key))
    if kind == DDL:
        value = decompressed(value, settings.compression)
        body = _object(value, "event value")
        return DecodedEvent(
            EventKind.DDL,
            ts,
            _string(head, "scm"),
            _string(head, "tbl"),
            query=_named(body, "q"),
            type=_integer(body, "t", "DDL value"),
            key_text=_text(key),
            value_text=_text(value),
        )
    if kind == ROW:
        return _row(head, key, decompressed(value, settings.compression), settings, load)
    raise DecodingError(f"event type {kind}", expected="1 (row), 2 (DDL) or 3 (resolved)")


def _row(
    head: Document, key: bytes, value: bytes, settings: OpenSettings, load: Load | None
) -> DecodedEvent:
    texts = (_text(key), _text(value))
    place = _string(head, "ccl")
    if place:
        key, value = stored_event(place, load)
        head, value = _object(key, "event key"), decompressed(value, settings.compression)
        if _integer(head, "t", "event key") != ROW:
            raise DecodingError(f"the claim check {place} holds no row event")
    images = _images(_object(value, "event value"))
    columns = {name: _columns(image, settings) for name, image in images.items()}
    first = images["u"] if "u" in images else images["d"]
    handle_only = _boolean(head, "ohk", "event key")
    return DecodedEvent(
        _kind(columns, settings, handle_only=handle_only),
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
        handle_only=handle_only,
        claim_check=place,
    )


def _kind(columns: Mapping[str, object], settings: OpenSettings, *, handle_only: bool) -> EventKind:
    if "d" in columns:
        return EventKind.DELETE
    if "p" in columns:
        return EventKind.UPDATE
    # Without old values the wire does not distinguish an insert from an update; nor does it when
    # only what changed is kept of them, and of a reduced row only the handle, which does not
    # change.
    if settings.output_old_value and not (handle_only and settings.only_updated):
        return EventKind.INSERT
    return EventKind.UPSERT


def _images(body: Document) -> Mapping[str, Document]:
    images: dict[str, Document] = {}
    for name in ("u", "p", "d"):
        if name in body:
            image = body[name]
            if not isinstance(image, dict):
                raise DecodingError(
                    f"columns of a row event are {type(image).__name__}, not an object"
                )
            images[name] = cast("dict[str, Any]", image)
    if set(images) not in _IMAGES:
        raise DecodingError(f"a row event with {sorted(images)}", expected="u, u with p, or d")
    for name in ("u", "d"):
        if name in images and not images[name]:
            raise DecodingError(f"a row event whose `{name}` has no columns")
    return images


def _columns(image: Document, settings: OpenSettings) -> Mapping[str, Value]:
    values: dict[str, Value] = {}
    text_base64 = settings.dialect.text_base64
    for name, column in image.items():
        if not isinstance(column, dict) or "t" not in column or "v" not in column:
            raise DecodingError(f"column {name!r} lacks `t` or `v`")
        fields = cast("dict[str, Any]", column)
        _boolean(fields, "h", f"column {name!r}")
        flag = _integer(fields, "f", name) if "f" in fields else None
        code = _integer(fields, "t", name)
        value = read_value(code, flag, fields["v"], text_base64=text_base64)
        moment = code == TIMESTAMP and isinstance(value, str)
        values[name] = to_utc(settings.zone)(cast("str", value)) if moment else value
    return values


def _object(raw: bytes, part: str) -> Document:
    try:
        document: object = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise DecodingError(f"the {part} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DecodingError(f"the {part} is not a JSON object")
    return cast("dict[str, Any]", document)


def _integer(document: Document, name: str, part: str) -> int:
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise DecodingError(f"`{name}` of the {part} is {shown(value)}, not an integer")
    return value


def _boolean(document: Document, name: str, part: str) -> bool:
    value = document.get(name, False)
    if not isinstance(value, bool):
        raise DecodingError(f"`{name}` of {part} is {shown(value)}, not true or false")
    return value


def _string(document: Document, name: str) -> str:
    value = document.get(name, "")
    if not isinstance(value, str):
        raise DecodingError(f"`{name}` is {shown(value)}, not text")
    return value


def _named(document: Document, name: str) -> str:
    value = _string(document, name)
    if not value:
        raise DecodingError(f"`{name}` is missing or empty")
    return value


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
