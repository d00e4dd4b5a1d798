"""JSON bytes, with schemas or without.

Source: Kafka 4.1 connect-json `JsonConverter.toConnectData`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, cast

import orjson

from harness.codecs.connect.decode_document import ConnectDocument, Document, Semantic, inner, shown
from harness.errors import DecodingError

_ENVELOPE: Final = {"schema", "payload"}
# Deeper than any schema of the connector; a bomb is refused before it is walked.
_DEEPEST: Final = 32


def json_part(data: bytes, *, schemas: bool, exact: bool = False) -> ConnectDocument | None:
    """Return a key or a value, None for an envelope's null; DecodingError for malformed bytes.

    With `exact` numbers keep all of their digits, as Decimals under `decimal.format` NUMERIC need.
    """
    document = _parsed(data, exact=exact)
    semantic = None
    if schemas:
        if set(document) != _ENVELOPE:
            raise DecodingError(
                f"a message with {shown(sorted(document))}",
                expected="`schema` and `payload`, nothing else",
                hint="without schemas? then `schemas.enable` is false",
            )
        if document["payload"] is None:
            return None
        semantic = _semantic(document["schema"], _DEEPEST)
        document = inner(document, "payload")
    return ConnectDocument(document, data.decode(), semantic)


def _parsed(data: bytes, *, exact: bool) -> Document:
    document: object
    try:
        document = _read(data, parse_float=Decimal) if exact else orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if b"\\u" not in data:
            raise DecodingError(f"not JSON: {error}") from error
        # Half a surrogate pair, as a truncated column may have one.
        document = _read(data)
    if not isinstance(document, dict):
        raise DecodingError(f"{shown(document)} is not a JSON object")
    return cast("dict[str, Any]", document)


def _read(data: bytes, parse_float: Callable[[str], object] = float) -> object:
    try:
        return json.loads(data.decode(), parse_float=parse_float, parse_constant=_no_json)
    except (ValueError, RecursionError) as problem:
        raise DecodingError(f"not JSON: {problem}") from problem


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


def _semantic(schema: object, depth: int) -> Semantic:
    if not depth:
        raise DecodingError("a schema that is nested too deeply")
    if not isinstance(schema, dict):
        raise DecodingError("a schema that is not an object")
    fields = cast("dict[str, Any]", schema)
    word, name = fields.get("type"), fields.get("name", "")
    parameters, members = fields.get("parameters", {}), fields.get("fields", [])
    if not isinstance(word, str) or not isinstance(name, str):
        raise DecodingError(f"a schema with type {shown(word)} and name {shown(name)}")
    if not isinstance(parameters, dict) or not isinstance(members, list):
        raise DecodingError("a schema whose parameters or fields are of the wrong shape")
    inside: dict[str, Semantic] = {}
    for member in cast("list[object]", members):
        of = _semantic(member, depth - 1)
        label = cast("dict[str, Any]", member).get("field")
        if not isinstance(label, str):
            raise DecodingError(f"a field called {shown(label)}")
        inside[label] = of
    texts = {k: v for k, v in cast("dict[str, Any]", parameters).items() if isinstance(v, str)}
    return Semantic(word, name, texts, inside)
