"""Promises of planning: segments, versions, restarts, what stops a changefeed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from cdc_spark.apply.schema import Column
from cdc_spark.delta.alter import Step, steps
from cdc_spark.delta.marks import FORM, LAST
from cdc_spark.delta.plan import Plan, Reshape, Write, after, before
from cdc_spark.events import Kind
from cdc_spark.set_aside import MessagePlace

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))"
ALTER = "ALTER TABLE s.t "
Mark = tuple[Any, ...]


def mark(seq: int, kind: int, payload: object = "", table: str = "t", ts: int = 1) -> Mark:
    """Return a mark."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return (0, seq, int(kind), str(ts), "s", table, text, "topic", 0, seq)


def form(seq: int, names: Iterable[str] = ("id", "v"), key: tuple[str, ...] = ("id",)) -> Mark:
    """Return the mark of the first row of a form."""
    return mark(seq, FORM, {"key": key, "shape": None, "names": sorted(names)})


def shaped(seq: int, *columns: list[Any], ts: int = 1) -> Mark:
    """Return the mark of a row that gives its table a shape."""
    names = [column[0] for column in columns]
    return mark(seq, FORM, {"key": ["id"], "shape": columns, "names": names}, ts=ts)


def ddl(seq: int, query: str, action: int = 5, table: str = "t") -> Mark:
    """Return the mark of a statement."""
    return mark(seq, Kind.DDL, {"q": query, "t": action}, table)


def planned(*marks: Mark, known: Iterable[str] = (), lenient: bool = False) -> Plan:
    """Return the plan of a micro-batch."""
    plan = Plan(0, lenient)
    plan.know(known)
    plan.take(marks)
    return plan


def saved(plan: Plan) -> list[str]:
    """Return the tables as the ledger will have them."""
    return [text for _, text, dropped in plan.changed() if not dropped]


def actions(plan: Plan) -> list[tuple[str, int, int]]:
    """Return the operations in short."""
    return [
        ("write", one.first, one.last) if isinstance(one, Write) else ("reshape", 0, one.version)
        for one in plan.operations
    ]


MADE = saved(planned(ddl(0, CREATE, 3), form(1), mark(1, LAST)))


def test_rows_between_statements_are_written_at_once() -> None:
    """Rows before a change of columns are written before it, rows behind it after it."""
    query = f"{ALTER}ADD COLUMN n INT"
    plan = planned(form(5), ddl(8, query), form(9, ("id", "v", "n")), mark(12, LAST), known=MADE)
    assert actions(plan) == [("write", 5, 7), ("reshape", 0, after(8)), ("write", 9, 12)]
    first, _, last = plan.operations
    assert isinstance(first, Write)
    assert isinstance(last, Write)
    assert (len(first.layout), len(last.layout)) == (2, 3)
    assert first.version < after(8) < last.version


def test_statements_that_leave_a_table_alone_do_not_cut_its_rows() -> None:
    """Another table's DDL, and an index, are no reason for a second write."""
    other = ddl(6, "CREATE TABLE u (a INT)", 3, "u")
    index = ddl(7, f"{ALTER}ADD INDEX i (v)", 7)
    plan = planned(form(5), other, form(7), index, form(8), mark(9, LAST), known=MADE)
    assert actions(plan) == [("write", 5, 9)]


def test_a_table_that_was_not_made_needs_no_change() -> None:
    """Statements before the first row are only remembered; the first write makes the table."""
    marks = (ddl(0, CREATE, 3), ddl(1, f"{ALTER}DROP COLUMN v"), form(2, ("id",)), mark(2, LAST))
    (write,) = planned(*marks).operations
    assert isinstance(write, Write)
    assert write.new
    assert [one.name for one in write.layout] == ["id"]


def test_renamed_tables_keep_their_place() -> None:
    """RENAME is a line in the ledger: rows are where they were, under the new name."""
    plan = planned(ddl(5, "RENAME TABLE s.t TO s.u", 14, "u"), known=MADE)
    assert plan.operations == []
    ((path, text, dropped),) = plan.changed()
    assert (json.loads(text)["name"], dropped) == ("u", False)
    assert path == json.loads(MADE[0])["path"]


def test_dropped_tables_are_reported_and_their_name_is_free() -> None:
    """A table of the same name that comes later has another place."""
    marks = (form(4), ddl(5, "DROP TABLE s.t", 4), ddl(6, CREATE, 3), form(7), mark(7, LAST))
    plan = planned(*marks, known=MADE)
    assert actions(plan) == [("write", 7, 7)]
    paths = {path: dropped for path, _, dropped in plan.changed()}
    assert sorted(paths.values()) == [False, True]


def test_truncate_comes_between() -> None:
    """Rows before TRUNCATE go, rows behind it stay."""
    marks = (form(4), ddl(5, "TRUNCATE TABLE s.t", 11), form(6), mark(6, LAST))
    plan = planned(*marks, known=MADE)
    assert actions(plan) == [("write", 4, 4), ("reshape", 0, after(5)), ("write", 6, 6)]
    gone = plan.operations[1]
    assert isinstance(gone, Reshape)
    assert gone.effect.after is None


def test_planning_again_gives_the_same() -> None:
    """A batch that comes again has the same operations, versions and tables."""
    marks = (form(4), ddl(5, f"{ALTER}RENAME COLUMN v TO w"), form(6, ("id", "w")), mark(6, LAST))
    one, other = (planned(*marks, known=MADE) for _ in range(2))
    assert actions(one) == actions(other)
    assert one.changed() == other.changed()


def test_poison_ends_the_changefeed_or_is_set_aside() -> None:
    """What came before it is written; what follows is taken only where poison is set aside."""
    marks = (form(4), mark(6, Kind.ERROR, "bad bytes"), mark(8, LAST))
    plan = planned(*marks, known=MADE)
    assert actions(plan) == [("write", 4, 5)]
    assert plan.error == "bad bytes (topic topic, partition 0, offset 6)"
    assert actions(planned(*marks, known=MADE, lenient=True)) == [("write", 4, 8)]


def test_unreported_statements_are_named() -> None:
    """DDL whose effect nobody tells stops the changefeed, and says what it would take."""
    plan = planned(ddl(5, f"{ALTER}DROP PARTITION p", 20), known=MADE)
    assert "DDL of unknown effect" in plan.needs
    assert "offset 5" in plan.error


def test_rows_of_a_partition_go_by_the_definition_that_the_ledger_keeps() -> None:
    """The table is written anew without them, also where an earlier micro-batch defined it."""
    made = planned(
        ddl(0, "CREATE TABLE t (id INT) PARTITION BY HASH (id) PARTITIONS 2", 3), form(1)
    )
    plan = planned(ddl(5, f"{ALTER}TRUNCATE PARTITION p1", 23), known=saved(made))
    (cut,) = plan.operations
    assert isinstance(cut, Reshape)
    assert steps(cut.effect) is None
    assert cut.effect.change is not None
    assert cut.effect.change({"id": 2}) == {"id": 2}
    assert cut.effect.change({"id": 3}) is None


def test_an_exchange_over_two_delta_tables_is_named() -> None:
    """It would be two commits: the plan stops there, and says so."""
    made = planned(
        ddl(0, "CREATE TABLE t (id INT) PARTITION BY HASH (id) PARTITIONS 2", 3), form(1)
    )
    swap = ddl(5, f"{ALTER}EXCHANGE PARTITION p1 WITH TABLE u", 42)
    assert "over two tables" in planned(swap, known=saved(made)).needs


def test_columns_that_only_rows_have_are_learnt() -> None:
    """A table that was never defined has text columns, and gets more as rows have more."""
    plan = planned(form(0, ("id",)), form(3, ("id", "x")), mark(4, LAST))
    assert actions(plan) == [("write", 0, 2), ("reshape", 0, before(3)), ("write", 3, 4)]
    assert json.loads(saved(plan)[0])["undefined"] == ["id", "x"]


def test_shapes_change_tables() -> None:
    """A new shape writes what came before it first, and is known after a restart."""
    narrow, wide = ["id", "integer"], ["n", "integer", 7]
    plan = planned(shaped(0, narrow), mark(1, LAST, ts=4))
    (text,) = saved(plan)
    assert json.loads(text)["shape"][1] == "4"
    again = planned(shaped(2, narrow, wide, ts=5), mark(3, LAST, ts=5), known=[text])
    assert actions(again) == [("reshape", 0, before(2)), ("write", 2, 3)]


def effect(query: str) -> Any:
    """Return what a statement does to the table."""
    plan = planned(ddl(5, ALTER + query), known=MADE)
    (reshape,) = plan.operations
    assert isinstance(reshape, Reshape)
    return reshape.effect


def test_steps_are_taken_where_values_stay() -> None:
    """ADD without a default, DROP and RENAME alter the table, and know when they are done."""
    assert steps(effect("ADD COLUMN n INT")) == [Step("", "n", "int")]
    assert steps(effect("DROP COLUMN v")) == [Step("v", "")]
    (moved,) = steps(effect("CHANGE COLUMN v w VARCHAR(20)")) or ()
    assert moved == Step("v", "w")
    assert moved.due(["id", "V"])
    assert not moved.due(["id", "w"])


def test_tables_are_written_anew_where_values_change() -> None:
    """A default, another type, and columns that change places change every row."""
    for query in (
        "ADD COLUMN n INT DEFAULT 5",
        "ADD COLUMN n INT NOT NULL",
        "MODIFY COLUMN id BIGINT",
        "RENAME COLUMN id TO v, RENAME COLUMN v TO id",
    ):
        assert steps(effect(query)) is None


def test_start_tables_are_written_first() -> None:
    """Rows from before the start have versions below those of all changes."""
    plan = Plan(0)
    column = {"name": "id", "type": "int"}
    plan.start([{"schema": "s", "name": "t", "columns": [column], "rows": [{"id": 1}, {"id": 2}]}])
    plan.take([])
    (write,) = plan.operations
    assert isinstance(write, Write)
    assert write.version == 0
    assert write.layout[0].column == Column("id", "int")


def test_a_statement_that_is_skipped_by_name_is_passed_over() -> None:
    """It is remembered, and takes no effect; its neighbours do."""
    unknown = "ALTER TABLE s.t FROBNICATE v"
    plan = Plan(0, skip=frozenset({MessagePlace("topic", 0, 1)}))
    plan.take([ddl(0, CREATE, 3), ddl(1, unknown), form(2), mark(2, Kind.UPSERT)])
    assert not plan.error
    assert [line["query"] for line in plan.ddl] == [CREATE]
    assert [(line["query"], line["offset"]) for line in plan.passed] == [(unknown, 1)]


def test_a_statement_that_is_supplied_is_executed_in_its_place() -> None:
    """What the message says is not looked at."""
    place = MessagePlace("topic", 0, 1)
    plan = Plan(0, statements={place: f"{ALTER}ADD COLUMN n INT"})
    plan.take([ddl(0, CREATE, 3), ddl(1, "ALTER TABLE s.t FROBNICATE v")])
    assert not plan.error
    assert plan.ddl[1]["query"] == f"{ALTER}ADD COLUMN n INT"
    (table,) = plan.tables
    assert list(table.columns) == ["id", "v", "n"]


def test_what_stops_a_plan_has_a_place() -> None:
    """So that whoever reads the error can name the message."""
    plan = planned(ddl(0, CREATE, 3), ddl(1, "ALTER TABLE s.t FROBNICATE v"))
    assert plan.stopped_at == MessagePlace("topic", 0, 1)
