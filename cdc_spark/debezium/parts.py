"""Bytes of a key or a value -> a document and its schema.

| first bytes | what it is |
| --- | --- |
| 0x00 | Confluent's frame and Avro |
| `{` | JSON: an envelope of exactly `schema` and `payload`, or the payload alone |

An envelope repeats the schema in every message, so schemas are remembered by their text, and only
the payload is read. That is safe because text and payload must each be JSON by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn, cast

import orjson

from cdc_spark.debezium.schema import Schema, from_avro, from_json
from cdc_spark.errors import DecodingError
from cdc_spark.wire import avro
from cdc_spark.wire.confluent import unframe

Schemas = Callable[[int], str]
_OPEN, _CUT = b'{"schema":', b'},"payload":'
_REMEMBERED = 1024
_ENVELOPE = {"schema", "payload"}


@dataclass(frozen=True, slots=True)
class Part:
    """A key or a value; `schema` is None where the bytes bring none."""

    document: dict[str, Any]
    schema: Schema | None = None


class Parts:
    """Reads keys and values; what schemas say is worked out once."""

    def __init__(self, schemas: Schemas) -> None:
        """Take what gives a registered schema's text by its id; it may raise DecodingError."""
        self._schemas = schemas
        self._avro: dict[int, tuple[avro.Prepared, Schema]] = {}
        self._texts: dict[bytes, Schema] = {}

    def read(self, data: bytes, side: str, *, exact: bool = False) -> Part | None:
        """Return a key or a value, None for an envelope of null; raises DecodingError.

        Numbers of JSON that are not whole are doubles, Decimals where they are to be `exact`.
        """
        if data[:1] == b"\0":
            return self._framed(data, side)
        if data.startswith(_OPEN) and not exact:
            found = self._enveloped(data)
            if found is not None:
                return found
        document = _json(data, side, exact=exact)
        if not isinstance(document, dict):
            raise DecodingError(f"the {side} is {str(document)[:40]!r}", expected="a JSON object")
        members = cast("dict[str, Any]", document)
        schema = members.get("schema")
        if set(members) != _ENVELOPE or not (schema is None or type(schema) is dict):
            return Part(members)
        if members["payload"] is None:
            return None
        return _part(members["payload"], from_json(cast("object", schema)))

    def _framed(self, data: bytes, side: str) -> Part:
        schema_id, body = unframe(data, side)
        known = self._avro.get(schema_id)
        if known is None:
            try:
                document: object = json.loads(self._schemas(schema_id))
            except (ValueError, RecursionError) as error:
                raise DecodingError(f"schema {schema_id} is not JSON: {error}") from error
            known = self._avro[schema_id] = (avro.prepared(document), from_avro(document))
        return Part(avro.read(known[0], body, schema_id), known[1])

    def _enveloped(self, data: bytes) -> Part | None:
        cut = data.find(_CUT) + 1
        if not cut:
            return None
        text = data[len(_OPEN) : cut]
        try:
            payload: object = orjson.loads(data[cut + len(_CUT) - 1 : -1])
            schema = self._texts.get(text)
            if schema is None:
                schema = from_json(orjson.loads(text))
                if len(self._texts) < _REMEMBERED:
                    self._texts[text] = schema
        except orjson.JSONDecodeError:
            return None
        if payload is None or not data.endswith(b"}"):
            return None
        return _part(payload, schema)


def _part(payload: object, schema: Schema) -> Part:
    if not isinstance(payload, dict):
        raise DecodingError(f"a payload of {str(payload)[:40]!r}", expected="an object")
    return Part(cast("dict[str, Any]", payload), schema)


def _json(data: bytes, side: str, *, exact: bool) -> object:
    try:
        if exact:
            return exactly(data.decode())
        return cast("object", orjson.loads(data))
    except orjson.JSONDecodeError as error:
        if b"\\u" not in data:
            raise DecodingError(f"the {side} is not JSON: {error}") from error
    try:  # half a surrogate pair, which a connector that truncates columns may leave
        found: object = json.loads(data.decode(), parse_constant=_refused)
        text = json.dumps(found, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return cast("object", json.loads(text.decode("utf-16", "replace")))
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"the {side} is not JSON: {error}") from error


def exactly(text: str) -> object:
    """Return JSON with Decimals for numbers that no machine's number holds exactly."""
    return cast("object", json.loads(text, **_EXACT))


def _whole(digits: str) -> int | Decimal:
    number = int(digits)
    return number if -(1 << 63) <= number < 1 << 64 else Decimal(number)


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_EXACT: dict[str, Any] = {
    "parse_float": Decimal,
    "parse_int": _whole,
    "parse_constant": _refused,
}
