"""A scenario from a binary log does what the log says was done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.authoring.from_binlog import steps_of_log
from harness.authoring.from_server import TableAddress
from harness.authoring.sql_steps import SqlSteps, read_steps
from harness.cli.main import main
from harness.database.driver import connected
from harness.errors import SetupError, UsageError
from harness.record.binlog_file import UNREAD
from harness.services import start
from tests.record.logs import (
    CREATE,
    DELETE,
    INSERT,
    SMALL,
    UPDATE,
    commit,
    event,
    log,
    orders,
    query,
    rows,
)

MADE = """\
CREATE TABLE shop.orders (id INT PRIMARY KEY, item VARCHAR(20));
INSERT INTO `shop`.`orders` (`id`, `item`) VALUES (1, 'tea');
INSERT INTO `shop`.`orders` (`id`, `item`) VALUES (2, NULL);
UPDATE `shop`.`orders` SET `item` = 'it''s\\n' WHERE `id` = 1;
DELETE FROM `shop`.`orders` WHERE `id` = 2;"""


def steps_of(content: bytes, there: Path, *databases: str, before: str = "") -> SqlSteps:
    """Return the steps of a log's bytes."""
    file = there / "binlog.000001"
    file.write_bytes(content)
    after = read_steps(before, "schema.sql", databases) if before else None
    return steps_of_log(file, databases, (0, 0), after)


def sql(steps: SqlSteps) -> str:
    """Return all statements, one a line."""
    return "\n".join(f"{one};" for step in steps.steps for one in step.statements)


def test_row_events_become_statements(tmp_path: Path) -> None:
    """Each row event is one statement, each transaction one step; values come back as they were."""
    steps = steps_of(SMALL, tmp_path)
    assert sql(steps) == MADE
    assert [(step.ddl, len(step.statements)) for step in steps.steps] == [
        (True, 1),
        (False, 3),
        (False, 1),
    ]
    assert steps.databases == ("shop",)
    assert steps.left_out == ()


def test_a_row_that_was_there_before_is_inserted_first(tmp_path: Path) -> None:
    """A log that begins late changes rows that it never inserted: they stand before its change."""
    late = log(CREATE, orders(), rows(UPDATE, (5, "a"), (5, "b")), commit())
    steps = steps_of(late, tmp_path)
    assert [step.statements for step in steps.steps[1:]] == [
        ("INSERT INTO `shop`.`orders` (`id`, `item`) VALUES (5, 'a')",),
        ("UPDATE `shop`.`orders` SET `item` = 'b' WHERE `id` = 5",),
    ]


def test_a_dump_before_the_log_has_the_rows(tmp_path: Path) -> None:
    """Behind a dump with rows, what the log changes is there already."""
    late = log(orders(), rows(DELETE, (5, "a")), commit())
    dump = "CREATE TABLE shop.orders (id INT PRIMARY KEY, item VARCHAR(20));"
    whole = f"{dump} INSERT INTO shop.orders VALUES (5, 'a');"
    assert len(steps_of(late, tmp_path, before=whole).steps) == 3
    assert sql(steps_of(late, tmp_path, before=whole)).count("INSERT") == 1
    assert sql(steps_of(late, tmp_path, before=dump)).count("INSERT") == 1


def test_a_rolled_back_transaction_is_none(tmp_path: Path) -> None:
    """What a log takes back leaves no step."""
    content = log(CREATE, orders(), rows(INSERT, (1, "a")), query("ROLLBACK"))
    assert sql(steps_of(content, tmp_path)).count("\n") == 0


def test_other_databases_are_left_out(tmp_path: Path) -> None:
    """`--database` takes one database's changes alone; those of the server itself never come."""
    content = log(
        query("CREATE TABLE a (id INT PRIMARY KEY)", "other"),
        query("CREATE TABLE b (id INT PRIMARY KEY)", "mysql"),
        CREATE,
    )
    assert steps_of(content, tmp_path).databases == ("other", "shop")
    assert sql(steps_of(content, tmp_path, "shop")).startswith("CREATE TABLE shop.orders")


def test_statements_in_a_log_are_steps(tmp_path: Path) -> None:
    """Under binlog_format=STATEMENT the statements are there themselves; no step is left unsaid."""
    content = log(
        CREATE,
        query("INSERT INTO orders VALUES (1, 'a')"),
        commit(),
        query("CREATE USER me"),
    )
    steps = steps_of(content, tmp_path)
    assert steps.steps[1].statements == ("INSERT INTO shop.orders VALUES (1, 'a')",)
    (left,) = steps.left_out
    assert re.fullmatch(r".*binlog\.000001:\d+: CREATE USER me \(is neither .*\)", left)


REFUSED = {
    "no table": (log(orders(), rows(INSERT, (1, "a")), commit()), "nothing before them says"),
    "no map": (log(CREATE, rows(INSERT, (1, "a"))), "which table its rows are of"),
    "few columns": (log(CREATE, orders(), rows(INSERT, (1, "a"), present=(1,))), "FULL"),
    "torn": (SMALL[:-3], "the file ends within it"),
    "garbled": (SMALL[:-9] + b"x" + SMALL[-8:], "its checksum is wrong"),
    "no description": (b"\xfebin" + CREATE, "no event before it describes the log"),
    "short header": (SMALL + b"abc", "its header is cut off"),
    "huge": (SMALL + b"\xff" * 40, "it says that it has 4294967295 bytes"),
    "encrypted": (b"\xfdbin" + bytes(100), "is encrypted"),
    "empty": (log(query("BEGIN"), commit()), "no event there changes a table"),
    "wrong DDL": (log(query("ALTER TABLE gone ADD a INT")), "Table 'shop.gone' doesn't exist"),
    **{
        f"type {kind}": (log(CREATE, event(kind, bytes(20))), f"the log holds {what}")
        for kind, what in UNREAD.items()
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused(name: str, tmp_path: Path) -> None:
    """A log in a form that is not read, or spoiled, is refused at its place, with the next step."""
    content, said = REFUSED[name]
    with pytest.raises(UsageError) as refused:
        steps_of(content, tmp_path)
    assert said in refused.value.what
    assert "binlog.000001" in refused.value.what
    assert refused.value.expected
    assert refused.value.hint


def test_the_command_reads_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`new scenario --from LOG` writes a scenario; positions without a log are refused."""
    monkeypatch.chdir(tmp_path)
    Path("binlog.000003").write_bytes(SMALL)
    new = ["new", "scenario"]
    assert main([*new, "bugs.lost", "--from", "binlog.000003"]) == 0
    assert "item = 'it" in Path("scenarios/bugs/lost.yaml").read_text("utf-8").replace("`", "")
    assert main([*new, "bugs.none", "--start-position", "4"]) == 2
    assert "--from names none" in capsys.readouterr().err
    Path("printed.sql").write_text("BINLOG '\nabc\n'/*!*/;\n", encoding="utf-8")
    assert main([*new, "bugs.none", "--from", "printed.sql"]) == 2
    assert "is what mysqlbinlog printed" in capsys.readouterr().err
    assert not Path("scenarios/bugs/none.yaml").exists()


HISTORY = """\
CREATE DATABASE shop
USE shop
CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, item VARCHAR(20), \
price DECIMAL(10,2), raw VARBINARY(8), flags BIT(6), f FLOAT, d DOUBLE, made DATETIME(3), \
seen TIMESTAMP(6) NULL, took TIME(2), day DATE, y YEAR, kind ENUM('a','it''s'), tags SET('x','y'), \
doc JSON, note TEXT, size INT AS (LENGTH(item)) STORED)
CREATE TABLE `odd name` (a BIGINT, b TEXT, c DOUBLE)
BEGIN
INSERT INTO orders (id, item, price, raw, flags, f, d, made, seen, took, day, y, kind, tags, doc, \
note) VALUES (1, 'tea ''x'' \\\\ 😀', -1.10, X'00FF27', b'101', 0.1, 0.1, \
'2024-01-02 03:04:05.678', '2024-03-31 01:30:00.000001', '-01:02:03.04', '2024-02-29', 2024, \
'it''s', 'x,y', '{"a": [1, null]}', 'two\\nlines'), (18446744073709551615, NULL, NULL, NULL, NULL, \
NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), \
(3, '', 0, X'', b'0', -1.5, 1e300, '1000-01-01', NULL, '838:59:59', '0000-00-00', 0, 'a', '', \
'[]', '')
INSERT INTO `odd name` VALUES (1, 'a', 0.5), (1, 'a', 0.5), (NULL, NULL, NULL)
COMMIT
BEGIN
UPDATE orders SET id = id + 1000 WHERE id = 1
SAVEPOINT s
DELETE FROM orders
ROLLBACK TO s
DELETE FROM `odd name` LIMIT 1
COMMIT
ALTER TABLE orders ADD COLUMN extra INT NOT NULL DEFAULT 7 FIRST
UPDATE orders SET extra = 8, note = 'new' WHERE id < 2000
"""
TABLES = ("shop.orders", "shop.`odd name`")


def run(server: TableAddress, *statements: str) -> None:
    """Run statements in one session, as a recording would."""
    with closing(connected(server, 10, 60, autocommit=True)) as connection:
        cursor = connection.cursor()
        cursor.execute("SET SESSION time_zone = '+00:00'")
        for one in statements:
            cursor.execute(one)
            cursor.fetchall()


def asked(server: TableAddress, query: str) -> list[tuple[object, ...]]:
    """Return what a query answers, in one order."""
    with closing(connected(server, 10, 60)) as connection:
        cursor = connection.cursor()
        cursor.execute(query)
        return sorted(cursor.fetchall(), key=repr)


def again(server: TableAddress, steps: SqlSteps) -> None:
    """Run steps on a server that has their databases, empty."""
    run(server, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop")
    for step in steps.steps:
        bracket = ("BEGIN", "COMMIT") if not step.ddl else ()
        run(server, *bracket[:1], *step.statements, *bracket[1:])


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableAddress, Path]]:
    """Run a MariaDB with a history; its log of it is the one that it begins with."""
    run_dir = tmp_path_factory.mktemp("services")
    with start(["mariadb"], run_dir=run_dir, on_event=lambda _: None) as services:
        one = services.mariadb
        there = TableAddress(one.host, one.port, one.user, one.password, (("shop", "orders"),))
        run(there, *HISTORY.splitlines())
        run(there, "FLUSH BINARY LOGS")
        (log_file,) = run_dir.rglob("binlog.000001")
        kept = run_dir / "kept"
        kept.mkdir()
        (kept / log_file.name).write_bytes(log_file.read_bytes())
        yield there, kept / log_file.name


@pytest.mark.services
def test_a_real_log_makes_the_same_rows(servers: tuple[TableAddress, Path]) -> None:
    """Run elsewhere, the steps of a server's log leave what its statements left, in each type."""
    server, file = servers
    again(server, read_steps(HISTORY.replace("\n", ";\n"), "history"))
    there = {name: asked(server, f"SELECT * FROM {name}") for name in TABLES}
    assert len(there["shop.orders"]) == 3
    again(server, steps_of_log(file, (), (0, 0), None))
    assert {name: asked(server, f"SELECT * FROM {name}") for name in TABLES} == there


@pytest.mark.services
def test_a_servers_own_log_is_read(servers: tuple[TableAddress, Path]) -> None:
    """What a server dumps of one table is what its file says, from where the table is as it is."""
    server, file = servers
    address = TableAddress(
        server.host, server.port, server.user, server.password, server.tables, file.name
    )
    with pytest.raises(UsageError) as refused:
        steps_of_log(address, (), (0, 0), None)
    assert "the table was another one before" in refused.value.what
    events = asked(server, f"SHOW BINLOG EVENTS IN '{file.name}'")
    (behind,) = (int(str(end)) for _, _, _, _, end, info in events if "ALTER TABLE" in str(info))
    steps = steps_of_log(address, (), (behind, 1 << 31), None)
    assert [step.ddl for step in steps.steps].count(True) == 1
    assert len(next(one for one in steps.steps if not one.ddl).statements) == 2
    missing = TableAddress(
        server.host, server.port, server.user, server.password, server.tables, "binlog.999999"
    )
    with pytest.raises(UsageError, match="gives no binary log"):
        steps_of_log(missing, (), (0, 0), None)
    closed = TableAddress(server.host, server.port, server.user, "wrong", server.tables, "x")
    with pytest.raises(SetupError, match="refuses what is asked"):
        steps_of_log(closed, (), (0, 0), None)


@pytest.mark.services
@pytest.mark.parametrize(
    ("setting", "said"),
    [("binlog_row_image = 'MINIMAL'", "FULL"), ("log_bin_compress = 1", "log_bin_compress")],
)
def test_a_real_log_in_another_form_is_refused(
    servers: tuple[TableAddress, Path], setting: str, said: str, tmp_path: Path
) -> None:
    """Partial and compressed rows, as a server really writes them, are refused by their names."""
    server, file = servers
    name = setting.split(" ", 1)[0]
    (before,) = asked(server, f"SELECT @@GLOBAL.{name}")
    run(server, "FLUSH BINARY LOGS", f"SET GLOBAL {setting}")
    try:
        run(
            server,
            "DROP DATABASE IF EXISTS form",
            "CREATE DATABASE form",
            "CREATE TABLE form.t (id INT PRIMARY KEY, a TEXT, b TEXT)",
            f"INSERT INTO form.t VALUES (1, '{'a' * 2000}', 'b')",
            "UPDATE form.t SET b = 'c'",
        )
    finally:
        run(server, f"SET GLOBAL {name} = {before[0]!r}", "FLUSH BINARY LOGS")
    logs = sorted(file.parent.parent.rglob("binlog.0*"))
    content = next(one for one in reversed(logs) if b"form" in one.read_bytes())
    copy = tmp_path / "binlog.000009"
    copy.write_bytes(content.read_bytes())
    with pytest.raises(UsageError, match=said):
        steps_of_log(copy, ("form",), (0, 0), None)
