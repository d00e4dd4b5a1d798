"""What a changefeed is asked at level decode: its records in a file, and the schemas beside them.

No Kafka and no registry are needed to answer. The files hold all that a client would receive.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from harness.model.record import Record, SchemaUse

RECORDS = "records.jsonl"
SCHEMAS = "schemas.json"


@dataclass(frozen=True, slots=True)
class GivenRecord:
    """A record at the offset of its partition."""

    offset: int
    record: Record

    def to_json(self) -> dict[str, Any]:
        """Return the record as a line of records.jsonl; bytes are Base64, null is null."""
        record = self.record
        return {
            "topic": record.topic,
            "partition": record.partition,
            "offset": self.offset,
            "timestamp": record.timestamp,
            "key": _text(record.key),
            "value": _text(record.value),
            "headers": [[name, _text(value)] for name, value in record.headers],
        }


@dataclass(frozen=True, slots=True)
class Given:
    """The input of one changefeed; `schemas` are the registry's texts by id, None without one."""

    records: Sequence[GivenRecord]
    schemas: Mapping[int, str] | None = None

    def write(self, directory: Path) -> None:
        """Write the files into a directory that is there; raises OSError when the disk refuses."""
        lines = b"".join(orjson.dumps(one.to_json()) + b"\n" for one in self.records)
        (directory / RECORDS).write_bytes(lines)
        if self.schemas is not None:
            texts = {str(number): text for number, text in sorted(self.schemas.items())}
            (directory / SCHEMAS).write_bytes(orjson.dumps(texts))

    def paths(self, directory: Path) -> tuple[str, str | None]:
        """Return the paths of the records and the schemas, once they are in a directory."""
        schemas = None if self.schemas is None else str(directory / SCHEMAS)
        return str(directory / RECORDS), schemas


def schemas_of(records: Sequence[Record]) -> Mapping[int, str]:
    """Return the schemas that the records name, by the ids in their bytes."""
    return {use.id: use.schema for record in records for use in _uses(record)}


def _uses(record: Record) -> Iterator[SchemaUse]:
    return (use for use in (record.key_schema, record.value_schema) if use is not None)


def _text(part: bytes | None) -> str | None:
    return None if part is None else base64.b64encode(part).decode()
