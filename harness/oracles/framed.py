"""Avro messages with Confluent's frame: the frame off, the schema it names in its place.

An id is a registry's own choice, the schema behind it is not. The body's bytes are compared as they
are; of times that a clock gave it is known where they stand, at the end of a record.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import fastavro

from harness.codecs.avro.varint import varint
from harness.codecs.connect.partitioner import partition_for
from harness.codecs.debezium.emitter import LATER
from harness.errors import DecodingError
from harness.oracles.compare import Message
from harness.oracles.freedoms import PROCESSING_TIME, SECOND_NS, UNITS
from harness.wire.confluent import HEADER_SIZE, confluent_frame, confluent_unframe

OPTIONAL: Final = b"\x02"  # the second branch of ["null", …]
TIMES: Final = tuple(f"ts_{unit.decode()}" for unit in UNITS)

SchemaOf = Callable[[int], str]


class Frames:
    """Frames taken off a registry's messages; which schema has which id there is remembered."""

    def __init__(self, schema_of: SchemaOf) -> None:
        """Take what returns a schema's text by its id."""
        self._schema_of = schema_of
        self._ids: dict[str, int] = {}

    def unframed(self, message: Message) -> Message:
        """Return a message without its frames, with the schemas that they name."""
        key, key_schema = self._unframed(message.key)
        value, value_schema = self._unframed(message.value)
        return replace(
            message, key=key, value=value, key_schema=key_schema, value_schema=value_schema
        )

    def placed(self, ours: Message, partitions: int) -> Message:
        """Return our message without frames, in the partition that it has under the registry's ids.

        A producer hashes a key with its frame, so that a schema's id decides too. A message that
        was put where it is by other means stays there.
        """
        bare = without_frame(ours)
        known = self._ids.get(bare.key_schema or "")
        if bare.key is None or known is None or ours.key is None:
            return bare
        if ours.partition != partition_for(ours.key, partitions):
            return bare
        return replace(bare, partition=partition_for(confluent_frame(known, bare.key), partitions))

    def _unframed(self, content: bytes | None) -> tuple[bytes | None, str | None]:
        number = schema_id(content)
        if content is None or number is None:
            return content, None
        schema = canonical(self._schema_of(number))
        assert schema is not None
        self._ids[schema] = number
        return content[HEADER_SIZE:], schema


def schema_id(content: bytes | None) -> int | None:
    """Return the id of the schema that a frame names; None for what has no frame."""
    try:
        return None if content is None else confluent_unframe(content)[0]
    except DecodingError:
        return None


def without_frame(message: Message) -> Message:
    """Return one of our messages, whose schemas are known, without the frames."""
    return replace(
        message,
        key=_body(message.key, message.key_schema),
        value=_body(message.value, message.value_schema),
        key_schema=canonical(message.key_schema),
        value_schema=canonical(message.value_schema),
    )


def _body(content: bytes | None, schema: str | None) -> bytes | None:
    return content if content is None or schema is None else content[HEADER_SIZE:]


def canonical(schema: str | None) -> str | None:
    """Return a schema's text without regard to blanks; the order of its keys stays."""
    return None if schema is None else json.dumps(json.loads(schema), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class AvroProcessingTime:
    """`ProcessingTime` in an Avro body: the times that stand at the end of a record."""

    began_ns: int
    ended_ns: int
    name: str = PROCESSING_TIME

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with the times that theirs was handled at."""
        if None in {ours.value, ours.value_schema, theirs.value, theirs.value_schema}:
            return ours
        assert ours.value is not None and ours.value_schema is not None  # noqa: PT018 - for mypy
        assert theirs.value is not None and theirs.value_schema is not None  # noqa: PT018 - likewise
        mine = _last_times(ours.value, ours.value_schema)
        yours = _last_times(theirs.value, theirs.value_schema)
        if not mine or not yours or [one.name for one in mine] != [one.name for one in yours]:
            return ours
        of_clock = all(one.number % (SECOND_NS // one.unit) == LATER // one.unit for one in mine)
        in_run = all(
            self.began_ns <= (one.number + 1) * one.unit and one.number * one.unit <= self.ended_ns
            for one in yours
        )
        tail, new = (b"".join(one.text for one in side) for side in (mine, yours))
        if not (of_clock and in_run and ours.value.endswith(tail)):
            return ours
        return replace(ours, value=ours.value.removesuffix(tail) + new)


@dataclass(frozen=True, slots=True)
class _Time:
    name: str
    number: int
    text: bytes

    @property
    def unit(self) -> int:
        return UNITS[self.name[-2:].encode()]


def _last_times(body: bytes, schema: str) -> Sequence[_Time]:
    """Return the times at the end of a record, in their order, as they are written."""
    fields: list[dict[str, Any]] = json.loads(schema).get("fields", [])
    record = _read(body, schema)
    found: list[_Time] = []
    for field in reversed(fields):
        number = record.get(str(field["name"]))
        if field["name"] not in TIMES or not isinstance(number, int):
            break
        optional = isinstance(field["type"], list)
        found.append(_Time(field["name"], number, (OPTIONAL if optional else b"") + varint(number)))
    return found[::-1]


def _read(body: bytes, schema: str) -> dict[str, Any]:
    try:
        datum: Any = vars(fastavro)["schemaless_reader"]  # its own types are partly unknown
        read: Any = datum(io.BytesIO(body), parsed(schema), None)
    except (ValueError, EOFError, IndexError, KeyError, OverflowError):
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}


def parsed(schema: str) -> Any:  # noqa: ANN401 - as fastavro has it
    """Return a schema that is read as the bytes and numbers it holds, those of no time too."""
    return fastavro.parse_schema(json.loads(schema, object_hook=_without_logical_type))


def _without_logical_type(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "logicalType"}
