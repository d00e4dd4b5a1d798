"""What the upstream has is what a consumer can read, up to what the connector is known to lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.codecs.connect.settings import AVRO
from harness.codecs.debezium_vitess.codec import bind
from harness.codecs.debezium_vitess.decode import vitess_decoder
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Value
from harness.model.vstream import (
    Begin,
    Commit,
    FieldEvent,
    RowChange,
    ShardGtid,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)
from harness.sources.vitess.cells import cells
from harness.sources.vitess.fields import fields
from harness.wire.registry import MemoryRegistry
from tests.strategies import EACH_KIND, columns, values

PROPERTIES = {
    "topic.prefix": "srv",
    "vitess.keyspace": "shop",
    "vitess.shard": "0",
    "snapshot.mode": "never",
}
CONVERTERS: Mapping[str, Mapping[str, str]] = {
    "json": {},
    "bare": {"key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false"},
    "avro": {"key.converter": AVRO, "value.converter": AVRO},
}
TIMES = ("adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds")
DROPPED = {ColumnKind.BIT, ColumnKind.VECTOR}
KEY = Column(1, "id", ColumnKind.BIGINT, nullable=False)
ORIGIN = Origin(7, 0, 0, "insert")
LAST_NANOSECOND_YEAR, FIRST_NANOSECOND_YEAR = 2261, 1678
DAY = "24:00:00"


def table_of(column: Column) -> Table:
    """Return a table of a key and a column."""
    primary = Index(1, "PRIMARY", (IndexPart("id"),), unique=True, primary=True)
    return Table(TableId("shop", "t"), (KEY, column), (primary,), clustered=True)


def inserted(table: Table, value: Value) -> VStreamResponse:
    """Return the transaction that inserts a row."""
    place = (1559033904, "shop", "0")
    change = RowChange(None, cells(table, (1, value)), ORIGIN)
    return VStreamResponse(
        (
            Begin(*place),
            FieldEvent("shop.t", fields(table), *place),
            VRowEvent("shop.t", (change,), *place),
            Vgtid((ShardGtid("shop", "0", "MySQL56/a:1-5"),)),
            Commit(*place),
        )
    )


def left(column: Column, value: Value, mode: str) -> Value:  # noqa: PLR0911 a line a loss
    """Return what is left of a value in a mode of times; vitess NOTES §7."""
    if not isinstance(value, str) or mode == "isostring":
        return value
    match column.kind:
        case ColumnKind.DATE if value.startswith("0000"):
            return None if column.nullable else "1970-01-01"
        case ColumnKind.DATETIME if value.startswith("0000"):
            zeros = f".{'0' * column.fsp}" if column.fsp else ""
            return None if column.nullable else f"1970-01-01 00:00:00{zeros}"
        case ColumnKind.DATETIME | ColumnKind.TIME if mode == "connect":
            whole, point, fraction = value.partition(".")
            short = fraction[:3].ljust(len(fraction), "0")
            outside = column.kind is ColumnKind.TIME and _outside_day(value)
            positive_zero = value.strip("-0:.") == ""
            if outside and not positive_zero and not _full_day(value):
                return None
            return f"{whole.lstrip('-') if positive_zero else whole}{point}{short}"
        case ColumnKind.TIME if value.strip("-0:.") == "":
            return value.lstrip("-")
        case _:
            return value


def _outside_day(value: str) -> bool:
    return value.startswith("-") or int(value.partition(":")[0]) >= 24


def _full_day(value: str) -> bool:
    return value.startswith(DAY) and value[len(DAY) :].strip(".0") == ""


def possible(column: Column, value: Value, mode: str) -> bool:
    """Return whether a value survives: not beyond a mode's range or the calendar's change."""
    if column.kind is ColumnKind.DATETIME and isinstance(value, str) and mode != "isostring":
        year = int(value[:4])
        if mode == "nanoseconds":
            return year == 0 or FIRST_NANOSECOND_YEAR <= year <= LAST_NANOSECOND_YEAR
        return year == 0 or year > 1582
    lost = left(column, value, mode)
    return column.nullable or lost is not None


@pytest.mark.parametrize("kind", ColumnKind)
@EACH_KIND
@given(data=st.data())
def test_rows(kind: ColumnKind, data: st.DataObject) -> None:
    """A row comes back under its names, with its key and the line that it was written on."""
    # `allowed` joins members by commas and escapes none: one with a comma reads as two.
    drawn = data.draw(columns(kind))
    column = replace(drawn, members=tuple(name.replace(",", ";") for name in drawn.members))
    value = data.draw(values(column))
    mode = data.draw(st.sampled_from(TIMES))
    assume(possible(column, value, mode))
    settings: dict[str, Any] = {
        **PROPERTIES,
        **data.draw(st.sampled_from(list(CONVERTERS.values()))),
        "time.precision.mode": mode,
    }
    registry = MemoryRegistry()
    table = table_of(column)
    (record,) = bind(settings, "current", registry).encode([inserted(table, value)])
    assert record.origins == (ORIGIN,)
    known = {found.name: found for found in table.columns}
    decoder = vitess_decoder(settings, registry, lambda *_: known)
    (event,) = decoder.decode(record.key, record.value, record.headers)
    assert (event.schema, event.table) == ("shop", "t")
    assert event.key == {"id": 1}
    expected = {"id": 1} if kind in DROPPED else {"id": 1, "c": left(column, value, mode)}
    assert event.after == expected
