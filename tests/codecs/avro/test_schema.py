"""Schema texts: defaults with all their quirks, the order of nullability, names, extra fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from harness.codecs.avro.schema import key_schema, value_schema
from harness.codecs.avro.settings import settings
from harness.errors import SourceStopped
from tests.codecs.avro.rows import CHECKSUM, EXTENSION, STRINGS, created


def text(sql: str, values: Mapping[str, object] = EXTENSION, dialect: str = "current") -> str:
    """Return the text of a table's value schema."""
    table = created(sql)
    return value_schema(table.table, table.emitted, settings(values, dialect)).text


def column(
    declared: str, values: Mapping[str, object] | None = None, dialect: str = "current"
) -> dict[str, Any]:
    """Return the field of one column that is declared so."""
    sql = f"CREATE TABLE t (id INT PRIMARY KEY, c {declared})"
    field: dict[str, Any] = json.loads(text(sql, values or {}, dialect))["fields"][1]
    return field


def test_order_of_keys() -> None:
    """Objects have the vendor's order, maps are sorted, and HTML is escaped as Go does it."""
    sql = "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('<a>', 'b') DEFAULT '<a>')"
    assert text(sql) == (
        '{"type":"record","name":"t","namespace":"default.shop","fields":['
        '{"name":"id","type":{"type":"int","connect.parameters":{"tidb_type":"INT"}}},'
        '{"default":"\\u003ca\\u003e","name":"e","type":[{"type":"string","connect.parameters":'
        '{"allowed":"\\u003ca\\u003e,b","tidb_type":"ENUM"}},"null"]},'
        '{"default":"","name":"_tidb_op","type":"string"},'
        '{"default":0,"name":"_tidb_commit_ts","type":"long"},'
        '{"default":0,"name":"_tidb_commit_physical_time","type":"long"}]}'
    )


# The column -> its default in the schema.
DEFAULTS: Mapping[str, Any] = {
    "INT DEFAULT 15": 15,
    "INT DEFAULT -5": -5,
    "INT DEFAULT '7'": 7,
    "INT DEFAULT 2.5": 3,
    "INT DEFAULT 0x10": 16,
    "INT UNSIGNED DEFAULT 4294967295": 4294967295,
    "BOOL DEFAULT TRUE": 1,
    "BIGINT UNSIGNED DEFAULT 18446744073709551615": -1,
    "FLOAT DEFAULT 3.14": 3.140000104904175,
    "DOUBLE DEFAULT 1e3": 1000,
    "YEAR DEFAULT 2023": 2023,
    "DATE DEFAULT '2023-1-2'": "2023-01-02",
    "DATE DEFAULT '23-01-02'": "2023-01-02",
    "DATE DEFAULT 991231": "1999-12-31",
    "DATE DEFAULT 0": "0000-00-00",
    "DATETIME(1) DEFAULT '2023-12-31 23:59:59.95'": "2024-01-01 00:00:00.0",
    "DATETIME DEFAULT 20231227122723.4": "2023-12-27 12:27:23",
    "TIME DEFAULT '1 02:03'": "26:03:00",
    "TIME DEFAULT 10203": "01:02:03",
    "TIME DEFAULT '-10:20'": "-10:20:00",
    "TIME(1) DEFAULT '-00:00:00.04'": "00:00:00.0",
    "TIME(2) DEFAULT '00:00:00.999'": "00:00:01.00",
    "DATETIME(3) DEFAULT '2023-12-27 12:27:23.5'": "2023-12-27 12:27:23.500",
    "TIMESTAMP DEFAULT '2023-12-27 12:27:23'": "2023-12-27 12:27:23",
    "TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6)": "CURRENT_TIMESTAMP",
    "DATETIME DEFAULT NOW()": "CURRENT_TIMESTAMP",
    "TIME(2) DEFAULT '1:2:3'": "01:02:03.00",
    "VARCHAR(9) DEFAULT ''": "",
    "VARCHAR(9) DEFAULT 'null'": "null",
    "VARCHAR(36) DEFAULT (UUID())": "uuid()",
    "VARCHAR(36) DEFAULT (DATE_FORMAT(NOW(), '%Y-%m'))": "date_format(now(), _utf8mb4'%Y-%m')",
    "BINARY(4) DEFAULT 'ab'": "YWIAAA==",
    "VARBINARY(9) DEFAULT X'FF00'": "77+9AA==",
    "BIT(10) DEFAULT b'1010101010'": "Aqo=",
    "BIT(10) DEFAULT b'0000000001'": "AAE=",
    "BIT(10) DEFAULT 5": "BQ==",
    "ENUM('a','b') DEFAULT 'b'": "b",
    "ENUM('a','b') DEFAULT 2": "b",
    "SET('a','b','c') DEFAULT 'c,a'": "a,c",
    "SET('a','b','c') DEFAULT 6": "b,c",
    "SET('a','b','c') DEFAULT ''": "",
}


@pytest.mark.parametrize("declared", DEFAULTS)
def test_defaults(declared: str) -> None:
    """A default stands as TiCDC reads what TiDB stored; its type is then the union's first."""
    field = column(declared)
    assert field["default"] == DEFAULTS[declared]
    assert field["type"][1] == "null"


@pytest.mark.parametrize("declared", ["INT", "INT DEFAULT NULL", "DECIMAL(5,2) DEFAULT 1.5"])
def test_null_first(declared: str) -> None:
    """Without a default, and for a precise DECIMAL with one, null is first and the default."""
    field = column(declared)
    assert field["default"] is None
    assert field["type"][0] == "null"


NOT_NULL: Mapping[str, Any] = {
    "INT NOT NULL": None,
    "INT NOT NULL DEFAULT 0": 0,
    "YEAR NOT NULL": 0,
    "DECIMAL(5,2) NOT NULL DEFAULT 1.5": None,
    "TIMESTAMP NOT NULL": None,
}


@pytest.mark.parametrize("declared", NOT_NULL)
def test_not_null(declared: str) -> None:
    """A NOT NULL column is no union; only a YEAR has a default that nobody wrote."""
    field = column(declared)
    assert field.get("default") == NOT_NULL[declared]
    assert isinstance(field["type"], dict)


def test_string_modes() -> None:
    """As text, a decimal keeps its default as written, an unsigned number does not wrap."""
    assert column("DECIMAL(12,6) DEFAULT 179394.2333", STRINGS)["default"] == "179394.2333"
    whole = column("BIGINT UNSIGNED DEFAULT 18446744073709551615", STRINGS)
    assert whole["default"] == "18446744073709551615"


def test_precise_decimals() -> None:
    """Precision and scale stand beside the logical type; DECIMAL alone is DECIMAL(10,0)."""
    kind = column("DECIMAL NOT NULL")["type"]
    assert (kind["logicalType"], kind["precision"], kind["scale"]) == ("decimal", 10, 0)


def test_generated_columns() -> None:
    """A stored generated column is sent without a default, a virtual one is not sent."""
    sql = "CREATE TABLE t (id INT PRIMARY KEY, s INT AS (id + 1) STORED, v INT AS (id) VIRTUAL)"
    assert [field["name"] for field in json.loads(text(sql, {}))["fields"]] == ["id", "s"]


def test_version_6() -> None:
    """Version 6 says double for FLOAT, and gives the extension's fields no defaults."""
    assert column("FLOAT DEFAULT 3.14", dialect="6")["type"][0]["type"] == "double"
    assert column("FLOAT DEFAULT 3.14", dialect="6")["default"] == 3.14
    fields = json.loads(text("CREATE TABLE t (id INT PRIMARY KEY)", EXTENSION, "6"))["fields"]
    assert fields[1:] == [
        {"name": "_tidb_op", "type": "string"},
        {"name": "_tidb_commit_ts", "type": "long"},
        {"name": "_tidb_commit_physical_time", "type": "long"},
    ]


def test_checksum_orders_by_id() -> None:
    """With checksums the value's columns stand in the order of their ids, the key's do not."""
    table = created(
        "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))",
        "ALTER TABLE t ADD COLUMN w INT FIRST",
        "ALTER TABLE t MODIFY COLUMN b INT FIRST",
    )
    bound = settings(CHECKSUM, "current")
    value = json.loads(value_schema(table.table, table.emitted, bound).text)
    names = [field["name"] for field in value["fields"]]
    assert names[:3] == ["a", "b", "w"]
    assert names[-3:] == ["_tidb_row_level_checksum", "_tidb_corrupted", "_tidb_checksum_version"]
    key = json.loads(key_schema(table.table, table.handle, bound).text)
    assert [field["name"] for field in key["fields"]] == ["b", "a"]


def test_names() -> None:
    """Every character that Avro forbids becomes `_`, which also goes before a first digit."""
    table = created("CREATE TABLE t (`1id` INT PRIMARY KEY, `a b-测` INT, `$` INT)")
    schema = json.loads(value_schema(table.table, table.emitted, settings({}, "current")).text)
    assert [field["name"] for field in schema["fields"]] == ["_1id", "a_b__", "_"]
    assert schema["namespace"] == "default.shop"
    other = settings({"namespace": "my-ns"}, "current")
    named = json.loads(value_schema(table.table, table.emitted, other).text)
    assert named["namespace"] == "my_ns.shop"


# The columns -> the vendor's code, and a part of what is said.
REFUSED: Mapping[str, tuple[str, str]] = {
    "`a-b` INT, `a_b` INT": ("ErrAvroSchemaAPIError", 'field 3 ought to have unique name: "a_b"'),
    "`_tidb_op` INT": ("ErrAvroSchemaAPIError", 'field 3 ought to have unique name: "_tidb_op"'),
    "c BIGINT DEFAULT 9223372036854775807": (
        "ErrAvroSchemaAPIError",
        "would lose precision: 9223372036854775808.000000",
    ),
    "c BIGINT DEFAULT 9223372036854775300": (
        "ErrAvroSchemaAPIError",
        "would lose precision: 9223372036854775808.000000",
    ),
    "c INT DEFAULT (RAND())": ("ErrAvroEncodeFailed", 'parsing "rand()": invalid syntax'),
    "c DOUBLE DEFAULT (RAND())": ("ErrAvroEncodeFailed", 'parsing "rand()": invalid syntax'),
    "c DECIMAL(5,2) DEFAULT (RAND())": ("ErrAvroEncodeFailed", "fail to encode Decimal value"),
}


@pytest.mark.parametrize("declared", REFUSED)
def test_what_cannot_be_built(declared: str) -> None:
    """What the vendor's library cannot build stops the changefeed, as it words it."""
    with pytest.raises(SourceStopped) as caught:
        text(f"CREATE TABLE t (id INT PRIMARY KEY, {declared})")
    code, said = REFUSED[declared]
    assert caught.value.code == code
    assert said in caught.value.what


@pytest.mark.parametrize(
    "declared",
    ["BIGINT NOT NULL DEFAULT 9223372036854775807", "BIGINT DEFAULT 9223372036854774784"],
)
def test_great_defaults_that_pass(declared: str) -> None:
    """Only a union's default is tried, and only what rounds to 2^63 fails."""
    assert column(declared)["default"] > 2**62


@pytest.mark.parametrize(
    ("statements", "default"),
    [
        (["ADD COLUMN c INT NOT NULL"], 0),
        (["ADD COLUMN c ENUM('a','b') NOT NULL"], "a"),
        (["ADD COLUMN c INT DEFAULT 5", "ALTER COLUMN c DROP DEFAULT"], 5),
        (["ADD COLUMN c INT DEFAULT 5", "ALTER COLUMN c SET DEFAULT 6"], 6),
        (["ADD COLUMN c INT"], None),
        (["ADD COLUMN c DECIMAL(5,2) NOT NULL"], None),
    ],
)
def test_version_6_has_the_defaults_of_old_rows(statements: list[str], default: object) -> None:
    """Where a column has no default, that of the rows before it is in the schema, but today."""
    alter = [f"ALTER TABLE t {statement}" for statement in statements]
    table = created("CREATE TABLE t (id INT PRIMARY KEY)", *alter)
    texts = {
        dialect: value_schema(table.table, table.emitted, settings({}, dialect)).text
        for dialect in ("current", "6")
    }
    fields = {dialect: json.loads(texts[dialect])["fields"][1] for dialect in texts}
    assert fields["6"].get("default") == default
    assert fields["current"].get("default") == (6 if default == 6 else None)
