"""What TiCDC's encoder was given for a vector's rows, as our values.

A line's `rows` are the row changes as the mounter saw them; the tables come from the catalogue,
over the vector's own setup, and what the rows say of their columns must agree with it. What the
sink splits in two follows from the table's unique indexes (tiflow c7b2588 model/sink.go:1187), and
must agree with what the line says was dispatched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.model.change import Op, RowChanged
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.values import Row
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.split import split_updates
from harness.sources.tidb.store import NetChange
from harness.truth.result import Difference, Vector
from harness.truth.ticdc_config import partitions, raw_changes
from harness.truth.ticdc_described import described_table, value_of
from harness.truth.ticdc_session import Session, prepared

DESCRIBED = "columns-as-described"


@dataclass(frozen=True, slots=True)
class MountedVector:
    """The row events of a vector in the order in which they are encoded.

    `differences` say where catalogue and vector disagree; there are no rows then.
    """

    rows: tuple[RowEvent, ...]
    differences: tuple[Difference, ...] = ()
    excused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Change:
    table: SourceTable
    net: NetChange
    row: Vector


def mount_rows(vector: Vector) -> MountedVector:
    """Mount a vector's rows; DdlError when its setup cannot be run."""
    session = prepared(vector)
    tables: dict[tuple[str, str], SourceTable] = {}
    excused: list[str] = []
    for row in vector["rows"]:
        name = (row["schema"], row["table"])
        if name not in tables:
            known = _known_table(session, *name)
            excused += () if known else (DESCRIBED,)
            tables[name] = known or described_table(row)
    wrong = [
        difference
        for number, row in enumerate(vector["rows"])
        for difference in _disagreements(
            f"rows[{number}]", tables[row["schema"], row["table"]], row
        )
    ]
    if wrong:
        return MountedVector((), tuple(wrong))
    changes = _changes(vector, tables)
    ours = [change.net.op.value for change in changes]
    theirs = [target["kind"] for target in vector["dispatch"]]
    if ours != theirs:
        found = Difference("dispatch[].kind", ", ".join(ours), ", ".join(theirs))
        return MountedVector((), (found,))
    rows = tuple(
        _mounted(vector, number, change, target)
        for number, (change, target) in enumerate(zip(changes, vector["dispatch"], strict=True))
    )
    return MountedVector(rows, (), tuple(excused))


def _known_table(session: Session, schema: str, name: str) -> SourceTable | None:
    table = session.catalogue.find(schema, name)
    return source_table(table) if table is not None else None


def _disagreements(where: str, table: SourceTable, row: Vector) -> Iterator[Difference]:
    """Yield what a row says of its columns and the table does not: names, codes, flags."""
    ours = ", ".join(
        f"{table.table.columns[n].name} t={table.codes[n]} f={table.flags[n]}"
        for n in table.emitted
    )
    for part in ("pre_columns", "columns"):
        if row[part] is None:
            continue
        theirs = ", ".join(f"{c['name']} t={c['type']} f={c['flag']}" for c in row[part])
        if ours != theirs:
            yield Difference(f"{where}.{part}", ours, theirs)


def _changes(vector: Vector, tables: dict[tuple[str, str], SourceTable]) -> list[_Change]:
    """Return the net changes as they are sent: those of one physical table stay together."""
    found: list[_Change] = []
    for _, group in groupby(vector["rows"], key=lambda row: row["physical_table_id"]):
        rows = list(group)
        table = tables[rows[0]["schema"], rows[0]["table"]]
        nets = [net_change(table, row) for row in rows]
        of_net = {id(net.change): row for net, row in zip(nets, rows, strict=True)}
        sent = nets if raw_changes(vector) else split_updates(table.table, nets)
        found += [_Change(table, net, of_net[id(net.change)]) for net in sent]
    return found


def net_change(table: SourceTable, row: Vector) -> NetChange:
    """Return a vector's row change as the store would net it; it has no key of its own."""
    before, after = _image(table, row["pre_columns"]), _image(table, row["columns"])
    op = Op(row["kind"])
    return NetChange(op, (), before, after, RowChanged(op, table.table.id, before, after, 1))


def _image(table: SourceTable, described: Sequence[Vector] | None) -> Row | None:
    """Return the values in table order; None stands where a column is never sent."""
    if described is None:
        return None
    columns = table.table.columns
    values = {
        n: value_of(columns[n].kind, raw["value"])
        for n, raw in zip(table.emitted, described, strict=True)
    }
    return tuple(values.get(n) for n in range(len(columns)))


def _mounted(vector: Vector, number: int, change: _Change, target: Vector) -> RowEvent:
    op = change.net.op
    return RowEvent(
        op=op,
        table=change.table,
        before=change.net.before,
        after=change.net.after,
        commit_ts=vector["commit_ts"],
        topic=target["topic"],
        partition=target["partition"][str(partitions(vector))],
        origin=Origin(1, 0, number, op.value),
        row_id=change.row["row_id"],
        physical_id=change.row["physical_table_id"] if _partitioned(change) else 0,
        split=change.net.split,
    )


def _partitioned(change: _Change) -> bool:
    """Return whether the row's table has partitions, whose ids then stand in the keys."""
    return bool(change.table.table.partitions)
