"""Tables made of row events and DDL text alone, and the answer that is written of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.ddl import Catalogue
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.observed import Outcome
from harness.model.table import TableId
from harness.model.values import Value
from harness.reference_consumer.answer import Changefeed
from harness.reference_consumer.tables import Tables
from tests.changelogs import T, ddl, insert, transaction, update
from tests.reference_consumer.streams import consumed, job, lines
from tests.verdict.answers import case

Named = dict[str, Value]
CREATE = (3, "CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` TEXT)")


def statement(kind: int, query: str, schema: str = "shop") -> DecodedEvent:
    """Return a DDL event."""
    return DecodedEvent(EventKind.DDL, 1, schema, "t", query=query, type=kind)


def put(row: Named, before: Named | None = None, handle: tuple[str, ...] = ("id",)) -> DecodedEvent:
    """Return an insert, or an update when there is an old row."""
    kind = EventKind.INSERT if before is None else EventKind.UPDATE
    return DecodedEvent(kind, 2, "shop", "t", before=before, after=row, handle=handle)


def gone(row: Named, handle: tuple[str, ...] = ("id",)) -> DecodedEvent:
    """Return a delete."""
    return DecodedEvent(EventKind.DELETE, 2, "shop", "t", before=row, handle=handle)


def tables(*events: DecodedEvent | tuple[int, str]) -> dict[str, list[Any]]:
    """Return the tables after these events; a pair is a DDL event of that type and text."""
    made = Tables(Catalogue.empty())
    for event in events:
        if isinstance(event, tuple):
            made.apply_ddl(statement(*event))
        elif event.kind is EventKind.DDL:
            made.apply_ddl(event)
        else:
            made.apply_row(made.settle(event))
    return {str(table): rows for table, rows in made.all().items()}


def test_puts_and_deletes() -> None:
    """A put replaces the row of its key, a delete removes it, either may come to nothing."""
    one: Named = {"id": 1, "v": "a"}
    other: Named = {"id": 1, "v": "b"}
    assert tables(CREATE, put(one), put(other)) == {"shop.t": [other]}
    assert tables(CREATE, put(one), put({"id": 2, "v": None}, before=one)) == {
        "shop.t": [{"id": 2, "v": None}]
    }
    assert tables(CREATE, put(one), gone({"id": 1})) == {"shop.t": []}
    assert tables(CREATE, gone({"id": 1})) == {"shop.t": []}


def test_keyless_rows() -> None:
    """Without a handle key rows are a multiset: each delete and update takes one of them."""
    create = (3, "CREATE TABLE `t` (`id` INT)")
    row: Named = {"id": 1}
    twice = (put(row, handle=()), put(row, handle=()))
    assert tables(create, *twice, gone(row, handle=())) == {"shop.t": [row]}
    assert tables(create, *twice, put({"id": 2}, before=row, handle=())) == {
        "shop.t": [row, {"id": 2}]
    }
    assert tables(create, gone(row, handle=())) == {"shop.t": []}


def test_text_without_flags() -> None:
    """What a wire without flags leaves open is settled by the table's own columns."""
    create = (3, "CREATE TABLE `t` (`id` VARBINARY(9) PRIMARY KEY,`v` TEXT)")
    stream = (create, put({"id": "a", "v": "é".encode()}))
    assert tables(*stream) == {"shop.t": [{"id": b"a", "v": "é"}]}
    assert tables(*stream, gone({"id": b"a"})) == {"shop.t": []}


def test_rows_of_an_unknown_table() -> None:
    """Rows of a table whose DDL never came are kept as they came."""
    assert tables(put({"id": 1})) == {"shop.t": [{"id": 1}]}


FILLED = (CREATE, put({"id": 1, "v": "a"}))
# DDL -> the tables after it.
FOLLOWED: dict[tuple[int, str], dict[str, list[Any]]] = {
    (5, "ALTER TABLE `t` ADD COLUMN `w` INT DEFAULT 7"): {"shop.t": [{"id": 1, "v": "a", "w": 7}]},
    (5, "ALTER TABLE `t` ADD COLUMN `w` INT GENERATED ALWAYS AS(`id`+1) VIRTUAL"): {
        "shop.t": [{"id": 1, "v": "a"}]
    },
    (6, "ALTER TABLE `t` DROP COLUMN `v`"): {"shop.t": [{"id": 1}]},
    (12, "ALTER TABLE `t` CHANGE COLUMN `v` `w` VARCHAR(9)"): {"shop.t": [{"id": 1, "w": "a"}]},
    (11, "TRUNCATE TABLE `t`"): {"shop.t": []},
    (14, "RENAME TABLE `t` TO `a`"): {"shop.a": [{"id": 1, "v": "a"}]},
    (4, "DROP TABLE `shop`.`t`"): {},
    (2, "DROP DATABASE `shop`"): {},
    (21, "CREATE VIEW `w` AS SELECT `id` FROM `t`"): {"shop.t": [{"id": 1, "v": "a"}]},
}


@pytest.mark.parametrize("event", FOLLOWED, ids=lambda event: event[1][:40])
def test_rows_follow_ddl(event: tuple[int, str]) -> None:
    """Rows take their table's new shape and name, and go with it."""
    assert tables(*FILLED, event) == FOLLOWED[event]


def test_a_partition_that_nothing_defines_keeps_its_rows() -> None:
    """A filter may leave out the statement that defines it; nothing says which rows it has."""
    row: Named = {"id": 1, "v": "a"}
    assert tables(CREATE, put(row), (23, "ALTER TABLE `t` TRUNCATE PARTITION `p`")) == {
        "shop.t": [row]
    }


def test_databases() -> None:
    """A database that was there before the stream is made up, one that is created is not."""
    name = "d`1"
    create = statement(1, "CREATE DATABASE `d1`", "d1")
    assert tables(create, statement(3, "CREATE TABLE `t` (`id` INT)", "d1")) == {"d1.t": []}
    assert tables(statement(3, "CREATE TABLE `t` (`id` INT)", name)) == {f"{name}.t": []}
    gone_again = statement(2, "DROP DATABASE `d1`", "d1")
    assert tables(create, gone_again, create) == {}


def test_another_handle_key() -> None:
    """Rows stay findable when a statement gives their table another handle key, or the first."""
    unclustered = (3, "CREATE TABLE `t` (`id` INT PRIMARY KEY NONCLUSTERED,`v` INT NOT NULL)")
    row: Named = {"id": 1, "v": 5}
    moved = (
        unclustered,
        put(row),
        (7, "ALTER TABLE `t` ADD UNIQUE `u`(`v`)"),
        (33, "ALTER TABLE `t` DROP PRIMARY KEY"),
    )
    assert tables(*moved, gone(row, handle=("v",))) == {"shop.t": []}
    loose = (3, "CREATE TABLE `t` (`id` INT NOT NULL)")
    first = (loose, put({"id": 1}, handle=()), (7, "ALTER TABLE `t` ADD UNIQUE `u`(`id`)"))
    assert tables(*first, gone({"id": 1})) == {"shop.t": []}


def test_key_columns_in_any_order() -> None:
    """A key is the same whatever the order in which an event names its columns."""
    create = (3, "CREATE TABLE `t` (`a` INT,`b` INT,PRIMARY KEY(`b`,`a`))")
    row: Named = {"a": 1, "b": 2}
    assert tables(create, put(row, handle=("a", "b")), gone(row, handle=("b", "a"))) == {
        "shop.t": []
    }


PLAN = case(
    ddl("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, v VARBINARY(9), f FLOAT)"),
    transaction(insert(2**64 - 1, b"\xff", 0.10000000149011612)),
    transaction(
        update((2**64 - 1, b"\xff", 0.10000000149011612), (2**64 - 1, None, None)),
        insert(2, b"", 0.0),
    ),
)


def test_answer(tmp_path: Path) -> None:
    """The answer is by the letter of the contract: exact numbers, bytes in hexadecimal."""
    observed = consumed(PLAN.records, tmp_path)
    assert observed.outcome is Outcome.DONE
    rows = lines(tmp_path / "tables" / "shop.t.jsonl")
    assert rows == [{"id": 2**64 - 1, "v": None, "f": None}, {"id": 2, "v": "", "f": 0}]
    first, *_ = lines(tmp_path / "events.jsonl")
    assert first["after"]["v"] == "ff"
    assert (first["op"], first["topic"], first["partition"], first["offset"]) == (
        *("insert", "ticdc"),
        *(0, 2),
    )
    assert [line["type"] for line in lines(tmp_path / "ddl.jsonl")] == [3]


def test_names_too_long_for_a_file(tmp_path: Path) -> None:
    """A table whose file would have too long a name goes into another, which is explained."""
    name = "測" * 64
    table = TableId("shop", name)
    plan = case(
        ddl(f"CREATE TABLE `{name}` (id INT PRIMARY KEY)"), transaction(insert(7, table=table))
    )
    observed = consumed(plan.records, tmp_path)
    assert observed.tables == {table: ({"id": 7},)}


def test_error_is_the_changefeeds_own(tmp_path: Path) -> None:
    """A message that cannot be read ends the changefeed, and its place is told."""
    changefeed = Changefeed(job())
    changefeed.take("ticdc", 0, 7, (b"garbage!", b""))
    changefeed.take("ticdc", 0, 8, (None, None))
    changefeed.answer(tmp_path)
    (status,) = lines(tmp_path / "status.json")
    assert status["status"] == "error"
    assert status["error"].startswith("ticdc/0@7: protocol version")


@pytest.mark.parametrize(
    ("changes", "mode", "needs"),
    [
        ({}, "sideways", "mode:sideways"),
        ({"protocol": "canal"}, "bounded", "protocol:canal"),
        ({"dialect": "9"}, "bounded", "dialect:9"),
    ],
)
def test_not_applicable(changes: dict[str, Any], mode: str, needs: str, tmp_path: Path) -> None:
    """A mode, protocol or dialect that we do not know is said to be so."""
    changefeed = Changefeed(job(**changes), mode)
    changefeed.take("ticdc", 0, 0, (b"", b""))
    changefeed.answer(tmp_path)
    assert lines(tmp_path / "status.json") == [{"status": "not-applicable", "needs": needs}]


def test_upserts_are_reported_as_inserts(tmp_path: Path) -> None:
    """Where the wire does not tell an update from an insert, a put is told as an insert."""
    plan = case(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)"),
        transaction(insert(1, 1)),
        transaction(update((1, 1), (1, 2))),
        dialect="4.0.4",
    )
    consumed(plan.records, tmp_path, job(dialect="4.0.4", complete="below"))
    assert [line["op"] for line in lines(tmp_path / "events.jsonl")] == ["insert", "insert"]
    assert TableId("shop", "t") == T


def test_statements_on_unknown_tables() -> None:
    """A table may be met by its first valid index, without having been seen created."""
    index = (7, "ALTER TABLE `t` ADD PRIMARY KEY(`id`)")
    truncate = (11, "TRUNCATE TABLE `t`")
    other = DecodedEvent(
        EventKind.DDL, 1, "shop", "u", query="CREATE TABLE `u` (`id` INT PRIMARY KEY)", type=3
    )
    one: Named = {"id": 1, "v": "a"}
    assert tables(index, put(one), other) == {"shop.u": [], "shop.t": [one]}
    assert tables(index, put(one), truncate) == {}
