"""Recording on a real MariaDB: right rows at the right statements, or nothing locked and why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import ScenarioError, SetupError, UsageError
from harness.model.change import ChangeLog, DdlRun, Op, Transaction
from harness.model.table import TableId
from harness.model.values import Row
from harness.record import binlog
from harness.record.lock import load_lock, lock_path
from harness.record.recorder import DisagreementError, SqlRefused, record
from harness.record.server import Server, Upstream, databases_of_our_own
from harness.record.world import World
from harness.scenario.document import Scenario
from harness.scenario.load import load_all
from tests.record.scenes import TABLE, events, recorded, scenario, transaction
from tests.tree import ROOT

pytestmark = pytest.mark.services

SHIPPED = load_all(ROOT / "scenarios")
READ_ONE_IN = 6
DEADLINE_S = 60.0
INTERRUPTED = """
import sys
from pathlib import Path
from harness.record.server import Upstream, databases_of_our_own
host, port, user, password = sys.argv[1:]
with databases_of_our_own(Upstream(host, int(port), user, password), ["d"]) as server:
    print("created", flush=True)
    server.run("SELECT SLEEP(600)")
"""


@pytest.fixture(autouse=True)
def _nothing_stays(upstream: Upstream) -> Iterator[None]:
    """Whatever a test did, no database of a recording is left."""
    yield
    server = Server(upstream)
    assert set(server.databases()) <= {"information_schema", "mysql", "performance_schema", "sys"}
    server.close()


def refused(root: Path, upstream: Upstream, steps: str) -> str:
    """Return why a scenario of these steps is not locked; and that it is not."""
    scene = scenario(root, steps)
    with pytest.raises(ScenarioError) as caught:
        record(scene, upstream, root / "golden")
    assert not lock_path(scene, root / "golden").exists()
    return str(caught.value)


def folded(log: ChangeLog, databases: tuple[str, ...]) -> dict[TableId, Counter[Row]]:
    """Return the tables that a change log leads to."""
    world = World(databases)
    for step in log.changes:
        if isinstance(step, DdlRun):
            world.ddl(step.sql)
        elif isinstance(step, Transaction):
            for change in step.changes:
                world.change(change)
    return {table: +rows for table, rows in world.rows.items()}


@pytest.mark.parametrize("scene", SHIPPED, ids=lambda scene: scene.id)
def test_shipped_scenarios_record_as_they_are_locked(
    upstream: Upstream, tmp_path: Path, scene: Scenario
) -> None:
    """Today's recording equals the lock in the repository, but for the server's version."""
    again = record(scene, upstream, tmp_path).read_bytes().split(b"\n")[1:]
    there = lock_path(scene, ROOT / "golden").read_bytes().split(b"\n")[1:]
    assert again == there


@pytest.mark.parametrize("scene", SHIPPED[::READ_ONE_IN], ids=lambda scene: scene.id)
def test_readings_lead_to_the_rows_of_the_log(
    upstream: Upstream, tmp_path: Path, scene: Scenario
) -> None:
    """A server without a log is read before and after each statement, and gives the same rows."""
    record(scene, upstream, tmp_path, binary_log=False)
    by_log, by_reads = (load_lock(scene, root) for root in (ROOT / "golden", tmp_path))
    assert folded(by_log, scene.databases) == folded(by_reads, scene.databases)


STATEMENTS = (
    "DELETE FROM d.t",
    "UPDATE d.t SET a = 1",
    "INSERT INTO d.t VALUES (1, 1)",
    "UPDATE d.t SET a = 1",
    "SAVEPOINT x",
    "INSERT INTO d.t VALUES (2, 2)",
    "ROLLBACK TO x",
    "INSERT INTO d.t VALUES (3, 3), (4, 4)",
    "REPLACE INTO d.t VALUES (3, 5)",
    "INSERT INTO d.t VALUES (3, 1) ON DUPLICATE KEY UPDATE a = 9",
    "DELETE FROM d.t WHERE id = 4",
)
CHANGED = [
    (2, Op.INSERT, None, (1, 1)),
    (7, Op.INSERT, None, (3, 3)),
    (7, Op.INSERT, None, (4, 4)),
    (8, Op.UPDATE, (3, 3), (3, 5)),
    (9, Op.UPDATE, (3, 5), (3, 9)),
    (10, Op.DELETE, (4, 4), None),
]


@pytest.mark.parametrize("binary_log", [True, False])
def test_rows_are_tied_to_their_statements(
    upstream: Upstream, tmp_path: Path, *, binary_log: bool
) -> None:
    """Statements without effect, rolled back or with several rows: each row has its own's line."""
    log = recorded(tmp_path, upstream, TABLE + transaction("t", *STATEMENTS), binary_log=binary_log)
    assert events(log) == [("t", 11 + at, op, before, after) for at, op, before, after in CHANGED]


def test_transactions_without_rows_are_kept(upstream: Upstream, tmp_path: Path) -> None:
    """A transaction that changes nothing is there, and its neighbours' rows stay theirs."""
    steps = TABLE
    steps += transaction("a", "SAVEPOINT y", "INSERT INTO d.t VALUES (1, 1)", "ROLLBACK TO y")
    steps += transaction("b", "INSERT INTO d.t VALUES (2, 2)")
    steps += transaction("c", "UPDATE d.t SET a = a")
    steps += transaction("e", "UPDATE d.t SET a = 3")
    found = recorded(tmp_path, upstream, steps)
    assert [(name, after) for name, _, _, _, after in events(found)] == [
        ("b", (2, 2)),
        ("e", (2, 3)),
    ]
    assert len(found.changes) == 5


def test_generated_columns_are_in_the_images(upstream: Upstream, tmp_path: Path) -> None:
    """Virtual and stored ones have their values before and after."""
    steps = "  - ddl: CREATE TABLE d.t (a INT, v INT AS (a + 1) VIRTUAL, s INT AS (a * 2) STORED)\n"
    steps += transaction("t", "INSERT INTO d.t (a) VALUES (1)", "UPDATE d.t SET a = 5")
    found = events(recorded(tmp_path, upstream, steps))
    assert [(before, after) for *_, before, after in found] == [
        (None, (1, 2, 2)),
        ((1, 2, 2), (5, 6, 10)),
    ]


def test_the_session_is_locked(upstream: Upstream, tmp_path: Path) -> None:
    """Clock, zone, seeds and sql_mode are the same on every day."""
    steps = (
        "  - ddl: CREATE TABLE d.t (n DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), r DOUBLE, z TEXT)\n"
        + transaction("t", "INSERT INTO d.t VALUES (NOW(6), RAND(), @@time_zone)")
    )
    first = events(recorded(tmp_path, upstream, steps))
    assert first == events(recorded(tmp_path, upstream, steps))
    ((*_, row),) = first
    assert row is not None
    assert (row[0], row[2]) == ("2024-02-29 12:34:56.000000", "+00:00")
    too_long = TABLE + transaction("t", "INSERT INTO d.t VALUES (1, 99999999999)")
    assert "Out of range value" in refused(tmp_path / "strict", upstream, too_long)


def test_an_sql_error_is_reported_with_its_line(upstream: Upstream, tmp_path: Path) -> None:
    """The statement's own line and the server's message; the lock that was there stays."""
    good = TABLE + transaction("t", "INSERT INTO d.t VALUES (1, 1)")
    recorded(tmp_path, upstream, good)
    scene = scenario(
        tmp_path, good.replace("(1, 1)", "(1, 1), (2, 2);\n        INSERT INTO d.t VALUES (2, 3)")
    )
    before = lock_path(scene, tmp_path / "golden").read_bytes()
    with pytest.raises(ScenarioError) as caught:
        record(scene, upstream, tmp_path / "golden")
    assert str(caught.value).startswith(
        f"{scene.file}:12:9: the database refuses this statement: 1062"
    )
    assert "Duplicate entry '2'" in str(caught.value)
    assert lock_path(scene, tmp_path / "golden").read_bytes() == before


EMIT = "  - emit: {{transaction: {{name: a, rows: [{{{}}}]}}}}\n"


@pytest.mark.parametrize(
    ("steps", "where", "what"),
    [
        ("  - ddl: |\n      CREATE TABLE d.t (\n        a INTT)\n", ":8:", "unexpected 'INTT'"),
        ("  - ddl: CREATE TABLE t (a INT)\n", ":7:", "No database selected"),
        (TABLE + transaction("t", "INSERT INTO t VALUES (1, 1)"), ":11:9:", "No database selected"),
        (
            "  - ddl: CREATE TABLE d.t (a INT /*!999999 , b INT */)\n",
            ":7:",
            "the catalogue has the columns ['a', 'b'], the server ['a']",
        ),
        (
            TABLE + transaction("t", "DELETE FROM mysql.user"),
            ":11:9:",
            "`mysql` is not one of the scenario's databases",
        ),
        (
            "  - ddl: CREATE TABLE d.p (id INT PRIMARY KEY)\n"
            "  - ddl: CREATE TABLE d.t (id INT PRIMARY KEY, p INT,"
            " FOREIGN KEY (p) REFERENCES d.p(id) ON DELETE CASCADE)\n"
            + transaction("a", "INSERT INTO d.p VALUES (1)", "INSERT INTO d.t VALUES (5, 1)")
            + transaction("b", "DELETE FROM d.p"),
            ":14:5: after this step the log and the database disagree",
            "d.t: the log has a row that a SELECT lacks: {id: 5, p: 1}",
        ),
        (
            TABLE
            + transaction("a", "INSERT INTO d.t VALUES (1, 1)")
            + "  - ddl: ALTER TABLE d.t ADD COLUMN n DATETIME DEFAULT CURRENT_TIMESTAMP\n",
            ":12:",
            "what this does to stored rows cannot be known",
        ),
        (
            TABLE
            + '  - emit: {ddl: "ALTER TABLE d.t ADD COLUMN b INT"}\n'
            + transaction("a", "INSERT INTO d.t VALUES (1, 1)"),
            ":12:9:",
            "an `emit:` step gave d.t a form that the database does not know",
        ),
        (
            TABLE + EMIT.format("delete: {table: d.t, before: {id: 9, a: 1}}"),
            ":8:",
            "d.t has no row {id: 9, a: 1}",
        ),
        (
            TABLE + EMIT.format("insert: {table: d.x, after: {id: 9}}"),
            ":8:",
            "table d.x does not exist",
        ),
        (
            TABLE + EMIT.format("insert: {table: d.t, after: {id: 9}}"),
            ":8:",
            "it lacks `a`",
        ),
    ],
)
def test_what_cannot_be_locked_is_reported_with_its_line(
    upstream: Upstream, tmp_path: Path, steps: str, where: str, what: str
) -> None:
    """Bad SQL, other databases, rows that the log hides, impossible emits: nothing is locked."""
    said = refused(tmp_path, upstream, steps)
    assert where in said
    assert what in said


def test_emitted_steps_are_reported_but_not_run(upstream: Upstream, tmp_path: Path) -> None:
    """What MariaDB cannot run is in the log, beside what it did run."""
    steps = (
        TABLE
        + transaction("ran", "INSERT INTO d.t VALUES (1, 1)")
        + '  - emit: {ddl: "ALTER TABLE d.t ADD COLUMN v INT AS (a + 1) VIRTUAL NOT NULL"}\n'
        + "  - emit:\n      transaction:\n        name: said\n        rows:\n"
        "          - insert: {table: d.t, after: {id: 2, a: 2, v: 3}}\n"
        "          - delete: {table: d.t, before: {id: 2, a: 2, v: 3}}\n"
        "  - ddl: CREATE TABLE d.u (id INT PRIMARY KEY)\n"
        + transaction("more", "INSERT INTO d.u VALUES (7)")
    )
    log = recorded(tmp_path, upstream, steps)
    assert [(name, line, after) for name, line, _, _, after in events(log)] == [
        ("ran", 11, (1, 1)),
        ("said", 17, (2, 2, 3)),
        ("said", 18, None),
        ("more", 23, (7,)),
    ]


def test_databases_may_be_dropped_and_made_again(upstream: Upstream, tmp_path: Path) -> None:
    """Within the scenario's own names everything is allowed."""
    steps = TABLE + "  - ddl: DROP DATABASE d\n  - ddl: CREATE DATABASE d\n" + TABLE
    steps += transaction("t", "INSERT INTO d.t VALUES (1, 1)")
    assert len(events(recorded(tmp_path, upstream, steps))) == 1


def test_a_database_that_exists_is_left_alone(upstream: Upstream, tmp_path: Path) -> None:
    """The recording refuses, and neither changes nor drops what it did not create."""
    server = Server(upstream)
    server.run("CREATE DATABASE D")
    try:
        with pytest.raises(UsageError, match="has a database D already"):
            record(scenario(tmp_path, TABLE), upstream, tmp_path)
        assert "D" in server.databases()
    finally:
        server.run("DROP DATABASE D")
        server.close()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_databases_are_dropped_whatever_happens(
    upstream: Upstream, error: type[BaseException]
) -> None:
    """Ctrl-C and defects leave nothing, even with a transaction open that holds locks."""

    def interrupted() -> None:
        with databases_of_our_own(upstream, ["d", "e"]) as server:
            server.run("CREATE TABLE d.t (id INT PRIMARY KEY)")
            server.run("START TRANSACTION")
            server.run("INSERT INTO d.t VALUES (1)")
            raise error

    with pytest.raises(error):
        interrupted()


def test_ctrl_c_drops_the_databases(upstream: Upstream) -> None:
    """A real SIGINT in the middle of a statement."""
    arguments = [upstream.host, str(upstream.port), upstream.user, upstream.password]
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"created\n"
        time.sleep(0.2)  # into the statement; before it, the outcome is the same
        child.send_signal(signal.SIGINT)
        assert child.wait(DEADLINE_S) != 0


def test_rows_of_somebody_else_are_noticed(upstream: Upstream) -> None:
    """Another session that writes into our databases meanwhile: the recording is refused."""
    with databases_of_our_own(upstream, ["d", "marks"]) as server:
        binlog.prepare_marks(server, "marks")
        server.run("CREATE TABLE d.t (id INT PRIMARY KEY)")
        begin = binlog.position(server)
        assert begin is not None
        server.run("INSERT INTO d.t VALUES (1)")
        with pytest.raises(SetupError, match=r"rows of d\.t outside"):
            binlog.logged(server, begin, ["d"], "marks")


def test_without_rights_on_the_log_rows_are_read(upstream: Upstream, tmp_path: Path) -> None:
    """A user who may not replicate still records, and the lock says how."""
    server = Server(upstream)
    server.run("CREATE USER plain@'127.0.0.1' IDENTIFIED BY 'pw'")
    try:
        server.run(
            "GRANT CREATE, DROP, ALTER, SELECT, INSERT, UPDATE, DELETE ON *.* TO plain@'127.0.0.1'"
        )
        plain = Upstream(upstream.host, upstream.port, "plain", "pw")
        scene = scenario(tmp_path, TABLE + transaction("t", "INSERT INTO d.t VALUES (1, 1)"))
        lock = record(scene, plain, tmp_path / "golden")
        assert '"rows-from":"reads"' in lock.read_text()
        assert len(events(load_lock(scene, tmp_path / "golden"))) == 1
    finally:
        server.run("DROP USER plain@'127.0.0.1'")
        server.close()


@pytest.mark.parametrize(
    ("steps", "kind"),
    [
        ("  - ddl: CREATE TABLE d.t (a INT /*!999999 , b INT */)\n", DisagreementError),
        (
            TABLE
            + transaction("a", "INSERT INTO d.t VALUES (1, 1)")
            + "  - ddl: ALTER TABLE d.t ADD COLUMN n DATETIME DEFAULT CURRENT_TIMESTAMP\n",
            DisagreementError,
        ),
        (TABLE + EMIT.format("insert: {table: d.x, after: {id: 9}}"), ScenarioError),
        (TABLE + transaction("t", "INSERT INTO d.t VALUES (1, 1), (1, 2)"), SqlRefused),
    ],
)
def test_a_refusal_says_by_its_type_who_is_at_fault(
    upstream: Upstream, tmp_path: Path, steps: str, kind: type[ScenarioError]
) -> None:
    """A search counts a disagreement as found, and a mistake in the scene as refused."""
    with pytest.raises(ScenarioError) as caught:
        recorded(tmp_path, upstream, steps)
    assert type(caught.value) is kind
