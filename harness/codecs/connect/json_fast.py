"""Structs made ready for a JSON library: what Jackson prints otherwise is done by hand.

A prepared struct is the caller's own dict where nothing needs changing: whole numbers, texts and
nulls. Floats beyond the plain range, bytes and decimals become text; structs within it are printed
one by one. What cannot be seen before printing (control characters, characters beyond U+FFFF) is
seen in the printed bytes.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Callable
from typing import Any, Final

from orjson import Fragment, dumps

from harness.codecs.connect.java_double import is_plain
from harness.codecs.connect.json_text import JsonFormat, json_value
from harness.codecs.connect.logical import DECIMAL
from harness.codecs.connect.schema import Schema, SchemaType, Unset

Write = Callable[[Any], bytes]
Change = Callable[[Any], object]
# A struct's value; Connect's own is any mapping, but the library prints dicts alone.
Row = dict[str, Any]
# Where a null is no null: a default stands there, or nothing may.
_NO_DEFAULT: Final = object()
# The lead bytes of characters beyond U+FFFF, which Jackson writes as two escapes.
_FOUR_BYTES: Final = re.compile(rb"[\xf0-\xf4]")
# Floats of 32 bits have digits of their own, which the library does not know.
_FLOATS: Final = frozenset({SchemaType.FLOAT64})
# The positive floats that every library prints as Java does.
_FROM, _BELOW = 1e-3, 1e7


class NeedsExactText(Exception):  # noqa: N818 - no error: the exact printer follows
    """A value that only the exact printer prints, or refuses."""


def printer(schema: Schema, form: JsonFormat) -> Write | None:
    """Return what prints a struct, None for a schema of anything else.

    It raises NeedsExactText where only the exact printer will do.
    """
    if schema.kind is not SchemaType.STRUCT:
        return None
    if any(field.schema.kind is SchemaType.STRUCT for field in schema.fields):
        return _nesting(schema, form)
    return _flat(schema, form)


def _flat(schema: Schema, form: JsonFormat) -> Write:
    names = _names(schema)
    required = tuple(field.name for field in schema.fields if not field.schema.optional)
    floats = tuple(field.name for field in schema.fields if field.schema.kind in _FLOATS)
    adapted = _ready(schema, form)
    # Defaults and bytes are looked at in every row, floats only when they are out of the ordinary.
    always = any(
        (field.name not in floats and _change(field.schema, form) is not None)
        or not isinstance(field.schema.default, Unset)
        for field in schema.fields
    )

    def write(value: Row) -> bytes:
        if always or [*value] != names:
            value = adapted(value)
        else:
            for name in required:
                if value[name] is None:
                    raise NeedsExactText
            for name in floats:
                number = value[name]
                if number is not None and not (
                    number.__class__ is float and _FROM <= number < _BELOW
                ):
                    value = adapted(value)
                    break
        text = dumps(value)
        # The library writes a control character's digits in lower case. One byte is found faster
        # than two, and most rows have no backslash.
        if (b"\\" in text and b"\\u" in text) or not (text.isascii() or _short(text)):
            raise NeedsExactText
        return text

    return write


def _nesting(schema: Schema, form: JsonFormat) -> Write:
    """Return what prints structs one by one, and a source block once for all that share it.

    A required struct inside another is the source block, one object for a transaction's rows.
    """
    inner = {
        field.name: made
        for field in schema.fields
        if (made := printer(field.schema, form)) is not None
    }
    shared: dict[str, list[object]] = {
        field.name: [None, None]
        for field in schema.fields
        if field.name in inner and not field.schema.optional
    }
    parts = tuple((name, write, shared.get(name)) for name, write in inner.items())
    texts = tuple(field.name for field in schema.fields if field.schema.kind is SchemaType.STRING)
    adapted = _ready(schema, form)

    def write(value: Row) -> bytes:
        ready = adapted(value)
        if ready is value:
            ready = value.copy()
        for name, part, kept in parts:
            old = ready[name]
            if old is None:
                continue
            if kept is None:
                ready[name] = Fragment(part(old))
            elif kept[0] is old:
                ready[name] = kept[1]
            else:
                kept[1] = ready[name] = Fragment(part(old))
                kept[0] = old
        for name in texts:
            text = value[name]
            if text is not None and not (text.isascii() and text.isprintable()):
                raise NeedsExactText
        return dumps(ready)

    return write


def _ready(schema: Schema, form: JsonFormat) -> Callable[[Row], Row]:
    """Return what changes a struct's own fields where the library would print them otherwise."""
    names = _names(schema)
    changes = tuple(
        (field.name, change)
        for field in schema.fields
        if (change := _change(field.schema, form)) is not None
    )
    filled = tuple(
        (field.name, _filling(field.schema, form))
        for field in schema.fields
        if not field.schema.optional or not isinstance(field.schema.default, Unset)
    )

    def ready(value: Row) -> Row:
        if [*value] != names:
            value = {name: value.get(name) for name in names}
        new: dict[str, object] = {}
        for name, change in changes:
            if (old := value[name]) is not None:
                new[name] = change(old)
        for name, filling in filled:
            if value[name] is None:
                if filling is _NO_DEFAULT:
                    raise NeedsExactText
                new[name] = filling
        return {**value, **new} if new else value

    return ready


def _names(schema: Schema) -> list[str]:
    """Return the fields in the order in which they are printed, whatever a struct's own is."""
    return [field.name for field in schema.fields]


def _change(schema: Schema, form: JsonFormat) -> Change | None:
    match schema.kind:
        case SchemaType.FLOAT32 | SchemaType.FLOAT64:
            return lambda value: _float(schema, value, form)
        case SchemaType.BYTES if schema.name != DECIMAL:
            return _bytes
        case SchemaType.BYTES | SchemaType.ARRAY | SchemaType.MAP:
            return lambda value: Fragment(json_value(schema, value, form))
        case _:
            return None


def _short(text: bytes) -> bool:
    """Return whether no character lies beyond U+FFFF."""
    return _FOUR_BYTES.search(text) is None


def _filling(schema: Schema, form: JsonFormat) -> object:
    """Return what stands where a field is unset."""
    if isinstance(schema.default, Unset) or schema.default is None:
        return _NO_DEFAULT
    if not form.replace_null_with_default:
        return None if schema.optional else _NO_DEFAULT
    return Fragment(json_value(schema, schema.default, form))


def _float(schema: Schema, value: object, form: JsonFormat) -> object:
    if schema.kind is SchemaType.FLOAT64 and type(value) is float and is_plain(value):
        return value
    return Fragment(json_value(schema, value, form))


def _bytes(value: bytes) -> str:
    return b2a_base64(value, newline=False).decode("ascii")
