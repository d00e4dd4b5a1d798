"""Each kind's schema and value, under what properties and modes decide it.

The expected texts are those of connector-mariadb 3.3.0.Final on MariaDB 11.4.5, read from its
records of the scenario that a row names.
"""

from __future__ import annotations

import json

import pytest

from harness.codecs.debezium_mysql.codec import bind
from harness.model.change import ChangeLog, DdlRun, Op, RowChanged, Transaction
from harness.model.settings import Settings
from harness.model.table import TableId
from harness.model.values import Value
from harness.sources.mysql.source import simulate
from harness.sources.source import SourceConfig

Row = tuple[str, str, Settings, Value, str, dict[str, object], str]
BITS = {"name": "io.debezium.data.Bits", "version": 1, "parameters": {"length": "10"}}
DECIMAL = "org.apache.kafka.connect.data.Decimal"
ZONED = {"name": "io.debezium.time.ZonedTimestamp", "version": 1}

# Scenario, column, settings, value in the log; type, the rest of the schema, printed value.
ROWS: list[Row] = [
    ("types.integers", "TINYINT UNSIGNED", {}, 255, "int16", {}, "255"),
    ("types.integers", "SMALLINT UNSIGNED", {}, 65535, "int32", {}, "65535"),
    ("types.integers", "MEDIUMINT UNSIGNED", {}, 0, "int32", {}, "0"),
    ("types.integers", "INT UNSIGNED", {}, 4294967295, "int64", {}, "4294967295"),
    ("types.bigint-default-stops-avro", "BIGINT UNSIGNED", {}, 2**64 - 1, "int64", {}, "-1"),
    (
        "numbers.precise-unsigned",
        "BIGINT UNSIGNED",
        {"bigint.unsigned.handling.mode": "precise"},
        0,
        "bytes",
        {
            "name": DECIMAL,
            "version": 1,
            "parameters": {"scale": "0", "connect.decimal.precision": "20"},
        },
        '"AA=="',
    ),
    ("numbers.flags", "TINYINT(1)", {}, 1, "int16", {}, "1"),
    ("types.names-of-types", "BOOL", {}, 0, "boolean", {}, "false"),
    (
        "types.defaults-of-every-kind",
        "FLOAT DEFAULT 3.14",
        {},
        None,
        "float",
        {"default": 3.14},
        "3.14",
    ),
    ("types.float-limits", "FLOAT", {}, 2.0**-126, "float", {}, "1.17549435E-38"),
    ("types.double-limits", "REAL", {}, 1.7976931348623157e308, "float", {}, '"Infinity"'),
    (
        "types.decimals",
        "DECIMAL(6, 2)",
        {},
        "1.50",
        "bytes",
        {
            "name": DECIMAL,
            "version": 1,
            "parameters": {"scale": "2", "connect.decimal.precision": "6"},
        },
        '"AJY="',
    ),
    (
        "types.decimals",
        "DECIMAL(6, 2)",
        {"decimal.handling.mode": "string"},
        "1.50",
        "string",
        {},
        '"1.50"',
    ),
    ("types.bit-widths", "BIT(1)", {}, 0, "boolean", {}, "false"),
    ("evolution.binary-defaults-added", "BIT(10)", {}, 0b1000000001, "bytes", BITS, '"AQI="'),
    ("types.year", "YEAR", {}, 0, "int32", {"name": "io.debezium.time.Year", "version": 1}, "1900"),
    (
        "types.lost-days-of-1582",
        "DATE",
        {},
        "0001-01-01",
        "int32",
        {"name": "io.debezium.time.Date", "version": 1},
        "11323",
    ),
    (
        "types.dates-and-times",
        "DATETIME(6)",
        {},
        "0001-01-01 00:00:00.000000",
        "int64",
        {"name": "io.debezium.time.MicroTimestamp", "version": 1},
        "978307200000000",
    ),
    (
        "types.dates-and-times",
        "DATETIME(6)",
        {"time.precision.mode": "connect"},
        "0001-01-01 00:00:00.000000",
        "int64",
        {"name": "org.apache.kafka.connect.data.Timestamp", "version": 1},
        "978307200000",
    ),
    (
        "types.defaults-of-every-kind",
        "TIME DEFAULT '-01:02:03'",
        {},
        None,
        "int64",
        {"name": "io.debezium.time.MicroTime", "version": 1, "default": -3723000000},
        "-3723000000",
    ),
    (
        "dml.on-update-timestamp",
        "DATETIME DEFAULT CURRENT_TIMESTAMP",
        {},
        "2024-02-29 12:34:56",
        "int64",
        {"name": "io.debezium.time.Timestamp", "version": 1, "default": 0},
        "1709210096000",
    ),
    (
        "types.fractional-digits",
        "TIMESTAMP(2) NULL",
        {},
        "2024-02-29 12:34:00.01",
        "string",
        ZONED,
        '"2024-02-29T12:34:00.01Z"',
    ),
    (
        "types.every-kind-twice",
        "ENUM('a', 'b,c')",
        {},
        2,
        "string",
        {"name": "io.debezium.data.Enum", "version": 1, "parameters": {"allowed": "a,b\\,c"}},
        '"b\\\\,c"',
    ),
    (
        "evolution.member-appended",
        "SET('x', 'y', 'z')",
        {},
        5,
        "string",
        {"name": "io.debezium.data.EnumSet", "version": 1, "parameters": {"allowed": "x,y,z"}},
        '"x,z"',
    ),
    (
        "evolution.binary-defaults-added",
        "VARBINARY(6) DEFAULT 'abcd'",
        {},
        None,
        "bytes",
        {"default": "YWJjZA=="},
        '"YWJjZA=="',
    ),
    ("types.binary-any-bytes", "BINARY(3)", {}, b"\0\0\0", "bytes", {}, '"AAAA"'),
    (
        "types.binary-any-bytes",
        "BINARY(3)",
        {"binary.handling.mode": "base64"},
        b"\0\0\0",
        "string",
        {},
        '"AAAA"',
    ),
    (
        "encoding.html-characters",
        "JSON",
        {},
        '{"<a>": "&"}',
        "string",
        {"name": "io.debezium.data.Json", "version": 1},
        '"{\\"<a>\\": \\"&\\"}"',
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_a_column_travels_as_the_connector_sends_it(row: Row) -> None:
    """Scenarios: those that the rows name."""
    _, column, settings, value, kind, rest, printed = row
    sent = _sent(column, value, settings)
    field = json.loads(sent)["schema"]["fields"][1]["fields"][1]
    assert field == {"type": kind, "optional": True, **rest, "field": "v"}
    assert f'"after":{{"id":1,"v":{printed}}}' in sent


def _sent(column: str, value: Value, settings: Settings) -> str:
    table = TableId("shop", "t")
    row = RowChanged(Op.INSERT, table, None, (1, value), 2)
    log = ChangeLog(
        (
            DdlRun(f"CREATE TABLE shop.t (id INT PRIMARY KEY, v {column})", "", 1),
            Transaction("one", (row,), 2),
        )
    )
    source = simulate(log, SourceConfig(settings, ("shop",), 1))
    records = list(bind(source.settings, "current").encode(source.given))
    return next(one.value.decode() for one in records if one.topic == "mysql.shop.t" and one.value)
