"""Promises of the fold: events and DDL in their order -> tables, event lines, DDL lines."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.events import Event, Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from tests.cdc_spark.messages import (
    Frame,
    column,
    ddl,
    gone,
    key,
    loose,
    message,
    put,
    row,
)

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
ONE = {"id": 1, "v": "a"}


def folded(
    *frames: Frame, tables: Iterable[Mapping[str, Any]] = (), dialect: str = "current"
) -> tuple[Fold, list[dict[str, Any]]]:
    """Fold events in this order; return the fold and the lines that it gave."""
    fold = Fold()
    fold.start(tables)
    lines: list[dict[str, Any]] = []
    for offset, frame in enumerate(frames):
        for event in decode(DIALECTS[dialect], *message(frame)):
            line = fold.apply(change_of(event, offset))
            lines.extend([line] if line else [])
    return fold, lines


def change_of(event: Event, offset: int) -> Change:
    """Return an event as it was applied from topic `x`, partition 3."""
    named = (event.schema, event.table, event.payload)
    return Change(event.kind, event.ts, *named, topic="x", partition=3, offset=offset)


def tables_of(fold: Fold) -> dict[str, list[Any]]:
    """Return the rows of every table, in an order of their own."""
    assert not fold.error
    return {f"{one.schema}.{one.name}": sorted(one, key=repr) for one in fold.tables}


def after(*frames: Frame, **options: Any) -> dict[str, list[Any]]:
    """Return the tables after these events."""
    return tables_of(folded(*frames, **options)[0])


def altered(query: str, *, action: int = 5) -> list[Any]:
    """Return the row `ONE` after an ALTER of its table."""
    return after(ddl(1, CREATE, 3), put(2, 1, "a"), ddl(3, query, action))["test.t"]


def test_rows_live_and_die_by_their_key() -> None:
    """An upsert replaces the row of its key, a delete removes it, whatever else they hold."""
    assert after(put(1, 1, "a"), put(2, 2, "b"), put(3, 1, "c"), gone(4, 2)) == {
        "test.t": [{"id": 1, "v": "c"}]
    }


def test_a_delete_of_nothing_does_nothing() -> None:
    """A replayed or orphaned delete leaves the table as it is."""
    assert after(gone(1, 9), put(2, 1, "a"), gone(3, 9)) == {"test.t": [ONE]}


def test_event_lines_say_what_was_applied() -> None:
    """Insert, update without and with the row before, delete: each says op, images and place."""
    update = row(3, {"u": {"id": key(1), "v": column("c")}, "p": {"v": column("b")}})
    _, lines = folded(put(1, 1, "a"), put(2, 1, "b"), update, gone(4, 1))
    assert [line["op"] for line in lines] == ["insert", "update", "update", "delete"]
    assert [line["before"] for line in lines] == [None, None, {"id": 1, "v": "b"}, {"id": 1}]
    assert lines[2] == {
        "op": "update",
        "schema": "test",
        "table": "t",
        "before": {"id": 1, "v": "b"},
        "after": {"id": 1, "v": "c"},
        "commit_ts": "3",
        "topic": "x",
        "partition": 3,
        "offset": 2,
    }


def test_ddl_lines_say_what_was_executed() -> None:
    """A DDL line holds the statement as it arrived, also when rows do not heed it."""
    query = "CREATE INDEX `i` ON `t` (`v`)"
    _, lines = folded(ddl(5, query, 7))
    assert lines == [{"query": query, "type": 7, "schema": "test", "table": "t", "commit_ts": "5"}]


START = {
    "schema": "test",
    "name": "t",
    "key": ["id"],
    "columns": [
        {"name": name, "type": kind, "length": None, "scale": None, "members": [], "nullable": True}
        for name, kind in (("id", "bigint"), ("v", "varchar"))
    ],
    "rows": [{"id": "9007199254740993", "v": "a"}, {"id": 2, "v": "b"}],
}


def test_rows_from_before_the_start_are_found_by_key() -> None:
    """A row that job.json tells is updated and deleted like any other, however it is spelled."""
    found = after(put(1, 9007199254740993, "c"), gone(2, 2), tables=[START])
    assert found == {"test.t": [{"id": 9007199254740993, "v": "c"}]}


def test_keyless_rows_are_a_multiset() -> None:
    """Equal rows live side by side, and a delete takes one of them."""
    rows = [loose(ts, 7) for ts in (1, 2, 3)]
    assert after(*rows, loose(4, 7, deleted=True), loose(5, 8, deleted=True)) == {
        "test.loose": [{"n": 7}, {"n": 7}]
    }


def test_keyless_rows_with_ids_are_found_by_them() -> None:
    """With row ids and without old values an update is told from an insert."""
    found = after(loose(1, 7, rid=1), loose(2, 7, rid=2), loose(3, 9, rid=1))
    assert found == {"test.loose": [{"n": 7}, {"n": 9}]}


def test_keyless_updates_replace_one_row_by_its_image() -> None:
    """An update of a keyless row takes one row that looked like `p`."""
    number = {"t": 3, "f": 65}
    images = {"u": {"n": column(8, number)}, "p": {"n": column(7, number)}}
    found = after(loose(1, 7), loose(2, 7), row(3, images, "loose"))
    assert found == {"test.loose": [{"n": 7}, {"n": 8}]}


def test_rows_are_found_by_a_key_that_came_later() -> None:
    """After ADD PRIMARY KEY, rows that had none are found by it."""
    keyless = row(1, {"u": {"id": column(1, {"t": 3, "f": 65}), "v": column("a")}}, rid=5)
    add = ddl(2, "ALTER TABLE `test`.`t` ADD PRIMARY KEY(`id`)", 32)
    assert after(keyless, add, put(3, 1, "b")) == {"test.t": [{"id": 1, "v": "b"}]}


# DDL on the table of row ONE -> the row after it.
ALTERATIONS: dict[str, list[dict[str, Any]]] = {
    "ALTER TABLE `test`.`t` ADD COLUMN `n` INT": [{**ONE, "n": None}],
    "ALTER TABLE `t` ADD COLUMN `n` INT NOT NULL DEFAULT 5 FIRST": [{**ONE, "n": 5}],
    "ALTER TABLE `t` ADD COLUMN `n` INT AS (`id`+1)": [ONE],
    "ALTER TABLE `test`.`t` DROP COLUMN `V`": [{"id": 1}],
    "ALTER TABLE `test`.`t` RENAME COLUMN `v` TO `w`": [{"id": 1, "w": "a"}],
    "ALTER TABLE `test`.`t` CHANGE COLUMN `id` `no` VARCHAR(9)": [{"no": "1", "v": "a"}],
    "ALTER TABLE `test`.`t` MODIFY COLUMN `v` VARBINARY(9)": [{"id": 1, "v": "61"}],
    "ALTER TABLE `t` RENAME COLUMN `id` TO `v`, RENAME COLUMN `v` TO `id`": [{"v": 1, "id": "a"}],
    "ALTER TABLE `t` DROP COLUMN `v`, ADD COLUMN `w` INT DEFAULT 1, COMMENT = 'x'": [
        {"id": 1, "w": 1}
    ],
    "ALTER TABLE `test`.`t` COMMENT = 'x'": [ONE],
    "TRUNCATE TABLE `t`": [],
}


@pytest.mark.parametrize("query", ALTERATIONS)
def test_ddl_changes_stored_rows(query: str) -> None:
    """Rows follow the DDL of their table."""
    assert altered(query, action=11 if query.startswith("TRUNCATE") else 61) == ALTERATIONS[query]


def test_rows_are_found_by_a_renamed_key() -> None:
    """A key column that was renamed is the key still."""
    rename = ddl(2, "ALTER TABLE `test`.`t` RENAME COLUMN `id` TO `no`", 12)
    image = {"u": {"no": key(1), "v": column("b")}}
    assert after(put(1, 1, "a"), rename, row(3, image)) == {"test.t": [{"no": 1, "v": "b"}]}


def test_tables_come_go_and_move() -> None:
    """CREATE, LIKE, RENAME (also into another database) and DROP act on tables and databases."""
    created = ddl(1, CREATE, 3)
    like = ddl(2, "CREATE TABLE `u` LIKE `t`", 3, "u")
    row_of_t = put(3, 1, "a")
    assert after(created, like, row_of_t) == {"test.t": [ONE], "test.u": []}
    moved = ddl(4, "RENAME TABLE `t` TO `other`.`t2`", 14, "t2", "other")
    assert after(created, row_of_t, moved) == {"other.t2": [ONE]}
    again = ddl(5, "ALTER TABLE `t2` RENAME AS `T3`", 14, "T3", "other")
    assert after(created, row_of_t, moved, again) == {"other.T3": [ONE]}
    dropped = ddl(6, "DROP TABLE `test`.`t`", 4)
    assert after(created, row_of_t, dropped) == {}
    assert after(created, row_of_t, dropped, created) == {"test.t": []}
    database = ddl(7, "DROP DATABASE `test`", 2, "")
    assert after(created, row_of_t, moved, created, database) == {"other.t2": [ONE]}


def test_a_rename_that_may_mean_several_tables_is_refused() -> None:
    """Without schema, a table of another database is meant only when there is just one."""
    here, there = put(1, 1, "a"), row(2, {"u": {"id": key(1)}}, schema="more")
    fold, _ = folded(here, there, ddl(3, "RENAME TABLE `t` TO `other`.`u`", 14, "u", "other"))
    assert "may be any of 2 tables" in fold.error


def test_a_swap_through_a_third_name_keeps_rows_apart() -> None:
    """Renames run one after the other."""
    swap = [
        ddl(5, "RENAME TABLE `test`.`t` TO `test`.`x`", 14, "x"),
        ddl(5, "RENAME TABLE `test`.`u` TO `test`.`t`", 14, "t"),
        ddl(5, "RENAME TABLE `test`.`x` TO `test`.`u`", 14, "u"),
    ]
    found = after(put(1, 1, "a"), put(2, 2, "b", "u"), *swap)
    assert found == {"test.t": [{"id": 2, "v": "b"}], "test.u": [ONE]}


ERRORS = {
    "not DDL": ("FROBNICATE", 61, "not understood"),
    "a computed default": ("ALTER TABLE `t` ADD COLUMN `n` TIMESTAMP DEFAULT NOW()", 5, "database"),
    "a partition": ("ALTER TABLE `t` TRUNCATE PARTITION `p`", 23, "no statement has"),
    "an exchange": (
        "ALTER TABLE `t` EXCHANGE PARTITION `p` WITH TABLE `u`",
        42,
        "no statement has",
    ),
    "an inexact type": ("ALTER TABLE `t` MODIFY COLUMN `v` INT", 12, "no exact form"),
    "a stored column": ("ALTER TABLE `t` ADD COLUMN `n` INT AS (1) STORED", 5, "computed"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_ddl_that_rows_cannot_follow_is_an_error_with_its_place(case: str) -> None:
    """Such DDL ends the changefeed, naming topic, partition and offset; nothing follows it."""
    query, action, words = ERRORS[case]
    frames = [ddl(1, CREATE, 3), put(2, 1, "a"), ddl(3, query, action), put(4, 2, "b")]
    fold, lines = folded(*frames)
    assert words in fold.error
    assert fold.error.endswith("(topic x, partition 3, offset 2)")
    assert len(lines) == 2
    # What nobody tells is no failure of ours: the answer is that it does not apply.
    assert bool(fold.needs) == (words == "no statement has")


PARTITIONED = f"{CREATE} PARTITION BY RANGE (`id`) (PARTITION `p0` VALUES LESS THAN (10))"


def test_rows_go_with_their_partitions() -> None:
    """A partition that goes takes its rows; later rows of its keys come as to an empty one."""
    altered = "ALTER TABLE `t` ADD PARTITION (PARTITION `p1` VALUES LESS THAN (MAXVALUE))"
    frames = [ddl(1, PARTITIONED, 3), ddl(2, altered, 19), put(3, 1, "a"), put(3, 12, "b")]
    cut = ddl(4, "ALTER TABLE `t` TRUNCATE PARTITION `p0`", 23)
    assert after(*frames, cut, put(5, 1, "c"))["test.t"] == [
        {"id": 1, "v": "c"},
        {"id": 12, "v": "b"},
    ]
    dropped = ddl(4, "ALTER TABLE `t` DROP PARTITION `p1`", 20)
    assert after(*frames, dropped)["test.t"] == [ONE]


@pytest.mark.parametrize("named", ["t", "u"])
def test_an_exchange_moves_rows_both_ways(named: str) -> None:
    """Rows of partition and table change places, whichever table the event is about."""
    plain = CREATE.replace("`t`", "`u`")
    frames = [ddl(1, PARTITIONED, 3), ddl(1, plain, 3, "u"), put(2, 1, "a"), put(2, 2, "b", "u")]
    swap = ddl(3, "ALTER TABLE `t` EXCHANGE PARTITION `p0` WITH TABLE `test`.`u`", 42, named)
    assert after(*frames, swap, put(4, 1, "c", "u"), put(4, 2, "d")) == {
        "test.t": [{"id": 2, "v": "d"}],
        "test.u": [{"id": 1, "v": "c"}],
    }


@pytest.mark.parametrize(
    ("partitioning", "why"),
    [
        ("HASH (`id` + 1) PARTITIONS 2", "not understood at '+'"),
        ("KEY (`id`, `v`) PARTITIONS 2", "not understood at ','"),
        ("LIST COLUMNS (`v`) (PARTITION `p0` VALUES IN ('a'))", "varchar"),
        ("RANGE (`gone`) (PARTITION `p0` VALUES LESS THAN (1))", "gone is not defined"),
        ("RANGE (`id`) (PARTITION `p1` VALUES LESS THAN (1))", "no statement has defined 'p0'"),
    ],
)
def test_partitions_that_cannot_be_worked_out_are_named(partitioning: str, why: str) -> None:
    """They are no error as long as no row depends on them; then the answer says what they are."""
    made = ddl(1, f"{CREATE} PARTITION BY {partitioning}", 3)
    cut = ddl(3, "ALTER TABLE `t` TRUNCATE PARTITION `p0`", 23)
    assert after(made, cut, put(4, 1, "a"))["test.t"] == [ONE]
    fold, _ = folded(made, put(2, 1, "a"), cut)
    assert why in fold.needs


def test_a_computed_default_harms_no_empty_table() -> None:
    """Where no row is stored, no row needs the default."""
    add = ddl(2, "ALTER TABLE `t` ADD COLUMN `n` TIMESTAMP DEFAULT CURRENT_TIMESTAMP()", 5)
    assert after(ddl(1, CREATE, 3), add, put(3, 1, "a")) == {"test.t": [ONE]}


def test_a_poisoned_message_is_the_changefeeds_error() -> None:
    """The text of what is wrong comes first, its place after it."""
    fold, _ = folded()
    fold.apply(change_of(Event(Kind.ERROR, payload="bad frame"), 7))
    assert fold.error == "bad frame (topic x, partition 3, offset 7)"


def test_a_defect_of_ours_is_the_changefeeds_error() -> None:
    """What should never happen ends this changefeed only, and says that it is our fault."""
    fold, _ = folded()
    assert fold.apply(change_of(Event(Kind.UPSERT, 1, "test", "t", payload="{}"), 7)) is None
    assert "a defect of the consumer" in fold.error


def test_the_first_dialect_needs_the_definition() -> None:
    """Without flags, base64 is text or bytes as the table's columns say."""
    create = ddl(1, "create table t (id varchar(9) primary key, b varbinary(9))", 3)
    base64 = {"t": 15, "h": True, "v": "YWE="}
    images = {"u": {"id": base64, "b": {"t": 15, "v": "YWE="}}}
    assert after(create, row(2, images), dialect="4.0.4") == {"test.t": [{"id": "aa", "b": "6161"}]}
    assert after(create, row(2, images), row(3, {"d": {"id": base64}}), dialect="4.0.4") == {
        "test.t": []
    }


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 3))), st.integers())
def test_reindexing_changes_nothing(steps: list[tuple[int, bool, int]], seed: int) -> None:
    """Row changes with ALTERs strewn between them give what a plain dictionary gives."""
    chance = random.Random(seed)
    frames: list[Frame] = []
    expected: dict[int, str] = {}
    for ts, (number, deleted, text) in enumerate(steps):
        if deleted:
            expected.pop(number, None)
            frames.append(gone(ts, number))
        else:
            expected[number] = str(text)
            frames.append(put(ts, number, str(text)))
        if chance.random() < 0.3:
            frames.append(ddl(ts, "ALTER TABLE `t` RENAME COLUMN `v` TO `v`", 12))
    found = after(*frames).get("test.t", [])
    assert {one["id"]: one["v"] for one in found} == expected
    assert len(found) == len(expected)
