"""`job.json` as it is written: types that are its schema.

docs/reference/schemas/job.schema.json is made of them; docs/reference/consumer-contract.md is its
prose.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from harness.documents.typed import about
from harness.model.columns import ColumnKind
from harness.runner.contract.result_files import VERSION, Text

ABSOLUTE = "^(/|[A-Za-z]:)"
PROPERTIES = ["bootstrap.servers", "isolation.level"]
VALUES = {"additionalProperties": {"type": ["null", "string", "number"]}}
ALL_OF_A_TOPIC = {
    "required": ["name", "canonical", "role", "partitions", "start_offsets", "end_offsets"]
}
Offsets = tuple[Annotated[int, Meta(ge=0)], ...]


class Mode(StrEnum):
    """How a consumer is to run."""

    BOUNDED = "bounded"
    DECODE = "decode"


class Role(StrEnum):
    """What a topic carries."""

    DATA = "data"
    TRANSACTION = "transaction"


class Complete(StrEnum):
    """What a resolved ts promises about events: commit ts at or below it, or strictly below it."""

    AT_OR_BELOW = "at-or-below"
    BELOW = "below"


class KafkaJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Client properties under librdkafka's and under Java's names, and the consumer group."""

    group_id: Annotated[
        Text,
        about("The consumer group of this run, for clients that want one; nobody else uses it."),
    ]
    librdkafka: Annotated[
        Mapping[str, str],
        about("Client properties as librdkafka spells them.", required=PROPERTIES),
    ]
    java: Annotated[
        Mapping[str, str],
        about("Client properties as the Java client spells them.", required=PROPERTIES),
    ]


class RegistryJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The schema registry's base URL and what else its clients must be given."""

    url: Annotated[str, about("Base URL, without a slash at its end.", pattern="^https?://.*[^/]$")]
    properties: Annotated[
        Mapping[str, str],
        about(
            "What else a registry client must be given, under the Java serialiser's names (such as"
            " `basic.auth.user.info`)."
        ),
    ] = {}


class SinkJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The database server that takes the tables, and an account that owns its databases there."""

    host: Text
    port: Annotated[int, Meta(ge=1, le=65535)]
    user: Text
    password: str
    kind: Annotated[Literal["mysql"], about("The protocol that the server speaks.")] = "mysql"


class TopicJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One topic: its name here, the producer's name for it, and offsets by partition."""

    name: Annotated[
        str,
        about(
            "The topic's name on this Kafka; in mode `decode`, without Kafka, its canonical name.",
            pattern="^[A-Za-z0-9._-]{1,249}$",
        ),
    ]
    canonical: Annotated[
        Text,
        about("The name that the producer was configured with. It may not be unique within a job."),
    ]
    start_offsets: Annotated[Offsets, about("The offset to start from, by partition.")]
    end_offsets: Annotated[
        Offsets,
        about(
            "The offset to stop before, by partition. It is a position: the records below it may"
            " have gaps (compaction, transaction markers), and equal to the start offset means that"
            " there is nothing to read."
        ),
    ]
    role: Annotated[
        Role,
        about("`data`: row and DDL events; `transaction`: Debezium's transaction metadata."),
    ] = Role.DATA
    partitions: Annotated[
        int,
        about(
            "The number of partitions; the two lists of offsets have one entry each, by partition.",
            minimum=1,
        ),
    ] = 0

    def __post_init__(self) -> None:
        """Count the partitions."""
        msgspec.structs.force_setattr(self, "partitions", len(self.end_offsets))


class DefaultJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A DEFAULT clause, under the name of its kind."""

    literal: str | UnsetType = UNSET
    expression: str | UnsetType = UNSET
    hex: str | UnsetType = UNSET


class ColumnJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column as the database declares it."""

    name: Text
    type: Annotated[
        ColumnKind,
        about("The MySQL type without length or attributes, in lower case.", enum=list(ColumnKind)),
    ]
    length: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        about(
            "The declared length: characters, bytes, bits, digits (decimal), display width or"
            " dimensions. Null when none was declared."
        ),
    ]
    scale: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        about(
            "Digits after the point: a decimal's scale or the fractional seconds of date and time"
            " types. Null when none were declared."
        ),
    ]
    unsigned: bool
    nullable: bool
    members: Annotated[
        tuple[str, ...], about("The members of an enum or set, in order; else empty.")
    ]
    default: Annotated[
        DefaultJob | None,
        about(
            "The DEFAULT clause: a literal's text, an expression's SQL, or the lower-case"
            " hexadecimal digits of a bit or hexadecimal literal. Null for none and for DEFAULT"
            " NULL.",
            minProperties=1,
            maxProperties=1,
        ),
    ]


class TableJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that exists at the start offsets."""

    schema: Annotated[Text, about("The database.")]
    name: Text
    key: Annotated[
        tuple[str, ...],
        about(
            "The columns that identify a row, in key order; empty for a table without a key, which"
            " is a multiset of rows."
        ),
    ]
    columns: Annotated[
        tuple[ColumnJob, ...],
        about(
            "All columns that are ever sent, in table order; virtual generated columns are left"
            " out.",
            minItems=1,
        ),
    ]
    rows: Annotated[
        tuple[Annotated[Mapping[str, Any], Meta(extra_json_schema=VALUES)], ...],
        about("The rows at the start offsets, column name to value; values as in results."),
    ]


class ChangefeedFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One stream to consume, as in job.json."""

    id: Annotated[
        Text,
        about(
            "A name without meaning, for logs and messages; unique within the job, and another one"
            " in each run."
        ),
    ]
    dir: Annotated[
        str,
        about(
            "Name of this changefeed's result directory below out_dir; it exists already.",
            pattern="^[A-Za-z0-9_-]{1,64}$",
        ),
    ]
    protocol: Annotated[
        str,
        about(
            "What is on the topics: `open` (TiCDC Open Protocol), `avro` (TiCDC Avro) or `vitess`"
            " (Debezium's Vitess connector). Answer one that you do not know with the status"
            " `not-applicable`, needs `protocol:<name>`.",
            pattern="^[a-z][a-z0-9-]*$",
        ),
    ]
    dialect: Annotated[
        Text,
        about(
            "Which version of the protocol where versions differ; `current` unless the scenario"
            " asks for another."
        ),
    ]
    complete: Annotated[
        Complete | None,
        about(
            "What a resolved ts promises: `at-or-below` (every event with commit ts <= it has been"
            " sent) or `below` (commit ts < it). Null where the protocol has no resolved ts."
        ),
    ]
    settings: Annotated[
        Mapping[str, Any],
        about(
            "The producer's settings that are not the vendor's defaults, under the vendor's own"
            " names."
        ),
    ]
    topics: Annotated[
        tuple[Annotated[TopicJob, Meta(extra_json_schema=ALL_OF_A_TOPIC)], ...],
        about("The Kafka topics of this changefeed.", minItems=1),
    ]
    tables: Annotated[
        tuple[TableJob, ...],
        about(
            "The tables that exist at the start offsets. Tables created later arrive on the topics."
        ),
    ]
    large_messages: Annotated[
        str | UnsetType,
        about(
            "There where the producer's `large-message-handle-option` is not `none`: a directory"
            " that takes the place of what such messages point to. Under `claim-check` it holds the"
            " files, by the last part of the place that a message's `ccl` names. Under"
            " `handle-key-only` its `rows.jsonl` answers what the upstream would be asked: one line"
            " a row, with `schema`, `table`, `commit_ts` (decimal text), `key` (the handle's"
            " columns) and `row` (all columns), values as in result tables. A consumer that does"
            " not read it answers with the status `not-applicable`, needs"
            " `large-message-handle:<option>`.",
            pattern=ABSOLUTE,
        ),
    ] = UNSET
    databases: Annotated[
        Mapping[str, Annotated[str, Meta(pattern="^[A-Za-z0-9_]{1,64}$")]] | UnsetType,
        about(
            "There with a sink: for each schema of the upstream the database of the sink that takes"
            " its tables.",
            minProperties=1,
        ),
    ] = UNSET
    records: Annotated[
        str | UnsetType,
        about(
            "There in mode `decode`: the path of a file with one record a line"
            " (record.schema.json), in the order in which they were sent.",
            pattern=ABSOLUTE,
        ),
    ] = UNSET
    schemas: Annotated[
        str | UnsetType | None,
        about(
            "There in mode `decode`: the path of a JSON object with the text of each schema that"
            " the records name, by its id in decimal; null where they name none.",
            pattern=ABSOLUTE,
        ),
    ] = UNSET


class JobFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the harness asks of a consumer.

    The path of this document is in the environment variable HARNESS_JOB.
    """

    schema_keywords: ClassVar = {"title": f"job.json, {VERSION}"}

    contract: Annotated[
        Literal[1],
        about(
            "The version of the contract. Keys may be added within a version; ignore those that you"
            " do not know."
        ),
    ]
    mode: Annotated[
        Mode,
        about(
            "`bounded`: consume every partition from its start offset up to its end offset, then"
            " exit. `decode`: there is no Kafka; decode the records that each changefeed is given"
            " in a file, then exit. Answer a mode that you do not know with the status"
            " `not-applicable`, needs `mode:<name>`."
        ),
    ]
    deadline_s: Annotated[
        float,
        about(
            "Seconds after its start at which the command, and all that it started, is stopped.",
            exclusiveMinimum=0,
        ),
    ]
    work_dir: Annotated[
        str,
        about(
            "Absolute path of the directory in which the command starts: empty the first time, and"
            " kept for a restart. Checkpoints belong here.",
            pattern=ABSOLUTE,
        ),
    ]
    out_dir: Annotated[
        str,
        about(
            "Absolute path of the directory that holds one result directory a changefeed.",
            pattern=ABSOLUTE,
        ),
    ]
    kafka: Annotated[
        KafkaJob | None,
        about(
            "How to reach Kafka: the same properties under the names of the two families of"
            " clients. Take one of the maps as it is. Null in mode `decode`."
        ),
    ]
    registry: Annotated[
        RegistryJob | None,
        about(
            "The schema registry (Confluent's API), or null when no changefeed needs one.",
            required=["url", "properties"],
        ),
    ]
    sink: Annotated[
        SinkJob | UnsetType | None,
        about(
            "The database server that takes the tables, for a consumer whose manifest says"
            " `result: {in: database}`; else null. The account may do anything in the databases"
            " that the changefeeds name, and nothing elsewhere.",
            required=["kind", "host", "port", "user", "password"],
        ),
    ] = UNSET
    changefeeds: Annotated[
        tuple[ChangefeedFile, ...],
        about(
            "The streams to consume. Topics, timeline and errors of one are no business of the"
            " others.",
            minItems=1,
        ),
    ]
