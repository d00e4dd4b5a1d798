"""What two right producers write differently about one scenario's SQL, each with its reason.

Both sides are brought into one form, then compared byte for byte. A commit ts becomes its rank
among the recording's: so the order of transactions, and which rows are of one, is compared still.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import fastavro
from fastavro.schema import SchemaParseException

from harness.codecs.avro.decode import CHECKPOINT, DDL
from harness.codecs.avro.names import COMMIT_TS, PHYSICAL_TIME
from harness.codecs.open.decode import RESOLVED as OPEN_RESOLVED
from harness.errors import DecodingError
from harness.oracles.compare import Message
from harness.oracles.framed import canonical, parsed
from harness.oracles.freedoms import RUN_ID, RUN_ID_HEADER, around_id
from harness.oracles.vitess.lock import VERSIONS
from harness.sources.clock import LOGICAL_BITS
from harness.wire.confluent import HEADER_SIZE
from harness.wire.framing import unframe

COMMIT: Final = "commit-ts"
RESOLVED: Final = "resolved-events"
BATCHES: Final = "batching"
TABLES: Final = "tables-side-by-side"
TOPIC: Final = "topic-name"
SCHEMA_ID: Final = "schema-id"
POSITION: Final = "gtids"
CLOCK: Final = "clock-times"
RELEASE: Final = "connector-version"
REASONS: Final[Mapping[str, str]] = {
    COMMIT: "Each cluster's PD counts its own time: a ts is compared by its rank in the recording.",
    RESOLVED: "A timer sends resolved events: that each lies behind the rows before it is checked.",
    BATCHES: "How many events a message holds depends on when they come: events are compared.",
    TABLES: "A sink sends tables side by side: each one's events keep their order.",
    TOPIC: "A recording with one topic may have any name for it.",
    SCHEMA_ID: "A registry counts its schemas as they come; the schemas behind ids are compared.",
    POSITION: "Each server has a UUID of its own and counts its own transactions: GTIDs are "
    "compared by their ranks in the recording.",
    RELEASE: "A connector's release is compared in the dialect that stands for it.",
    RUN_ID: "From 3.4.0 on the last header is a random id of the run.",
    CLOCK: "Times that a server's or a connector's clock gave are no part of the SQL.",
}
TS: Final = re.compile(rb'("ts"|"commitTs"):(\d{1,20})')
GTID: Final = re.compile(rb"MySQL56/([0-9a-f-]{36}):1-(\d{1,20})")
TIME: Final = re.compile(rb'("ts_(?:ms|us|ns)"):\d+')
VERSION: Final = re.compile(rb'"version":"(\d{1,4})\.(\d{1,4})[\w.-]*"(?=,"connector":"vitess")')
UNFIT: Final = (
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    RecursionError,
    SchemaParseException,
)


@dataclass(slots=True)
class Alike:
    """Messages in the common form, the freedoms that this took, and what is wrong in itself."""

    messages: list[Message] = field(default_factory=list[Message])
    freedoms: set[str] = field(default_factory=set[str])
    wrong: list[str] = field(default_factory=list[str])


def open_form(messages: Iterable[Message]) -> Alike:
    """Return the events of Open messages, one message each, in a lane of its table's own."""
    found = Alike()
    reached: dict[tuple[str, int], int] = {}
    for message in messages:
        try:
            pairs = unframe(message.key or b"", message.value or b"")
            heads = [_head(key) for key, _ in pairs]
        except DecodingError as error:
            found.wrong.append(f"{message.topic}/{message.partition}: {error.what}")
            continue
        if len(pairs) > 1:
            found.freedoms.add(BATCHES)
        for (key, value), head in zip(pairs, heads, strict=True):
            ts: int = head["ts"]
            if head.get("t") == OPEN_RESOLVED:
                found.freedoms.add(RESOLVED)
                reached[message.place] = max(reached.get(message.place, 0), ts)
                continue
            if ts <= reached.get(message.place, 0):
                found.wrong.append(
                    f"{message.topic}/{message.partition}: an event of ts {ts} behind the "
                    f"resolved event {reached[message.place]}"
                )
            found.messages.append(_in_lane(message, key, value, head))
    _side_by_side(found)
    return _ranked(found)


def avro_form(messages: Iterable[Message]) -> Alike:
    """Return Avro messages without frames, the schemas that these name beside them."""
    found = Alike()
    for message in messages:
        if message.key is None and message.value and message.value[0] == CHECKPOINT:
            found.freedoms.add(RESOLVED)
        elif message.key is None and message.value and message.value[0] == DDL:
            found.messages.append(message)
        else:
            found.freedoms.add(SCHEMA_ID)
            found.messages.append(
                replace(
                    message,
                    key=None if message.key is None else message.key[HEADER_SIZE:],
                    value=None if message.value is None else message.value[HEADER_SIZE:],
                    key_schema=canonical(message.key_schema),
                    value_schema=canonical(message.value_schema),
                )
            )
    return _ranked(found)


def vitess_form(messages: Iterable[Message]) -> Alike:
    """Return a connector's JSON messages with ranks for GTIDs, no clock's times, no release."""
    found = Alike(freedoms={CLOCK, POSITION})
    whole = list(messages)
    servers: dict[bytes, int] = {}
    numbers: dict[bytes, set[int]] = {}
    for message in whole:
        for part in (message.key, message.value):
            for one in GTID.finditer(part or b""):
                servers.setdefault(one[1], len(servers))
                numbers.setdefault(one[1], set()).add(int(one[2]))
    ranks = {server: sorted(held) for server, held in numbers.items()}

    def gtid(one: re.Match[bytes]) -> bytes:
        return b"MySQL56/server%d:%d" % (servers[one[1]], ranks[one[1]].index(int(one[2])))

    for message in whole:
        key, value = (
            None if part is None else TIME.sub(rb"\1:0", GTID.sub(gtid, part))
            for part in (message.key, message.value)
        )
        value, releases = VERSION.subn(b'"version":""', value or b"")
        headers = tuple(_without_run(*header) for header in message.headers)
        found.freedoms |= {RELEASE} if releases else set()
        found.freedoms |= {RUN_ID} if headers != message.headers else set()
        alike = replace(message, key=key, headers=headers)
        found.messages.append(replace(alike, value=None if message.value is None else value))
    return found


def _without_run(name: str, value: bytes | None) -> tuple[str, bytes | None]:
    around = around_id(value) if name == RUN_ID_HEADER else None
    return name, value if around is None else around


def dialect_of(messages: Iterable[Message]) -> str | None:
    """Return the dialect of the release that a connector's messages name; None if none does.

    A release that is not in the table has the dialect of the one before it.
    """
    named = (VERSION.search(one.value or b"") for one in messages)
    numbers = [(int(one[1]), int(one[2])) for one in named if one is not None]
    before = [
        dialect
        for release, dialect in VERSIONS.items()
        if numbers and _minor(release) <= max(numbers[0], _minor(next(iter(VERSIONS))))
    ]
    return before[-1] if before else None


def _minor(release: str) -> tuple[int, int]:
    major, minor, *_ = release.split(".")
    return int(major), int(minor)


FORMS: Final[Mapping[str, Callable[[Iterable[Message]], Alike]]] = {
    "open": open_form,
    "avro": avro_form,
    "vitess": vitess_form,
}


def _head(key: bytes) -> dict[str, Any]:
    """Return an event's key, which has a ts at least; DecodingError for what is none."""
    try:
        head = cast("dict[str, Any]", json.loads(key))
        if type(head["ts"]) is int:
            return head
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise DecodingError(f"a key that is no event's: {key[:60]!r}")


def _in_lane(message: Message, key: bytes, value: bytes, head: Mapping[str, Any]) -> Message:
    table = f"{head.get('scm', '')}.{head.get('tbl', '')}"
    return replace(message, topic=f"{message.topic} {table}", key=key, value=value)


def _side_by_side(found: Alike) -> None:
    lanes: dict[tuple[str, int], set[str]] = {}
    for message in found.messages:
        topic = message.topic.partition(" ")[0]
        lanes.setdefault((topic, message.partition), set()).add(message.topic)
    if any(len(tables) > 1 for tables in lanes.values()):
        found.freedoms.add(TABLES)


def _ranked(found: Alike) -> Alike:
    """Put each commit ts's rank in its place, wherever a message has it."""
    known = sorted({ts for message in found.messages for ts in _stamps(message)})
    ranks = {ts: rank for rank, ts in enumerate(known)}
    if ranks:
        found.freedoms.add(COMMIT)
    found.messages = [_with_ranks(message, ranks) for message in found.messages]
    return found


def _stamps(message: Message) -> Iterator[int]:
    for part in _texts(message):
        yield from (int(one[2]) for one in TS.finditer(part))
    body = _body(message)
    if COMMIT_TS in body:
        yield int(body[COMMIT_TS])


def _texts(message: Message) -> Sequence[bytes]:
    """Return the parts that say a ts as text: an Open event's key, an Avro stream's DDL."""
    if message.key_schema or message.value_schema:
        return ()
    if message.key is None:
        return (message.value or b"",)
    return (message.key,)


def _with_ranks(message: Message, ranks: Mapping[int, int]) -> Message:
    def rank(one: re.Match[bytes]) -> bytes:
        return b"%b:%d" % (one[1], ranks[int(one[2])])

    body = _body(message)
    if COMMIT_TS in body and message.value_schema is not None:
        ts = int(body[COMMIT_TS])
        if body.get(PHYSICAL_TIME) == ts >> LOGICAL_BITS:
            body = body | {PHYSICAL_TIME: 0}
        return replace(message, value=_written(body | {COMMIT_TS: ranks[ts]}, message.value_schema))
    if not _texts(message):
        return message
    if message.key is None:
        return replace(message, value=TS.sub(rank, message.value or b""))
    return replace(message, key=TS.sub(rank, message.key))


def _body(message: Message) -> dict[str, Any]:
    """Return a value's record, none if it has no schema or is not written as we would."""
    if message.value is None or message.value_schema is None:
        return {}
    try:
        read: Any = vars(fastavro)["schemaless_reader"]  # its own types are partly unknown
        schema = parsed(message.value_schema)
        body = cast("dict[str, Any]", read(io.BytesIO(message.value), schema, None))
        same = _written(body, message.value_schema) == message.value
    except UNFIT:
        return {}
    return body if same else {}


def _written(body: Mapping[str, Any], schema: str) -> bytes:
    out = io.BytesIO()
    write: Any = vars(fastavro)["schemaless_writer"]
    write(out, parsed(schema), body)
    return out.getvalue()
