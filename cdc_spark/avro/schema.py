"""A registered schema of TiCDC's, made ready to read rows by.

A column's field names its TiDB type in `connect.parameters`; the extension's and the checksum's
fields name none, which distinguishes a column called `_tidb_op` from the extension.

| tidb_type | Avro | contract JSON |
| --- | --- | --- |
| INT, INT UNSIGNED, BIGINT, YEAR | int, long | the number |
| BIGINT UNSIGNED | long, which wraps, or string | the number |
| FLOAT, DOUBLE | float, double | the number |
| DECIMAL | bytes or string | text with the scale's digits |
| BIT | bytes | the bits as a number |
| BLOB | bytes | hexadecimal |
| ENUM, SET | string | the members' text |
| all others | string | the text |

Source: TiCDC Avro Protocol, §Column data format, §TiDB extension fields; tiflow c7b2588
pkg/sink/codec/avro/avro.go:525.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import orjson

from cdc_spark.avro.values import TYPES, Default, Reader, default_of
from cdc_spark.errors import DecodingError
from cdc_spark.wire import avro

EXTENSION = frozenset(
    {
        "_tidb_op",
        "_tidb_commit_ts",
        "_tidb_commit_physical_time",
        "_tidb_row_level_checksum",
        "_tidb_corrupted",
        "_tidb_checksum_version",
    }
)


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """One schema: whose rows it is of, the library's form, and the columns to be converted.

    `handle` has the columns in the order of identities. `rest` has the members of a payload that
    are the same for all rows of the schema, among them the table's shape: for each column its name,
    its type, and its default if the schema has one.
    """

    schema_id: int
    schema: str
    table: str
    names: tuple[str, ...]
    prepared: avro.Prepared
    converted: tuple[tuple[str, Reader], ...]
    extension: tuple[str, ...]
    handle: tuple[str, ...]
    rest: str

    def read(self, body: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a body's columns in contract JSON, and the fields of the extension."""
        row = avro.read(self.prepared, body, self.schema_id)
        extension = {name: row.pop(name) for name in self.extension}
        for name, reader in self.converted:
            raw = row[name]
            if raw is not None:
                try:
                    row[name] = reader(raw)
                except ValueError as error:
                    raise DecodingError(f"column {name!r}: {error}") from error
        return row, extension


def record_schema(schema_id: int, text: str, moment: Reader | None = None) -> RecordSchema:
    """Return a schema's form; raises DecodingError when it is not one of TiCDC's.

    `moment` reads the TIMESTAMPs of rows where those are not in UTC; defaults always are.
    """
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"schema {schema_id} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DecodingError(f"schema {schema_id} is not a record")
    described = cast("dict[str, Any]", document)
    prepared = avro.prepared(described)
    if described["type"] != "record":
        raise DecodingError(f"schema {schema_id} is not a record")
    columns: list[_Column] = []
    extension: list[str] = []
    for field in described["fields"]:
        if field["name"] in EXTENSION and not _parameters(field["type"]):
            extension.append(field["name"])
        else:
            columns.append(_column(schema_id, field, moment))
    namespace: str = described.get("namespace", "")
    shape = orjson.dumps([one.described() for one in columns])
    return RecordSchema(
        schema_id=schema_id,
        schema=namespace.partition(".")[2],
        table=described["name"],
        names=tuple(column.name for column in columns),
        prepared=prepared,
        converted=tuple((one.name, one.reader) for one in columns if one.reader is not None),
        extension=tuple(extension),
        handle=tuple(sorted(column.name for column in columns)),
        rest=f'"rid":null,"shape":{shape.decode()}',
    )


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    reader: Reader | None
    default: Default

    def described(self) -> list[Any]:
        """Return the column as a shape has it."""
        return (
            [self.name, self.type] if self.default is None else [self.name, self.type, self.default]
        )


def _column(schema_id: int, field: Mapping[str, Any], moment: Reader | None) -> _Column:
    name, branch = field["name"], _branch(field["type"])
    kind = _parameters(branch).get("tidb_type", "")
    avro_type: str = cast("dict[str, Any]", branch)["type"] if isinstance(branch, dict) else branch
    if kind not in TYPES or avro_type not in TYPES[kind].readers:
        raise DecodingError(
            f"schema {schema_id} has a field {name!r} of tidb_type {kind!r} and type {avro_type!r}",
            expected="the types of TiCDC's Avro protocol",
        )
    of = TYPES[kind]
    scale: object = cast("dict[str, Any]", branch).get("scale", 0)
    maker = of.readers[avro_type]
    reader = maker(scale if isinstance(scale, int) else 0) if maker is not None else None
    reader = moment if kind == "TIMESTAMP" else reader
    return _Column(name, of.family, reader, default_of(kind, avro_type, field.get("default")))


def _branch(kind: object) -> Any:  # noqa: ANN401 - a type of a schema
    """Return a field's type, out of its union with null."""
    if isinstance(kind, list):
        branches = [one for one in cast("list[object]", kind) if one != "null"]
        if len(branches) != 1:
            raise DecodingError("a field with a union of more than null and one type")
        return branches[0]
    return kind


def _parameters(kind: object) -> Mapping[str, str]:
    branch = _branch(kind)
    return (
        cast("dict[str, Any]", branch).get("connect.parameters", {})
        if isinstance(branch, dict)
        else {}
    )
