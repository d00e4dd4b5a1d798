"""Rows written without structs are, byte by byte, what the way of structs makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.codecs.debezium_vitess.encode import ConnectorEnvironment, offsets_of
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.vstream import FieldEvent, FieldInfo, RowChange, VRowEvent, VStreamResponse
from harness.sources.vitess.cells import cells
from harness.sources.vitess.fields import fields
from harness.truth.vitess_input import cluster_of, runs_of, zone_of
from tests.codecs.connect.reading import Vector, truth, vectors
from tests.codecs.debezium_vitess.streams import BASE, begin, commit, vgtid
from tests.codecs.debezium_vitess.vectorised.ways import CONVERTERS, both
from tests.strategies import EACH_KIND, columns, values

CASES = [vector for path in sorted(truth().glob("*.jsonl")) for vector in vectors(path)]
TIMES = ("adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds")
MODES: dict[str, tuple[str, ...]] = {
    "time.precision.mode": TIMES,
    "bigint.unsigned.handling.mode": ("string", "long", "precise"),
    "binary.handling.mode": ("bytes", "base64", "base64-url-safe", "hex"),
    "override.datetime.to.nullable": ("false", "true"),
    "include.unknown.datatypes": ("false", "true"),
    "tombstones.on.delete": ("true", "false"),
    "column.truncate.to.3.chars": ("", "ks.t.c"),
    "column.mask.with.5.chars": ("", "ks.t.c"),
    "message.key.columns": ("", "ks.t:c,id", "ks.t:c"),
}
ORIGIN = Origin(7, 0, 0, "insert")
KEY = Column(1, "id", ColumnKind.BIGINT, nullable=False)
# What a cell may hold that no value of its column is written as.
ODD = st.sampled_from(
    (
        *(b"", b"-", b"007", b"+1", b"-0", b"1e3", b"1.0", b"true", b"null", b"1,2", b'"'),
        *(b"\xff\xfe", b"\xed\xa0\x80", "😀".encode(), b"\x7f", b"\x1f", b".5", b"5."),
        *(b"0000-00-00", b"0000-00-00 00:00:01", b"2024-02-30 00:00:61", b"2024-02-30 00:00:59"),
        *(b"2024-02-03 04:05:06.", b"2024-02-03 04:05:06.1234567", b"2024-02-03 04:05:6.12"),
        *(b"1.7976931348623157e400", b"9223372036854775808", b"99999999999999999999"),
    )
)


@pytest.mark.parametrize("converters", CONVERTERS)
@pytest.mark.parametrize("vector", CASES, ids=lambda vector: vector["id"])
def test_vectors(vector: Vector, converters: str) -> None:
    """Every vector that the connector accepts comes out the same, and so do the others' errors."""
    offsets = NO_OFFSETS
    for run in runs_of(vector):
        around = ConnectorEnvironment(zone_of(vector), cluster_of(vector), offsets)
        given = CONVERTERS[converters]
        structs, prepared, _ = both(run.properties, run.responses, given, around)
        assert prepared == structs
    assert offsets_of(()) == offsets


def test_most_vectors_are_prepared() -> None:
    """The property above covers something: thousands of the vectors' rows take the quick way."""
    written = 0
    for vector in CASES:
        for run in runs_of(vector):
            around = ConnectorEnvironment(zone_of(vector), cluster_of(vector))
            written += both(run.properties, run.responses, {}, around)[2]
    assert written > len(CASES) // 2


@pytest.mark.parametrize("kind", ColumnKind)
@EACH_KIND
@given(data=st.data())
def test_rows(kind: ColumnKind, data: st.DataObject) -> None:
    """Rows of any kind, mode and operation come out the same, odd cells and refusals too."""
    column = data.draw(columns(kind))
    converters = data.draw(st.sampled_from(sorted(CONVERTERS)))
    mode: dict[str, Any] = {
        name: value for name, of in MODES.items() if (value := data.draw(st.sampled_from(of)))
    }
    table = table_of(column)
    cell = values(column).map(lambda value: cells(table, (1, value))[1])
    rows = st.lists(st.tuples(st.integers(1, 3), cell | ODD | st.none()), min_size=1, max_size=4)
    changes = tuple(
        change(data.draw(st.sampled_from("cud")), number, old, new)
        for (number, old), (_, new) in zip(data.draw(rows), data.draw(rows), strict=False)
    )
    zone = data.draw(st.sampled_from(("UTC", "Europe/Amsterdam")))
    announced = data.draw(st.sampled_from((fields(table), plain(table))))
    stream = inserted(FieldEvent("ks.t", announced, 1559033904, "ks", "0"), changes)
    around = ConnectorEnvironment(zone=zone)
    dialect = data.draw(st.sampled_from(sorted(DIALECTS)))
    structs, prepared, _ = both({**BASE, **mode}, stream, CONVERTERS[converters], around, dialect)
    assert prepared == structs


def table_of(column: Column) -> Table:
    """Return a table of a key and a column."""
    primary = Index(1, "PRIMARY", (IndexPart("id"),), unique=True, primary=True)
    return Table(TableId("ks", "t"), (KEY, column), (primary,), clustered=True)


def plain(table: Table) -> tuple[FieldInfo, ...]:
    """Return a table's fields without any flag: no key, and all of them may be NULL."""
    return tuple(replace(field, flags=0) for field in fields(table))


def change(op: str, number: int, old: bytes | None, new: bytes | None) -> RowChange:
    """Return a change of a row; an update may leave the cell as it is."""
    before, after = (b"%d" % number, old), (b"%d" % number, new)
    return RowChange(before if op in "ud" else None, after if op in "cu" else None, ORIGIN)


def inserted(announced: FieldEvent, changes: tuple[RowChange, ...]) -> list[VStreamResponse]:
    """Return two transactions of the same changes: in one event, and in one each."""
    event = VRowEvent("ks.t", changes, 1559033904, "ks", "0")
    single = (replace(event, changes=(one,)) for one in changes)
    return [
        VStreamResponse((begin(), announced, event, vgtid(5), commit())),
        VStreamResponse((begin(), *single, vgtid(6), commit())),
    ]
