r"""`SimpleHeaderConverter`, Connect's default for headers: values as plain text.

A text or a number at the top is itself; within a struct, a list or a map texts are quoted, their
quotes and backslashes escaped and nothing else.

Source: Kafka 4.1 connect-api `Values.convertToString`; vectors `bytes_simple_header_converter`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, cast

from harness.codecs.connect.errors import DATA_EXCEPTION, stopped
from harness.codecs.connect.java import utf8_bytes
from harness.codecs.connect.java_double import java_double
from harness.codecs.connect.logical import DATE, TIME, TIMESTAMP
from harness.codecs.connect.schema import Schema, SchemaType, field_value

_DAY: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def header_bytes(schema: Schema | None, value: object) -> bytes | None:
    """Return a header's bytes; None for a null."""
    return None if value is None else utf8_bytes(plain_text(schema, value, inner=False))


def plain_text(schema: Schema | None, value: object, *, inner: bool) -> str:
    """Return a value's text; `inner` quotes texts."""
    if isinstance(value, str):
        return _quoted(value) if inner else value
    if isinstance(value, bytes):
        text = b64encode(value).decode("ascii")
        return f'"{text}"' if inner else text
    if isinstance(value, list | dict):
        return _members(schema, cast("list[object] | dict[str, object]", value))
    if schema is not None and schema.name in {DATE, TIME, TIMESTAMP} and isinstance(value, int):
        return _temporal(schema, value)
    if type(value) not in _SCALARS:
        raise stopped(
            DATA_EXCEPTION,
            f"Failed to serialize unexpected value type {type(value).__name__}: {value}",
        )
    return _SCALARS[type(value)](value)


_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    Decimal: str,
    float: java_double,
}


def _members(schema: Schema | None, value: list[object] | dict[str, object]) -> str:
    if isinstance(value, dict) and schema is not None and schema.kind is SchemaType.STRUCT:
        return _struct(schema, value)
    of = schema.items if schema is not None else None
    if isinstance(value, dict):
        pairs = (f"{_quoted(key)}:{plain_text(of, to, inner=True)}" for key, to in value.items())
        return f"{{{','.join(pairs)}}}"
    return f"[{','.join(plain_text(of, item, inner=True) for item in value)}]"


def _struct(schema: Schema, struct: Mapping[str, object]) -> str:
    texts: list[str] = []
    for field in schema.fields:
        value = field_value(field.schema, struct.get(field.name))
        texts.append(f"{_quoted(field.name)}:{plain_text(field.schema, value, inner=True)}")
    return f"{{{','.join(texts)}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _temporal(schema: Schema, value: int) -> str:
    """Return a date's or time's text: its form follows from the moment, not from the schema."""
    millis = value * _DAY if schema.name == DATE else value
    minutes, rest = divmod(millis % _DAY, 60_000)
    time = f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}Z"
    if millis < _DAY:  # of years before the first one as well, which no date of Python's has
        return time
    date = (_EPOCH + timedelta(milliseconds=millis)).date().isoformat()
    return date if millis % _DAY == 0 else f"{date}T{time}"
