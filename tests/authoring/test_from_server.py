"""A scenario from the tables of a running server holds what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.authoring.from_server import TableAddress, address_of, read_tables
from harness.cli.main import main
from harness.database.driver import connected
from harness.errors import UsageError
from harness.services import start

MAKE = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (id INT UNSIGNED PRIMARY KEY AUTO_INCREMENT, item VARCHAR(20),
  price DECIMAL(10,2), raw VARBINARY(8), flags BIT(6), f FLOAT, d DOUBLE, made DATETIME(3),
  seen TIMESTAMP NULL, kind ENUM('a','it''s'), size INT AS (LENGTH(item)) STORED);
CREATE TABLE shop.map (id INT PRIMARY KEY, place POINT);
CREATE TABLE shop.`odd name` (a BIGINT, b TEXT);
INSERT INTO shop.orders (item, price, raw, flags, f, d, made, seen, kind) VALUES
  ('tea \\\\ ''x''', 1.10, X'00FF27', b'101', 0.1, 0.1, '2024-01-02 03:04:05.678',
   '2024-03-31 01:30:00', 'it''s'),
  ('milk\\nand 😀', NULL, X'', b'0', NULL, -1e300, NULL, NULL, 'a'),
  ('third', 3, NULL, NULL, 3.5, 3.5, NULL, NULL, NULL);
INSERT INTO shop.`odd name` VALUES (9223372036854775807, NULL), (-1, 'b'), (-1, 'b');
"""


def statements(server: TableAddress, text: str) -> None:
    """Run statements."""
    with closing(connected(server, 10, 60, autocommit=True)) as connection:
        cursor = connection.cursor()
        for one in text.split(";\n"):
            if one.strip():
                cursor.execute(one)
                cursor.fetchall()


def rows(server: TableAddress, table: str) -> list[tuple[object, ...]]:
    """Return the rows of a table, in one order."""
    with closing(connected(server, 10, 60)) as connection:
        cursor = connection.cursor()
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall(), key=repr)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableAddress]:
    """Run a MariaDB with two tables."""
    run_dir = tmp_path_factory.mktemp("services")
    with start(["mariadb"], run_dir=run_dir, on_event=lambda _: None) as services:
        one = services.mariadb
        there = TableAddress(one.host, one.port, one.user, one.password, (("shop", "orders"),))
        statements(there, MAKE)
        yield there


@pytest.mark.services
def test_the_sql_makes_the_same_rows(server: TableAddress) -> None:
    """Run elsewhere, it gives every value back: quotes, bytes, bits, floats, zones, NULL."""
    before = {name: rows(server, name) for name in ("shop.orders", "shop.`odd name`")}
    both = (("shop", "orders"), ("shop", "odd name"))
    there = TableAddress(server.host, server.port, server.user, server.password, both)
    found = read_tables(there, 10)
    assert found.left_out == ()
    try:
        statements(server, "DROP TABLE shop.orders;\nDROP TABLE shop.`odd name`;\n")
        with closing(connected(server, 10, 60, autocommit=True)) as connection:
            cursor = connection.cursor()
            cursor.execute("SET SESSION time_zone = '+00:00'")
            for one in found.sql.split(";\n"):
                if one.strip():
                    cursor.execute(one)
        assert {name: rows(server, name) for name in before} == before
    finally:
        statements(server, "DROP DATABASE shop;\n" + MAKE)


@pytest.mark.services
def test_a_table_becomes_a_scenario(
    server: TableAddress,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`--from mysql://` writes a scenario that can be checked; rows beyond the bound are named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYSQL_PWD", server.password)
    url = f"mysql://{server.user}@{server.host}:{server.port}/shop.orders"
    assert main(["new", "scenario", "bugs.orders", "--from", url, "--rows", "2"]) == 0
    said = capsys.readouterr()
    assert "left out  shop.orders: 1 row beyond the first 2" in said.err
    text = Path("scenarios/bugs/orders.yaml").read_text("utf-8")
    assert "databases: [shop]" in text
    assert "'third'" not in text
    assert main(["new", "scenario", "bugs.other", "--from", f"{url}x"]) == 2
    assert "did you mean `shop.orders`?" in capsys.readouterr().err
    spatial = url.replace("orders", "map")
    assert main(["new", "scenario", "bugs.map", "--from", spatial]) == 2
    assert "shop.map: column place is a point" in capsys.readouterr().err
    assert main(["check"]) == 2
    said = capsys.readouterr()
    assert "bugs.orders was never recorded" in said.err
    assert "1 problem" in said.out


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://root@localhost", "names no table"),
        ("mysql://root@localhost/shop", "names no table: 'shop'"),
        ("mysql://root@localhost/.t", "names no table: '.t'"),
        ("mysql://localhost/shop.t", "no server and user"),
        ("mysql://root@localhost:x/shop.t", "Port could not be cast"),
        ("mysql://root:secret@/shop.t", "no server and user"),
    ],
)
def test_a_url_that_names_no_table_is_refused(url: str, said: str) -> None:
    """The message says what is missing and what is expected, and repeats no password."""
    with pytest.raises(UsageError) as refused:
        address_of(url)
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_url_names_server_user_and_tables() -> None:
    """Parts of a URL are decoded; without a password the variable of MySQL's tools has it."""
    found = address_of("mysql://me%40x@db:4000/a.t,b.odd%20name", {"MYSQL_PWD": "p"})
    assert found == TableAddress("db", 4000, "me@x", "p", (("a", "t"), ("b", "odd name")))
    assert address_of("mysql://me:q@db/a.t", {"MYSQL_PWD": "p"}).password == "q"
    assert "q" not in str(address_of("mysql://me:q@db/a.t", {}))
