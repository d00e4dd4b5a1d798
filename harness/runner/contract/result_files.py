"""What the files of a result directory hold, and the records that a consumer is given in a file.

Unknown keys of what a consumer writes are ignored, and null is as good as absent where a key may be
absent. A test holds the schemas made of these types equal to docs/reference/schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from harness.documents.typed import about
from harness.model.change import Op
from harness.model.decoded import EventKind

VERSION = "consumer contract version 1"
BYTES = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
Text = Annotated[str, Meta(min_length=1)]
Row = dict[str, Any]


class Whole(int):
    """A whole number from zero; JSON may write it with a point and zeros."""

    schema_keywords: ClassVar = {"type": "integer", "minimum": 0}


class Timestamp(int):
    """A commit ts, in decimal text or as a number."""

    schema_keywords: ClassVar = {
        "type": ["string", "integer"],
        "pattern": "^(0|[1-9][0-9]{0,19})$",
        "minimum": 0,
    }


class Code(int):
    """A whole number."""

    schema_keywords: ClassVar = {"type": "integer"}


class Message(msgspec.Struct, frozen=True):
    """Where a message lies. Unknown keys are ignored."""

    topic: Annotated[Text, about("The topic's name or its canonical name, as in job.json.")]
    partition: Annotated[Whole, about("The message's partition.")]
    offset: Annotated[Whole, about("The message's offset.")]


class Status(msgspec.Struct, frozen=True):
    """How a consumer ended one changefeed.

    Written last: it says that the other result files are whole. Unknown keys are ignored.
    """

    schema_keywords: ClassVar = {
        "title": f"status.json, {VERSION}",
        "allOf": [
            {
                "if": {"properties": {"status": {"const": status}}},
                "then": {"required": [needed]},
            }
            for status, needed in (("not-applicable", "needs"), ("error", "error"))
        ],
    }

    status: Annotated[
        str,
        about(
            "`done`: the tables are what was reached. `not-applicable`: the consumer does not claim"
            " to handle this; say what it lacks under `needs`. `error`: it gave up; say why under"
            " `error`.",
            enum=["done", "not-applicable", "error"],
        ),
    ]
    needs: Annotated[Text, about("The capability that is missing, such as `protocol:avro`.")] = ""
    error: Annotated[Text, about("What went wrong, for a person to read.")] = ""
    messages: Annotated[
        tuple[Message, ...],
        about("With `error`: the messages that it could not read and at which it gave up."),
    ] = ()


class EventLine(msgspec.Struct, frozen=True):
    """One row event, in the order in which the consumer applied them. Unknown keys are ignored."""

    schema_keywords: ClassVar = {
        "title": f"One line of events.jsonl, {VERSION}",
        "allOf": [
            {"if": {"properties": {"op": {"const": op}}}, "then": {"properties": images}}
            for op, images in (
                ("insert", {"before": {"type": "null"}, "after": {"type": "object"}}),
                ("update", {"after": {"type": "object"}}),
                ("delete", {"before": {"type": "object"}, "after": {"type": "null"}}),
            )
        ],
    }

    op: Annotated[Op, about("What the event did to the table.", enum=list(Op))]
    schema: Annotated[Text, about("The database.")]
    table: Text
    before: Annotated[
        Row | None,
        about(
            "The row before, as far as the event has it: null for an insert, at least the key for"
            " a delete."
        ),
    ]
    after: Annotated[Row | None, about("The row after: null for a delete.")]
    commit_ts: Annotated[
        Timestamp | None,
        about(
            "The commit ts in decimal; text, because many JSON libraries round numbers of this"
            " size. Null or absent when the protocol has none."
        ),
    ] = None
    topic: Annotated[Text | None, about("The topic's name as in job.json.")] = None
    partition: Whole | None = None
    offset: Whole | None = None


class DdlLine(msgspec.Struct, frozen=True):
    """One DDL statement that the consumer executed, in order, once. Unknown keys are ignored."""

    schema_keywords: ClassVar = {"title": f"One line of ddl.jsonl, {VERSION}"}

    query: Annotated[Text, about("The statement as it arrived.")]
    schema: Annotated[str, about("The database that the event names; empty when it names none.")]
    type: Annotated[
        Whole | None,
        about(
            "The protocol's type code (TiDB's action type). Null or absent when the protocol has"
            " none."
        ),
    ] = None
    table: Annotated[
        str | None,
        about(
            "The table that the event names; empty, null or absent for a statement about a"
            " database."
        ),
    ] = None
    commit_ts: Annotated[Timestamp | None, about("As in events.jsonl.")] = None


ROW_EVENTS = ["insert", "update", "upsert", "delete"]


class DecodedLine(msgspec.Struct, frozen=True):
    """One event of one message.

    They are in the order of records.jsonl and, within a message, of the message. Unknown keys are
    ignored.
    """

    schema_keywords: ClassVar = {
        "title": f"One line of events.jsonl at level decode, {VERSION}",
        "allOf": [
            {
                "if": {"properties": {"op": {"enum": ROW_EVENTS}}},
                "then": {
                    "required": ["schema", "table", "before", "after"],
                    "properties": {
                        name: {"type": "string", "minLength": 1} for name in ("schema", "table")
                    },
                },
            },
            {
                "if": {"properties": {"op": {"const": "ddl"}}},
                "then": {"required": ["query"], "properties": {"query": {"type": "string"}}},
            },
        ],
    }

    op: Annotated[
        EventKind,
        about(
            "What the event says. `upsert`: the message does not say whether it is an insert or an"
            " update; either word is accepted, too.",
            enum=list(EventKind),
        ),
    ]
    topic: Annotated[Text, about("The message's topic as in records.jsonl.")]
    partition: Whole
    offset: Whole
    schema: Annotated[str | None, about("The database, for a row or a DDL event.")] = None
    table: str | None = None
    before: Annotated[
        Row | None,
        about(
            "The columns of the old row that the message has; for a delete whose message has no"
            " more than its key, those."
        ),
    ] = None
    after: Annotated[Row | None, about("The columns of the new row that the message has.")] = None
    commit_ts: Annotated[
        Timestamp | None,
        about(
            "The commit ts, or the resolved ts, in decimal text; null or absent where the message"
            " has none."
        ),
    ] = None
    query: Annotated[str | None, about("A DDL event's statement as it is in the message.")] = None
    type: Annotated[Code | None, about("A DDL event's type.")] = None


class DeadLetterLine(msgspec.Struct, frozen=True):
    """One message that the consumer could not read and set aside. Unknown keys are ignored."""

    schema_keywords: ClassVar = {"title": f"One line of dead-letters.jsonl, {VERSION}"}

    topic: Annotated[Text, about("The topic's name or its canonical name, as in job.json.")]
    partition: Annotated[Whole, about("The message's partition.")]
    offset: Annotated[Whole, about("The message's offset.")]
    error: Annotated[
        str | None,
        about("What is wrong with it, for a person to read. Null or absent when not said."),
    ] = None


class TableName(msgspec.Struct, frozen=True):
    """The table that a file under tables/ holds, where the file is not named after it."""

    schema: Text
    name: Text


class RecordLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One Kafka message that is given at level decode, in the order in which it was sent.

    Keys may be added within a version; ignore those that you do not know.
    """

    schema_keywords: ClassVar = {"title": f"One line of records.jsonl, {VERSION}"}

    topic: Annotated[Text, about("The topic's canonical name.")]
    partition: Whole
    offset: Whole
    timestamp: Annotated[
        Code | None, about("Milliseconds since 1970; null where the broker's clock would say.")
    ]
    key: Annotated[
        str | None,
        about("The key's bytes in Base64, with padding; null for none.", pattern=BYTES),
    ]
    value: Annotated[
        str | None,
        about("The value's bytes in Base64, with padding; null for none.", pattern=BYTES),
    ]
    headers: Annotated[
        list[tuple[str, Annotated[str | None, about("The bytes in Base64.", pattern=BYTES)]]],
        about("Name and bytes of each header, in order; names may repeat."),
    ]


# Each type with a document of its own -> the name of its schema.
NAMES: Mapping[Any, str] = {
    Status: "status",
    EventLine: "event",
    DdlLine: "ddl",
    DecodedLine: "decoded",
    DeadLetterLine: "dead-letter",
    dict[str, TableName]: "tables",
    RecordLine: "record",
}
