"""What a recording holds of values: those that TiDB and MySQL make of the same SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.model.change import Op
from harness.model.values import Value
from harness.record.server import Upstream
from tests.record.scenes import events, recorded, transaction

pytestmark = pytest.mark.services


COLUMNS: dict[str, tuple[Value, Value]] = {
    "t0 TIME": ("-838:59:59", "00:00:00"),
    "t1 TIME(1)": ("-838:59:58.9", "838:59:58.9"),
    "t2 TIME(2)": ("-00:00:00.01", "00:00:00.99"),
    "t3 TIME(3)": ("-838:59:58.999", "-00:00:01.000"),
    "t4 TIME(4)": ("-00:00:00.0001", "10:00:00.0000"),
    "t5 TIME(5)": ("-01:02:03.00400", "-00:59:59.99999"),
    "t6 TIME(6)": ("-838:59:58.999999", "00:00:00.000001"),
    "dt DATETIME": ("1000-01-01 00:00:00", "9999-12-31 23:59:59"),
    "dt1 DATETIME(1)": ("0001-01-01 00:00:00.9", "2024-02-29 00:00:00.0"),
    "dt6 DATETIME(6)": ("2024-02-29 12:34:56.000001", "9999-12-31 23:59:59.999999"),
    "ts TIMESTAMP NULL": ("1970-01-01 00:00:01", "2038-01-19 03:14:07"),
    "ts4 TIMESTAMP(4) NULL": ("1970-01-01 00:00:01.0001", "2038-01-19 03:14:07.9999"),
    "da DATE": ("1000-01-01", "9999-12-31"),
    "y YEAR": (1901, 2155),
    "f FLOAT": (1.100000023841858, 16777216.0),
    "fu FLOAT UNSIGNED": (0.0, 3.3999999521443642e38),
    "db DOUBLE": (-1.7976931348623157e308, 5e-324),
    "d1 DECIMAL(65,30)": (f"-{'9' * 35}.{'9' * 30}", f"0.{'0' * 29}1"),
    "d2 DECIMAL(5)": ("-99999", "0"),
    "d3 DECIMAL(3,3)": ("-0.999", "0.001"),
    "d4 DECIMAL(18,9)": ("-123456789.987654321", "999999999.999999999"),
    "b1 BIT(1)": (0, 1),
    "b9 BIT(9)": (256, 511),
    "b64 BIT(64)": (0, 2**64 - 1),
    "ti TINYINT": (-128, 127),
    "tu TINYINT UNSIGNED": (0, 255),
    "si SMALLINT": (-32768, 32767),
    "mi MEDIUMINT": (-(2**23), 2**23 - 1),
    "mu MEDIUMINT UNSIGNED": (0, 2**24 - 1),
    "ii INT": (-(2**31), 2**31 - 1),
    "iu INT UNSIGNED": (0, 2**32 - 1),
    "bi BIGINT": (-(2**63), 2**63 - 1),
    "bu BIGINT UNSIGNED": (0, 2**64 - 1),
    "c CHAR(5)": ("ab", "測試 é"),
    "vc VARCHAR(300)": ("", "x" * 300),
    "tx TEXT": ("'\"\\\n\t", "😀"),
    "lt LONGTEXT": ("", "z"),
    "l1 VARCHAR(9) CHARACTER SET latin1": ("é€", "ÿ"),
    "gb VARCHAR(9) CHARACTER SET gbk": ("汉字", "a"),
}
SPELLED: dict[str, list[tuple[str, Value]]] = {
    "bn BINARY(5)": [("0x0102", b"\1\2\0\0\0"), ("0x00", b"\0" * 5)],
    "vb VARBINARY(300)": [("0x00FF00", b"\0\xff\0"), ("REPEAT(0xAA, 300)", b"\xaa" * 300)],
    "bl BLOB": [("''", b""), ("0x80", b"\x80")],
    "e ENUM('a','b''c','')": [("'b''c'", 2), ("''", 3)],
    "s SET('p','q','r')": [("'r,p'", 5), ("''", 0)],
    "j JSON": [('\'{"b":1.50,"a":[]}\'', '{"a": [], "b": 1.5}'), ("'null'", "null")],
}


def literal(value: object) -> str:
    """Return a value as SQL."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n") + "'"
    return str(value)


@pytest.mark.parametrize("binary_log", [True, False])
def test_values_of_every_type_are_exact(
    upstream: Upstream, tmp_path: Path, *, binary_log: bool
) -> None:
    """Both ends of each type's range, and NULL, arrive as canonical values in all images."""
    columns = [*COLUMNS, *SPELLED]
    texts = [
        [literal(v[n]) for v in COLUMNS.values()] + [v[n][0] for v in SPELLED.values()]
        for n in (0, 1)
    ]
    wanted = [
        [v[n] for v in COLUMNS.values()] + [v[n][1] for v in SPELLED.values()] for n in (0, 1)
    ]
    steps = f'  - ddl: "CREATE TABLE d.t (id INT PRIMARY KEY, {", ".join(columns)})"\n'
    steps += transaction(
        "all",
        f"INSERT INTO d.t VALUES (1, {', '.join(texts[0])})",
        f"INSERT INTO d.t VALUES (2, {', '.join(texts[1])})",
        "INSERT INTO d.t (id) VALUES (3)",
        "UPDATE d.t SET ii = 7",
        "DELETE FROM d.t WHERE id < 3",
    )
    log = recorded(tmp_path, upstream, steps, binary_log=binary_log)
    low, high = (1, *wanted[0]), (2, *wanted[1])
    null = (3, *[None] * len(columns))
    at = 1 + columns.index("ii INT")
    seven = [(*row[:at], 7, *row[at + 1 :]) for row in (low, high, null)]
    assert [(op, before, after) for _, _, op, before, after in events(log)] == [
        *((Op.INSERT, None, row) for row in (low, high, null)),
        *((Op.UPDATE, row, new) for row, new in zip((low, high, null), seven, strict=True)),
        *((Op.DELETE, row, None) for row in seven[:2]),
    ]


@pytest.mark.parametrize("binary_log", [True, False])
def test_values_are_what_tidb_makes_of_the_text(
    upstream: Upstream, tmp_path: Path, *, binary_log: bool
) -> None:
    """Fractional seconds are rounded, JSON numbers stored, members and defaults read with escapes.

    TiCDC vectors type_time0, type_json_null and type_enum are the witnesses.
    """
    steps = (
        "  - ddl: |\n"
        "      CREATE TABLE d.t (id INT PRIMARY KEY, t TIME, dt DATETIME(1), j JSON,\n"
        r"      e ENUM('a\\b', 'it''s', 'c,d'), v VARBINARY(9) DEFAULT X'FF00')"
        "\n"
    )
    steps += transaction(
        "all",
        "INSERT INTO d.t (id, t, dt, j, e) VALUES (1, '12:34:56.789', '2024-02-29 23:59:59.96',"
        r""" '{"a": 1E+5, "b": 2.500, "c": 1e-7}', 'a\\b')""",
    )
    ((*_, row),) = events(recorded(tmp_path, upstream, steps, binary_log=binary_log))
    document = '{"a": 100000.0, "b": 2.5, "c": 0.0000001}'
    assert row == (1, "12:34:57", "2024-03-01 00:00:00.0", document, 1, b"\xff\0")
