"""What is lost between a row and its MariaDB record, told apart from what must not be lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.model.columns import Column, ColumnKind, Default
from harness.model.settings import Settings
from harness.model.values import Value
from harness.projections.mysql_values import (
    instead_of_null,
    modes_of,
    visible_column,
    visible_value,
)

MODE = "time.precision.mode"
MOMENT = Column(1, "m", ColumnKind.DATETIME, scale=6)
DATE = Column(1, "d", ColumnKind.DATE)
TIME = Column(1, "t", ColumnKind.TIME, scale=6)
STAMP = Column(1, "s", ColumnKind.TIMESTAMP)
UNSIGNED = Column(1, "u", ColumnKind.BIGINT, unsigned=True)
MEMBERS = Column(1, "e", ColumnKind.ENUM, members=("a,b", "c"))
KEPT = {"value.converter.replace.null.with.default": False}


@pytest.mark.parametrize(
    ("column", "value", "settings", "left"),
    [
        (MOMENT, "2024-01-02 03:04:05.123456", {}, "2024-01-02 03:04:05.123456"),
        (MOMENT, "2024-01-02 03:04:05.123456", {MODE: "connect"}, "2024-01-02 03:04:05.123000"),
        (MOMENT, "0000-00-00 00:00:00.000000", {}, None),
        (
            replace(MOMENT, nullable=False),
            "2024-00-10 00:00:00.000000",
            {},
            "1970-01-01 00:00:00.000000",
        ),
        (MOMENT, "2262-04-11 23:47:16.854776", {MODE: "nanoseconds"}, "1677-09-21 00:12:43.145224"),
        (DATE, "0069-01-01", {}, "2069-01-01"),
        (DATE, "0070-01-01", {}, "1970-01-01"),
        (DATE, "0100-01-01", {}, "0100-01-01"),
        (STAMP, "0000-00-00 00:00:00", {}, "1970-01-01 00:00:00"),
        (replace(STAMP, nullable=False), "0000-00-00 00:00:00", {}, "1970-01-01 00:00:00"),
        (
            replace(DATE, nullable=False, default=Default("2020-01-02", written="2020-01-02")),
            "2020-00-02",
            {},
            "2020-01-02",
        ),
        (TIME, "-25:00:00.000001", {}, "-25:00:00.000001"),
        (TIME, "24:00:00.000001", {MODE: "connect"}, None),
        (TIME, "24:00:00.000000", {MODE: "connect"}, "24:00:00.000000"),
        (UNSIGNED, (1 << 64) - 1, {}, -1),
        (UNSIGNED, (1 << 64) - 1, {"bigint.unsigned.handling.mode": "precise"}, (1 << 64) - 1),
        (Column(1, "y", ColumnKind.YEAR), 0, {}, 1900),
        (MEMBERS, 1, {}, "a\\,b"),
    ],
)
def test_what_is_left_of_a_value(
    column: Column, value: Value, settings: Settings, left: Value
) -> None:
    """A value is as the connector's types leave it, and is one of the column as it is seen."""
    assert visible_value(column, value, modes_of(settings)) == left


@pytest.mark.parametrize(
    ("default", "settings", "written"),
    [
        (Default("5", written="5"), {}, 5),
        (Default("5", written="5"), KEPT, None),
        (Default("1", written="TRUE"), {}, 1),
        (Default("0a", is_binary=True), {}, None),
        (None, {}, None),
    ],
)
def test_a_default_in_the_place_of_null(
    default: Default | None, settings: Settings, written: Value
) -> None:
    """A converter writes the default of the schema for NULL, unless it is told to keep NULL."""
    column = Column(1, "n", ColumnKind.INT, default=default)
    assert instead_of_null(column, modes_of(settings)) == written


def test_a_clock_as_default_is_the_first_moment() -> None:
    """A DATETIME of CURRENT_TIMESTAMP has 1970 in its schema, a TIMESTAMP that may be NULL none."""
    clock = Default("CURRENT_TIMESTAMP", is_expression=True)
    moment = replace(STAMP, kind=ColumnKind.DATETIME, default=clock)
    assert instead_of_null(moment, modes_of({})) == "1970-01-01 00:00:00"
    assert instead_of_null(replace(STAMP, default=clock), modes_of({})) is None


def test_columns_as_they_are_seen() -> None:
    """What is unsigned is signed under `long`, and members with a comma are texts."""
    assert not visible_column(UNSIGNED, modes_of({})).unsigned
    assert visible_column(MEMBERS, modes_of({})).kind is ColumnKind.VARCHAR
