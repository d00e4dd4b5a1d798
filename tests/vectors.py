"""What the vendor's own encoder was given and what it emitted, as our values.

A line's `rows` are the row changes as TiCDC's mounter saw them, `events` the messages. What updates
the sink splits in two follows from the columns' own flags (tiflow c7b2588 model/sink.go:1187), and
must agree with what the line says was dispatched.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from harness.model.change import Op, RowChanged
from harness.model.columns import CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.mounted import MountedRow, MountedTable
from harness.model.record import Origin
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Row, Value
from harness.upstream.split import split_updates
from harness.upstream.store import NetChange
from tests.strategies import narrow

Vector = Mapping[str, Any]
SUBSET = Path(__file__).parents[1] / "golden" / "truth" / "ticdc"
BINARY, HANDLE, PRIMARY, UNIQUE, NULLABLE, UNSIGNED = 1, 2, 8, 16, 64, 128
KINDS: Mapping[int, ColumnKind | tuple[ColumnKind, ColumnKind]] = {
    1: ColumnKind.TINYINT,
    2: ColumnKind.SMALLINT,
    3: ColumnKind.INT,
    4: ColumnKind.FLOAT,
    5: ColumnKind.DOUBLE,
    7: ColumnKind.TIMESTAMP,
    8: ColumnKind.BIGINT,
    9: ColumnKind.MEDIUMINT,
    10: ColumnKind.DATE,
    11: ColumnKind.TIME,
    12: ColumnKind.DATETIME,
    13: ColumnKind.YEAR,
    15: (ColumnKind.VARCHAR, ColumnKind.VARBINARY),
    16: ColumnKind.BIT,
    225: ColumnKind.VECTOR,
    245: ColumnKind.JSON,
    246: ColumnKind.DECIMAL,
    247: ColumnKind.ENUM,
    248: ColumnKind.SET,
    249: (ColumnKind.TINYTEXT, ColumnKind.TINYBLOB),
    250: (ColumnKind.MEDIUMTEXT, ColumnKind.MEDIUMBLOB),
    251: (ColumnKind.LONGTEXT, ColumnKind.LONGBLOB),
    252: (ColumnKind.TEXT, ColumnKind.BLOB),
    254: (ColumnKind.CHAR, ColumnKind.BINARY),
}


def full_truth() -> Path | None:
    """Return the directory of all TiCDC vectors, None when `CDC_TRUTH_DIR` does not name it."""
    root = os.environ.get("CDC_TRUTH_DIR")
    return Path(root) / "ticdc" if root else None


@cache
def lines(path: Path) -> tuple[Vector, ...]:
    """Return the vectors of a file."""
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)


def sink_of(vector: Vector) -> Mapping[str, Any]:
    """Return the `sink` section of the changefeed's configuration."""
    config = vector["config"] or {}
    sink: Mapping[str, Any] = (config.get("replica_config", config) or {}).get("sink", {})
    return sink


def settings_of(vector: Vector) -> dict[str, Any]:
    """Return the encoder's settings, under the names that scenarios use."""
    config = vector["config"]
    found: dict[str, Any] = dict(parse_qsl(config["uri_params"]))
    sink = sink_of(vector)
    if "output-old-value" in sink.get("open", {}):
        found["sink.open.output-old-value"] = sink["open"]["output-old-value"]
    if "delete-only-output-handle-key-columns" in sink:
        found["sink.delete-only-output-handle-key-columns"] = True
    if found.pop("only-output-updated-columns", "false") == "true":
        found["only-output-updated-columns"] = True
    return found


def raw_changes(vector: Vector) -> bool:
    """Tell whether the sink was told to split no update."""
    return bool(sink_of(vector).get("kafka-config", {}).get("output-raw-change-event"))


def mounted_rows(vector: Vector) -> list[MountedRow]:
    """Return the row events that the encoder was given, in order, each to its partition."""
    changes: list[tuple[MountedTable, NetChange, Vector]] = []
    for row in vector["rows"]:
        table = _table(row, partitioned=_partitioned(vector))
        change = _net_change(table, row)
        split = [change] if raw_changes(vector) else split_updates(table.table, [change])
        changes += [(table, part, row) for part in split]
    if len(changes) > len(vector["rows"]):
        changes.sort(key=lambda entry: _ORDER[entry[1].op])
    targets = vector["dispatch"]
    if [change.op.value for _, change, _ in changes] != [target["kind"] for target in targets]:
        raise AssertionError(f"{vector['id']}: the rows are not split as the line says")
    partitions = str((vector["config"] or {}).get("partitions", 1))
    return [
        MountedRow(
            op=change.op,
            table=table,
            before=change.before,
            after=change.after,
            commit_ts=vector["commit_ts"],
            topic=target["topic"],
            partition=target["partition"][partitions],
            origin=Origin(1, 0, number, change.op.value),
            row_id=row["row_id"],
            physical_id=table.table.physical_id,
        )
        for number, ((table, change, row), target) in enumerate(zip(changes, targets, strict=True))
    ]


_ORDER = {Op.DELETE: 0, Op.UPDATE: 1, Op.INSERT: 2}


def _partitioned(vector: Vector) -> bool:
    return any("partition by" in sql.lower() for sql in vector["setup_sql"])


def _net_change(table: MountedTable, row: Vector) -> NetChange:
    before, after = _image(table, row["pre_columns"]), _image(table, row["columns"])
    op = Op(row["kind"])
    return NetChange(op, (), before, after, RowChanged(op, table.table.id, before, after, 1))


def _table(row: Vector, *, partitioned: bool) -> MountedTable:
    described = row["columns"] or row["pre_columns"]
    columns = tuple(_column(number, column) for number, column in enumerate(described, 1))
    flags = tuple(column["flag"] for column in described)
    keys = tuple(
        IndexPart(column.name)
        for column, flag in zip(columns, flags, strict=True)
        if flag & (PRIMARY | UNIQUE)
    )
    table = Table(
        TableId(row["schema"], row["table"]),
        columns,
        (Index(1, "unique", keys, unique=True),),
        physical_id=row["physical_table_id"] if partitioned else 0,
    )
    return MountedTable(
        table=table,
        codes=tuple(column["type"] for column in described),
        flags=flags,
        emitted=tuple(range(len(columns))),
        handle=tuple(number for number, flag in enumerate(flags) if flag & HANDLE),
    )


def _column(number: int, described: Vector) -> Column:
    flag, kind = described["flag"], KINDS[described["type"]]
    if isinstance(kind, tuple):
        kind = kind[flag & BINARY]
    unsigned = kind in INTEGERS and bool(flag & UNSIGNED)
    return Column(
        number, described["name"], kind, nullable=bool(flag & NULLABLE), unsigned=unsigned
    )


def _image(table: MountedTable, described: list[Vector] | None) -> Row | None:
    if described is None:
        return None
    pairs = zip(table.table.columns, described, strict=True)
    return tuple(_value(column.kind, raw["value"]) for column, raw in pairs)


def _value(kind: ColumnKind, raw: Any) -> Value:
    if raw is None or isinstance(raw, str):
        return raw
    ((form, text),) = raw.items()
    if form in {"int64", "uint64"}:
        return int(text)
    if form == "float32":
        return narrow(float(text))
    if form == "float64":
        return float(text)
    content = b64decode(text)
    return content.decode() if kind in CHARACTERS else content


def row_vectors(path: Path) -> Iterator[Vector]:
    """Yield the lines of a file that hold row changes and their messages."""
    for vector in lines(path):
        if vector.get("kind") == "dml" and vector.get("dispatch"):
            yield vector
