"""What an Avro vector's registry and encoder had seen before its statement.

A vector is one line of a longer story: statements of its setup made rows that the encoder posted
schemas for. They are replayed as far as posts go: each DML statement touches the subjects of its
table, a DELETE the key's only. A statement that made no row is stated by the vector itself, whose
registry then does not know the schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.codecs.avro.encode import AvroEncoder
from harness.ddl import DML, StatementKind, classify
from harness.errors import EncodingError, SchemaRefused
from harness.model.columns import Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.table import Table
from harness.sources.tidb.mounter import source_table
from harness.truth.avro_reading import session_to_utc
from harness.truth.result import Vector, section
from harness.truth.ticdc_config import default_topic
from harness.truth.ticdc_session import Session, statements
from harness.wire.registry import Compatibility, MemoryRegistry

_NAME = r"(`(?:[^`]|``)+`|\"[^\"]+\"|[^\s.(`\"]+)"
_TARGET = re.compile(
    rf"\s*(?:insert|replace|update|delete)\s+(?:ignore\s+)?(?:(?:into|from)\s+)?"
    rf"{_NAME}(?:\s*\.\s*{_NAME})?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Posts:
    """A registry that remembers what was posted; `refused` counts posts from 0, with their status.

    It judges no compatibility: the one that made the vectors did not either.
    """

    refused: Mapping[int, int] = field(default_factory=dict[int, int])
    known: MemoryRegistry = field(default_factory=lambda: MemoryRegistry(Compatibility.NONE))
    posted: list[tuple[str, str, int | None]] = field(
        default_factory=list[tuple[str, str, int | None]]
    )
    latest: dict[str, str] = field(default_factory=dict[str, str])

    def register(self, subject: str, schema: str) -> int:
        """Return the schema's id; SchemaRefused where the vector's registry refused it."""
        status = self.refused.get(len(self.posted))
        self.latest[subject] = schema
        if status is not None:
            self.posted.append((subject, schema, None))
            raise SchemaRefused(f"the registry answered {status}")
        schema_id = self.known.register(subject, schema)
        self.posted.append((subject, schema, schema_id))
        return schema_id

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; DecodingError for an unknown id."""
        return self.known.schema(schema_id)


class History:
    """The posts of a vector's setup, and the tables as its rows' encoder is given them."""

    def __init__(self, vector: Vector, topics: Mapping[tuple[str, str], str]) -> None:
        """Take the vector, and the topics of the tables that it has rows of."""
        self._vector = vector
        self._topics = topics
        self._known = frozenset(section(vector, "schema_ids").values())
        self._tables: dict[tuple[str, str, int], SourceTable] = {}

    def replay(self, encoder: AvroEncoder) -> None:
        """Let the encoder post what it posted during the setup."""
        session = Session()
        vector = self._vector
        before, seen = statements(vector.get("pre_sql")), statements(vector.get("setup_sql"))
        start = len(before) + len(seen) - _replayed(seen, _steps(vector))
        for number, sql in enumerate(before + seen):
            session, _ = session.run(sql)
            kind = classify(sql)
            watched = number >= start and kind in DML
            table = self._target(session, sql) if watched else None
            if table is not None:
                self._touch(encoder, table, kind)

    def zoned(self, table: SourceTable) -> SourceTable:
        """Return the table with the TIMESTAMP defaults that its session stored: in UTC."""
        identity = (table.table.id.schema, table.table.id.name, table.table.version)
        if identity not in self._tables:
            self._tables[identity] = replace(table, table=_zoned(table.table, self._zone()))
        return self._tables[identity]

    def _zone(self) -> str:
        return str(section(self._vector, "config").get("session_tz") or "+00:00")

    def _target(self, session: Session, sql: str) -> SourceTable | None:
        match = _TARGET.match(sql)
        if match is None:
            return None
        first, second = (_bare(part) for part in match.groups(default=""))
        schema, name = (first, second) if second else (session.schema, first)
        found = session.catalogue.find(schema, name)
        return self.zoned(source_table(found)) if found is not None else None

    def _touch(self, encoder: AvroEncoder, table: SourceTable, kind: StatementKind) -> None:
        name = (table.table.id.schema, table.table.id.name)
        topic = self._topics.get(name) or default_topic(self._vector)
        try:
            texts = encoder.schemas(table, values=kind is not StatementKind.DELETE)
            if all(text in self._known for text in texts):
                encoder.post(topic, table, values=kind is not StatementKind.DELETE)
        except EncodingError:
            # TiCDC failed at this row too; what it had posted before stays posted.
            encoder.post(topic, table, values=False)


def _steps(vector: Vector) -> int:
    """Return how many statements of the same story came before: `story/steps/variant`."""
    parts = str(vector["id"]).split("/")
    return int(parts[-2]) if len(parts) > 1 and parts[-2].isdecimal() else 0


def _replayed(seen: Sequence[str], steps: int) -> int:
    """Return how many of the last statements were steps of the story; a transaction is one step.

    What stands before them was run before the changefeed was looked at.
    """
    replayed = 0
    for _ in range(steps):
        if replayed >= len(seen):
            break
        replayed += 1
        if seen[-replayed].strip().lower() == "commit":
            while replayed < len(seen) and seen[-replayed].strip().lower() != "begin":
                replayed += 1
    return replayed


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name[:1] in '`"' else name


def _zoned(table: Table, zone: str) -> Table:
    return replace(table, columns=tuple(_utc_default(column, zone) for column in table.columns))


def _utc_default(column: Column, zone: str) -> Column:
    default = column.default
    if column.kind is not ColumnKind.TIMESTAMP or default is None or default.text is None:
        return column
    if default.is_expression:
        return column
    return replace(column, default=replace(default, text=session_to_utc(default.text, zone)))
