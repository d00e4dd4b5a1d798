"""Promises of the replica: what decoders' events leave of tables, without Spark or a format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdc_spark.apply.replica import Replica
from cdc_spark.errors import DecodingError, PoisonError, UsageError

CREATE = "CREATE TABLE `s`.`t` (`id` INT PRIMARY KEY, `v` VARCHAR(9))"


def ddl(query: str, table: str = "t") -> dict[str, Any]:
    """Return the event of a statement, as a decoder gives it."""
    return {"op": "ddl", "schema": "s", "table": table, "query": query}


def put(table: str = "t", key: str = "id", **row: Any) -> dict[str, Any]:
    """Return the event of a row that is there now."""
    identity = json.dumps(["s", table, row[key]])
    event = {"op": "upsert", "schema": "s", "table": table, "key": [key], "identity": identity}
    return {**event, "before": None, "after": json.dumps(row)}


def gone(**row: Any) -> dict[str, Any]:
    """Return the delete of a row by its key."""
    event = put(**row)
    return {**event, "op": "delete", "before": event["after"], "after": None}


def changed(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as a row of change data, which has no identity."""
    left = {name: value for name, value in event.items() if name not in ("op", "identity")}
    return {**left, "_op": event["op"]}


def test_rows_of_change_data_do_as_well() -> None:
    """What `in_order` let through can be applied; a row without a key goes by its image."""
    replica = Replica()
    keyless = {"schema": "s", "table": "k", "key": [], "before": None}
    for event in (ddl(CREATE), put(id=1, v="a"), put(id=2, v="b"), gone(id=1, v="a")):
        replica.apply(changed(event))
    for _ in range(2):
        replica.apply({**keyless, "_op": "upsert", "after": '{"n": 1}'})
    replica.apply({**keyless, "_op": "delete", "before": '{"n": 1}', "after": None})
    assert replica.rows() == {("s", "t"): [{"id": 2, "v": "b"}], ("s", "k"): [{"n": 1}]}
    with pytest.raises(UsageError, match="no `op`"):
        replica.apply(keyless)


def test_rows_follow_the_statements() -> None:
    """Columns come with their defaults, go, and change names and types; tables are renamed."""
    replica = Replica()
    for event in (
        ddl(CREATE),
        put(id=1, v="a"),
        put(id=2, v="b"),
        ddl("ALTER TABLE `s`.`t` ADD COLUMN `n` INT NOT NULL DEFAULT 5"),
        ddl("ALTER TABLE `s`.`t` RENAME COLUMN `v` TO `w`, ADD INDEX `i`(`n`)"),
        put(id=2, w="c", n=6),
        ddl("RENAME TABLE `s`.`t` TO `s`.`u`", "u"),
        ddl(CREATE),
        {"op": "resolved", "schema": "", "table": ""},
    ):
        replica.apply(event)
    assert replica.rows() == {
        ("s", "u"): [{"id": 1, "w": "a", "n": 5}, {"id": 2, "w": "c", "n": 6}],
        ("s", "t"): [],
    }
    assert [column.name for column in replica.columns("s", "U")] == ["id", "w", "n"]
    replica.apply(ddl("TRUNCATE TABLE `s`.`u`", "u"))
    replica.apply(ddl("DROP TABLE `s`.`t`"))
    assert replica.rows() == {("s", "u"): []}
    with pytest.raises(DecodingError, match="there is no table s"):
        replica.columns("s", "t")


def test_a_statement_of_unknown_effect_leaves_all_as_it_was() -> None:
    """Another statement may be given in its place; the other tables go on."""
    described = {
        "schema": "s",
        "name": "t",
        "columns": [{"name": "id", "type": "int"}],
        "rows": [{"id": 7}],
    }
    replica = Replica([described])
    before = replica.rows()
    for query in ("RECOVER TABLE `s`.`x`", "ALTER TABLE `s`.`t` ADD COLUMN `u` INT DEFAULT (1+1)"):
        with pytest.raises(DecodingError):
            replica.apply(ddl(query))
        assert replica.rows() == before
    replica.apply(ddl("ALTER TABLE `s`.`t` ADD COLUMN `u` INT DEFAULT 2"))
    replica.apply(put("other", id=1))
    assert replica.rows() == {("s", "t"): [{"id": 7, "u": 2}], ("s", "other"): [{"id": 1}]}


def test_rows_without_a_key_are_found_by_their_id_or_their_image() -> None:
    """Of two equal rows a delete takes one."""
    replica = Replica()
    row = {"op": "upsert", "schema": "s", "table": "t", "key": [], "before": None}
    by_id = {**row, "identity": '["s","t",{"rid":4}]', "after": '{"n":1}'}
    for event in (by_id, {**row, "identity": "", "after": '{"n":2}'}):
        replica.apply(event)
        replica.apply({**event, "identity": ""})
    replica.apply({**by_id, "before": '{"n":1}', "after": '{"n":9}'})
    replica.apply({**row, "op": "delete", "identity": "", "before": '{"n":2}', "after": None})
    assert sorted(one["n"] for one in replica.rows()["s", "t"]) == [1, 2, 9]


def test_poison_is_never_passed_over() -> None:
    """It says where the message stands."""
    event = {"op": "poison", "reason": "cut", "topic": "t", "partition": 1, "offset": 5}
    with pytest.raises(PoisonError, match=r"cut \(topic t, partition 1, offset 5\)"):
        Replica().apply(event)


def test_what_an_old_dialect_leaves_open_the_definition_settles() -> None:
    """Dialect 4.0.4 does not tell text from bytes; rows have the contract's values nevertheless."""
    replica = Replica()
    replica.apply(ddl("CREATE TABLE `s`.`t` (`id` VARBINARY(4) PRIMARY KEY, `v` TEXT)"))
    replica.apply(put(id=["00"], v=["61"]))
    replica.apply(put(id=["ff"], v=["62"]))
    replica.apply(gone(id=["ff"]))
    assert replica.rows() == {("s", "t"): [{"id": "00", "v": "a"}]}
