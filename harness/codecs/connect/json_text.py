r"""Connect values as JsonConverter prints them, one text at a time: exact, and slow.

Jackson escapes quotes, backslashes and control characters (hexadecimal digits in upper case), and
every surrogate: a character beyond U+FFFF is the pair `\uD83D\uDE00`, half a pair is written as it
stands. All else is raw UTF-8.

Source: Kafka 4.1 connect-json `JsonConverter.convertToJson`; jackson-core `UTF8JsonGenerator`;
vectors `truncate_emoji`, `float.default`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.codecs.connect.errors import DATA_EXCEPTION, stopped
from harness.codecs.connect.java_double import java_double, java_float
from harness.codecs.connect.logical import DECIMAL, unscaled_bytes
from harness.codecs.connect.schema import Schema, SchemaType, Unset

_SHORT: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}
_SPECIAL: Final = re.compile('["\\\\\x00-\x1f\ud800-\udfff\U00010000-\U0010ffff]')


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """JsonConverter's settings that decide the text of a value."""

    decimal_numeric: bool = False
    replace_null_with_default: bool = True


def json_string(text: str) -> str:
    """Return a string as Jackson writes it to UTF-8."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def json_value(schema: Schema | None, value: object, form: JsonFormat) -> str:
    """Return a value's JSON text; DataException for a value that its schema does not allow."""
    if value is None:
        return _json_null(schema, form)
    if schema is None:
        return _json_unknown(value, form)
    try:
        return _WRITERS[schema.kind](schema, value, form)
    except (TypeError, AttributeError, KeyError) as error:
        raise stopped(
            DATA_EXCEPTION, f"Invalid type for {schema.kind.name}: {type(value).__name__}"
        ) from error


def _json_null(schema: Schema | None, form: JsonFormat) -> str:
    if schema is None:
        return "null"
    if not isinstance(schema.default, Unset) and form.replace_null_with_default:
        return "null" if schema.default is None else json_value(schema, schema.default, form)
    if schema.optional:
        return "null"
    raise stopped(
        DATA_EXCEPTION,
        "Conversion error: null value for field that is required and has no default value",
    )


def _whole(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401 - see _WRITERS
    del schema, form
    return str(int(value))


def _float(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    del form
    text = java_float(value) if schema.kind is SchemaType.FLOAT32 else java_double(value)
    return text if text[-1].isdigit() else f'"{text}"'


def _boolean(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    del schema, form
    return "true" if value else "false"


def _string(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    del schema, form
    return json_string(value)


def _bytes(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    if schema.name == DECIMAL:
        if form.decimal_numeric:
            return str(value)  # as BigDecimal prints itself
        value = unscaled_bytes(schema, value)
    return f'"{b64encode(value).decode("ascii")}"'


def _array(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    return f"[{','.join(json_value(schema.items, item, form) for item in value)}]"


def _map(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    texts = (f"{json_string(k)}:{json_value(schema.items, v, form)}" for k, v in value.items())
    return f"{{{','.join(texts)}}}"


def _struct(schema: Schema, value: Any, form: JsonFormat) -> str:  # noqa: ANN401
    texts = (
        f"{json_string(field.name)}:{json_value(field.schema, value.get(field.name), form)}"
        for field in schema.fields
    )
    return f"{{{','.join(texts)}}}"


# What each raises on a value of another type becomes a DataException in `json_value`.
_WRITERS: Final[Mapping[SchemaType, Callable[[Schema, Any, JsonFormat], str]]] = {
    SchemaType.BOOLEAN: _boolean,
    SchemaType.INT8: _whole,
    SchemaType.INT16: _whole,
    SchemaType.INT32: _whole,
    SchemaType.INT64: _whole,
    SchemaType.FLOAT32: _float,
    SchemaType.FLOAT64: _float,
    SchemaType.STRING: _string,
    SchemaType.BYTES: _bytes,
    SchemaType.ARRAY: _array,
    SchemaType.MAP: _map,
    SchemaType.STRUCT: _struct,
}
# What a value without a schema is taken for; its members have no schema either.
_TAKEN_FOR: Final[Mapping[type, Schema]] = {
    bool: Schema(SchemaType.BOOLEAN),
    int: Schema(SchemaType.INT64),
    float: Schema(SchemaType.FLOAT64),
    str: Schema(SchemaType.STRING),
    bytes: Schema(SchemaType.BYTES),
    list: Schema(SchemaType.ARRAY),
    dict: Schema(SchemaType.MAP),
}


def _json_unknown(value: object, form: JsonFormat) -> str:
    schema = _TAKEN_FOR.get(type(value))
    if schema is None:
        raise stopped(
            DATA_EXCEPTION,
            f"Java class {type(value).__name__} does not have corresponding schema type.",
        )
    return _WRITERS[schema.kind](schema, value, form)


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    if char in _SHORT:
        return _SHORT[char]
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))
