"""Locks: joined with their scenario, refused when stale or malformed, written whole or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ScenarioError
from harness.model.change import DdlRun, Op, Pin, Resolve, RowChanged, RowPin, Transaction
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.record.form import written_row, written_table
from harness.record.lock import header, load_lock, lock_path, write_lock
from harness.record.session import fingerprint
from harness.scenario.document import Scenario, SqlStatement, TransactionStep
from tests.record.scenes import TABLE, scenario, transaction
from tests.record.values import COLUMNS, ROW

STEPS = (
    TABLE
    + transaction("one", "INSERT INTO d.t VALUES (1, 1)", "UPDATE d.t SET a = 2")
    + "  - resolved: {partitions: [1], ts: 99}\n"
    + transaction("two", "DELETE FROM d.t")
    + "      pin: {ts: 7, partition: 1, rows: [{key: {id: 1}, partition: 0}]}\n"
)
CREATED = {
    "table": "d.t",
    "columns": [{"name": "id", "type": "int"}, {"name": "a", "type": "int"}],
}
Lines = list[dict[str, Any]]


def lines(scene: Scenario) -> Lines:
    """Return a right lock of the scenario above."""
    return [
        header(scene, "11.4.5-MariaDB", "binlog"),
        {
            "step": 0,
            "ddl": "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)",
            "tables": [{"before": None, "after": CREATED}],
        },
        {"step": 1, "transaction": "one", "rows": 2},
        {"step": 1, "statement": 0, "op": "insert", "table": "d.t", "after": {"id": 1, "a": 1}},
        {
            "step": 1,
            "statement": 1,
            "op": "update",
            "table": "d.t",
            "before": {"id": 1, "a": 1},
            "after": {"id": 1, "a": 2},
        },
        {"step": 2, "transaction": "two", "rows": 1},
        {"step": 2, "statement": 0, "op": "delete", "table": "d.t", "before": {"id": 1, "a": 2}},
    ]


def refusal(scene: Scenario, root: Path) -> str:
    """Return what is said about a lock that must be refused."""
    with pytest.raises(ScenarioError) as caught:
        load_lock(scene, root)
    return str(caught.value)


def test_rows_steps_pins_and_lines_are_joined(tmp_path: Path) -> None:
    """The change log has the scenario's steps in order, each row at its statement's line."""
    scene = scenario(tmp_path, STEPS)
    write_lock(scene, tmp_path, lines(scene))
    table = TableId("d", "t")
    ddl, one, mark, two = load_lock(scene, tmp_path).changes
    assert ddl == DdlRun("CREATE TABLE d.t (id INT PRIMARY KEY, a INT)", "", 7)
    assert one == Transaction(
        "one",
        (
            RowChanged(Op.INSERT, table, None, (1, 1), 11),
            RowChanged(Op.UPDATE, table, (1, 1), (1, 2), 12),
        ),
        8,
    )
    assert mark == Resolve(13, (1,), 99)
    pin = Pin(ts=7, partition=1, rows=(RowPin({"id": 1}, 0),))
    assert two == Transaction("two", (RowChanged(Op.DELETE, table, (1, 2), None, 17),), 14, pin)


@pytest.mark.parametrize(
    ("sql", "replaced"),
    [
        ("/* again */ replace into d.t VALUES (1, 2)", True),
        ("INSERT INTO d.t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = REPLACE(2, 1, 1)", False),
    ],
)
def test_a_row_knows_whether_it_was_replaced(
    sql: str,
    replaced: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """The statement decides: the server logs an update of both."""
    scene = scenario(tmp_path, STEPS.replace("UPDATE d.t SET a = 2", sql))
    write_lock(scene, tmp_path, lines(scene))
    one = load_lock(scene, tmp_path).changes[1]
    assert isinstance(one, Transaction)
    assert [change.replaced for change in one.changes] == [False, replaced]


@settings(max_examples=10)  # the values themselves are searched in test_form
@given(st.lists(st.tuples(ROW, ROW), max_size=2))
def test_every_row_survives_its_lock(
    tmp_path_factory: pytest.TempPathFactory, updates: Sequence[tuple[Row, Row]]
) -> None:
    """Rows of all column kinds come out of a lock as they went in."""
    root = tmp_path_factory.mktemp("lock")
    scene = scenario(root, TABLE + transaction("one", "UPDATE d.t SET a = 1"))
    table = Table(TableId("d", "t"), COLUMNS)
    locked: Lines = [
        header(scene, "x", "binlog"),
        {
            "step": 0,
            "ddl": "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)",
            "tables": [{"before": None, "after": written_table(table)}],
        },
        {"step": 1, "transaction": "one", "rows": len(updates)},
    ]
    for before, after in updates:
        images = {"before": written_row(COLUMNS, before), "after": written_row(COLUMNS, after)}
        locked.append({"step": 1, "statement": 0, "op": "update", "table": "d.t", **images})
    write_lock(scene, root, locked)
    _, found = load_lock(scene, root).changes
    assert isinstance(found, Transaction)
    assert [(change.before, change.after) for change in found.changes] == list(updates)


def test_rows_follow_the_table_s_schema_of_their_moment(tmp_path: Path) -> None:
    """A rename and a new column between two transactions change what rows are read as."""
    upstream = (
        TABLE
        + transaction("one", "INSERT INTO d.t VALUES (1, 1)")
        + "  - ddl: ALTER TABLE d.t RENAME TO d.u\n"
        + transaction("two", "DELETE FROM d.u")
    )
    scene = scenario(tmp_path, upstream)
    renamed = {**CREATED, "table": "d.u"}
    locked = [
        *lines(scene)[:2],
        {"step": 1, "transaction": "one", "rows": 0},
        {
            "step": 2,
            "ddl": "ALTER TABLE d.t RENAME TO d.u",
            "tables": [{"before": CREATED, "after": renamed}],
        },
        {"step": 3, "transaction": "two", "rows": 1},
        {"step": 3, "statement": 0, "op": "delete", "table": "d.u", "before": {"id": 1, "a": 1}},
    ]
    write_lock(scene, tmp_path, locked)
    assert len(load_lock(scene, tmp_path).changes) == 4
    locked[-1] = {**locked[-1], "table": "d.t"}
    write_lock(scene, tmp_path, locked)
    assert "TableId(schema='d', name='t')" in refusal(scene, tmp_path)


def test_a_missing_lock_says_how_to_make_one(tmp_path: Path) -> None:
    """The scenario's file and the command are named."""
    scene = scenario(tmp_path, STEPS)
    said = refusal(scene, tmp_path / "golden")
    assert said.startswith(f"{scene.file}:1:1: made.up was never recorded")
    assert "`harness record made.up`" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SET a = 2", "SET a = 3"),
        ("name: one", "name: uno"),
        ("a INT)", "a BIGINT)"),
    ],
)
def test_changed_sql_makes_a_lock_stale(tmp_path: Path, old: str, new: str) -> None:
    """Whatever could change a row asks for a new recording."""
    scene = scenario(tmp_path, STEPS)
    write_lock(scene, tmp_path, lines(scene))
    said = refusal(scenario(tmp_path, STEPS.replace(old, new)), tmp_path)
    assert "changed since its rows were locked" in said
    assert "`harness record made.up`" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ts: 7", "ts: 8"),
        ("ts: 99", "ts: 98"),
        ("  - resolved: {partitions: [1], ts: 99}\n", ""),
        ("  - ddl", "  # said the author\n  - ddl"),
    ],
)
def test_what_changes_no_row_keeps_a_lock(tmp_path: Path, old: str, new: str) -> None:
    """Pins, marks, comments and moved lines need no new recording; lines follow the file."""
    scene = scenario(tmp_path, STEPS)
    write_lock(scene, tmp_path, lines(scene))
    changed = scenario(tmp_path, STEPS.replace(old, new))
    steps = [c for c in load_lock(changed, tmp_path).changes if isinstance(c, Transaction)]
    assert [step.line for step in steps] == [
        step.line for step in changed.upstream if isinstance(step, TransactionStep)
    ]


def test_the_session_is_part_of_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another clock or sql_mode makes every lock stale."""
    scene = scenario(tmp_path, STEPS)
    first = fingerprint(scene)
    monkeypatch.setattr("harness.record.session.VARIABLES", {"timestamp": "0"})
    second = fingerprint(scene)
    monkeypatch.setattr("harness.record.session.SQL_MODE", ())
    assert len({first, second, fingerprint(scene)}) == 3


Spoil = Callable[[Lines], object]


def at(number: int, **changed: object) -> Spoil:
    """Return what changes keys of one line."""
    return lambda locked: locked[number].update(changed)


@pytest.mark.parametrize(
    ("number", "spoil", "what"),
    [
        (1, at(0, format=2), "this lock has the format 2"),
        (1, at(0, scenario="other.one"), "this is the lock of 'other.one'"),
        (2, at(1, step=5), "this is not step 0"),
        (2, at(1, ddl="DROP TABLE d.t"), "not the scenario's DDL statement"),
        (2, at(1, tables=[{"before": None}]), "not a locked DDL statement"),
        (
            2,
            at(1, tables=[{"before": None, "after": {"table": "d.t", "columns": 1}}]),
            "not a locked",
        ),
        (3, at(2, transaction="uno"), "not the transaction `one`"),
        (3, at(2, rows="two"), "not the transaction `one`"),
        (4, at(3, op="upsert"), "'upsert' is not a valid Op"),
        (4, at(3, table="d.x"), "missing or unknown"),
        (4, at(3, after={"id": 1}), "it lacks `a`"),
        (4, at(3, after={"id": 1, "a": "x"}), "column `a`: 'x' is not an integer"),
        (4, at(3, after=None), "not a row event"),
        (4, at(3, statement=2), "no statement 2"),
        (4, at(3, statement=-1), "no statement -1"),
        (4, at(3, statement="0"), "no statement '0'"),
        (4, lambda locked: locked[3].pop("after"), "'after' is missing"),
        (5, at(2, rows=1), "this is not step 2"),
        (6, at(2, rows=3), "'op' is missing"),
        (8, lambda locked: locked.append({}), "a line after the scenario's last step"),
        (7, lambda locked: locked.pop(), "the lock ends where a row event should be"),
        (6, lambda locked: locked.__delitem__(slice(5, 7)), "ends where step 2 should be"),
    ],
)
def test_a_malformed_lock_names_its_line(
    tmp_path: Path, number: int, spoil: Spoil, what: str
) -> None:
    """Whatever is wrong, the lock's own file and line are told, with the way to a new one."""
    scene = scenario(tmp_path, STEPS)
    locked = lines(scene)
    spoil(locked)
    path = write_lock(scene, tmp_path, locked)
    said = refusal(scene, tmp_path)
    assert said.startswith(f"{path}:{number}: ")
    assert what in said
    assert "`harness record made.up`" in said


@pytest.mark.parametrize("text", ["{", "[]", "\x00", "{'a': 1}", "null"])
def test_lines_that_are_no_objects_are_refused(tmp_path: Path, text: str) -> None:
    """Conflict markers, cut lines and other JSON are told with their line."""
    scene = scenario(tmp_path, STEPS)
    path = lock_path(scene, tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(lines(scene)[0]) + "\n" + text + "\n", encoding="utf-8")
    assert refusal(scene, tmp_path).startswith(f"{path}:2: this line is not")


@given(st.data())
def test_no_damage_escapes_as_another_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Cut or overwritten anywhere, a lock is either read or refused as a scenario's problem."""
    root = tmp_path_factory.mktemp("lock")
    scene = scenario(root, STEPS)
    path = write_lock(scene, root, lines(scene))
    whole = path.read_bytes()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    path.write_bytes(whole[:begin] + data.draw(st.binary(max_size=5)) + whole[end:])
    with suppress(ScenarioError):
        load_lock(scene, root)


@pytest.mark.parametrize(
    ("key", "what"),
    [("{nothing: 1}", "has the columns"), ("{id: x}", "'x' is not an integer")],
)
def test_pins_that_fit_no_row_are_refused(tmp_path: Path, key: str, what: str) -> None:
    """A row pin with unknown columns or ill-typed values names the transaction's line."""
    scene = scenario(tmp_path, STEPS.replace("{id: 1}, partition", f"{key}, partition"))
    write_lock(scene, tmp_path, lines(scene))
    said = refusal(scene, tmp_path)
    assert said.startswith(f"{scene.file}:14:5: ")
    assert what in said


def test_stated_rows_have_lines_of_their_own(tmp_path: Path) -> None:
    """Rows of an `emit:` step stand where the author wrote them."""
    upstream = TABLE + (
        "  - emit:\n      transaction:\n        name: said\n        rows:\n"
        "          - insert: {table: d.t, after: {id: 1, a: 1}}\n"
        "          - delete: {table: d.t, before: {id: 1, a: 1}}\n"
    )
    scene = scenario(tmp_path, upstream)
    row = {"id": 1, "a": 1}
    locked: Sequence[Mapping[str, Any]] = [
        *lines(scene)[:2],
        {"step": 1, "transaction": "said", "rows": 2},
        {"step": 1, "statement": 0, "op": "insert", "table": "d.t", "after": row},
        {"step": 1, "statement": 1, "op": "delete", "table": "d.t", "before": row},
    ]
    write_lock(scene, tmp_path, locked)
    _, said = load_lock(scene, tmp_path).changes
    assert isinstance(said, Transaction)
    assert [change.line for change in said.changes] == [12, 13]


def test_a_lock_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A line that cannot be written leaves the old lock, and no scratch file beside it."""
    scene = scenario(tmp_path, STEPS)
    path = write_lock(scene, tmp_path, lines(scene))
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_lock(scene, tmp_path, [{"step": 0}, {"value": object()}])
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["changes.jsonl"] + (
        ["up.yaml"] if path.parent == tmp_path / "made" else []
    )


def test_a_lock_can_be_read_by_others(tmp_path: Path) -> None:
    """The file gets the usual rights, not those of a temporary file."""
    scene = scenario(tmp_path, STEPS)
    path = write_lock(scene, tmp_path, lines(scene))
    assert path.stat().st_mode & 0o777 == 0o644


def test_statements_are_distinguished_in_the_fingerprint(tmp_path: Path) -> None:
    """Two statements are not the same as one that reads like both."""
    one = scenario(tmp_path, TABLE + transaction("one", "DELETE FROM d.t", "DELETE FROM d.t"))
    step = one.upstream[1]
    assert isinstance(step, TransactionStep)
    assert step.statements == (
        SqlStatement("DELETE FROM d.t", 11, 9),
        SqlStatement("DELETE FROM d.t", 12, 9),
    )
    two = scenario(tmp_path, TABLE + transaction("one", "DELETE FROM d.t /* ; DELETE FROM d.t */"))
    assert fingerprint(one) != fingerprint(two)
