"""What an encoder is given for a vector: tables from the setup, rows by name, DDL by decision."""

from __future__ import annotations

from typing import Any

import pytest

from harness.ddl import DdlError
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.truth.ticdc_config import settings_of
from harness.truth.ticdc_ddl import mount_ddl
from harness.truth.ticdc_open import compare
from harness.truth.ticdc_rows import mount_rows
from harness.truth.ticdc_session import Session, prepared
from tests.truth.vectors import vector
from tests.vectors import mounted_rows

CONFIG = {"uri_params": "", "partitions": 2, "default_topic": "ticdc"}


def column(name: str, code: int, flag: int, number: int) -> dict[str, Any]:
    """Return a mounted integer as a vector writes it."""
    return {"name": name, "type": code, "flag": flag, "value": {"int64": str(number)}}


def rows(setup: list[str], *changes: tuple[dict[str, Any] | None, dict[str, Any] | None]) -> Any:
    """Return a vector of `test.t (a INT PRIMARY KEY, b INT UNIQUE)` rows, before and after."""
    made: list[dict[str, Any]] = []
    for before, after in changes:
        kind = "insert" if before is None else "delete" if after is None else "update"
        images = [
            image and [column("a", 3, 11, image["a"]), column("b", 3, 81, image["b"])]
            for image in (before, after)
        ]
        made.append(
            {
                "schema": "test",
                "table": "t",
                "kind": kind,
                "row_id": 1,
                "pre_columns": images[0],
                "columns": images[1],
                "physical_table_id": 77,
            }
        )
    return {
        "id": "x",
        "config": CONFIG,
        "setup_sql": setup,
        "commit_ts": 5,
        "rows": made,
        "dispatch": [],
    }


def sent(made: Any, *kinds: str) -> Any:
    """Let a vector say what was dispatched."""
    made["dispatch"] = [
        {"kind": kind, "topic": "ticdc", "partition": {"1": 0, "2": 1}} for kind in kinds
    ]
    return made


TABLE = "create table t (v int generated always as (a) virtual, a int primary key, b int unique)"


def test_tables_are_the_catalogues_and_values_stand_by_name() -> None:
    """Ids, kinds and columns that are never sent come from the setup; values find their places."""
    (row,) = mounted_rows(sent(rows([TABLE], (None, {"a": 1, "b": 2})), "insert"))
    assert [c.id for c in row.table.table.columns] == [1, 2, 3]
    assert row.table.table.columns[0].generated is not None
    assert row.after == (None, 1, 2)
    assert (row.topic, row.partition, row.physical_id) == ("ticdc", 1, 0)


def test_updates_of_unique_keys_are_split() -> None:
    """A changed unique column makes a delete and an insert, deletes first, unless told not to."""
    updates = [({"a": n, "b": n}, {"a": n, "b": n + 10}) for n in (1, 2)]
    made = sent(rows([TABLE], *updates), "delete", "delete", "insert", "insert")
    assert [row.op for row in mounted_rows(made)] == [Op.DELETE] * 2 + [Op.INSERT] * 2
    made["config"] = {
        **CONFIG,
        "replica_config": {"sink": {"kafka-config": {"output-raw-change-event": True}}},
    }
    (wrong,) = mount_rows(made).differences
    assert (wrong.where, wrong.ours) == ("dispatch[].kind", "update, update")


def test_keys_of_partitioned_tables_carry_the_physical_id() -> None:
    """The physical id is that of the partition, as TiKV gave it."""
    partitioned = "create table t (a int primary key, b int) partition by hash (a) partitions 2"
    made = sent(rows([partitioned], (None, {"a": 1, "b": 2})), "insert")
    made["rows"][0]["columns"][1]["flag"] = 65
    (row,) = mounted_rows(made)
    assert row.physical_id == 77


def test_what_no_statement_makes_is_taken_as_described() -> None:
    """Without a setup the rows' own descriptions stand in, and that is told."""
    made = vector("ticdc/open_types.jsonl")
    made["setup_sql"] = []
    said = compare(made)
    assert (said.differences, said.excused) == ((), ("columns-as-described",))
    mounted = mount_rows(made)
    assert mounted.rows[0].table.table.columns[0].kind is ColumnKind.INT


def test_a_setup_that_cannot_be_run_is_refused() -> None:
    """SQL that the catalogue refuses is no table."""
    with pytest.raises(DdlError, match="unexpected 'tabel'"):
        prepared({"setup_sql": ["create tabel t (a int)"]})


def test_a_session_knows_its_database_and_its_quotes() -> None:
    """USE and sql_mode hold for the statements after them."""
    setup = ["create database d", "use d", "set sql_mode='ANSI_QUOTES'", 'create table "t" (a int)']
    session = prepared({"setup_sql": setup})
    assert session.schema == "d"
    assert session.catalogue.find("d", "t") is not None
    assert Session().catalogue.schemas() == ("test",)


def test_settings_are_joined_by_points() -> None:
    """Sections become dotted names; texts of a URI become what they say."""
    made = {
        "config": {
            "uri_params": "max-batch-size=4&only-output-updated-columns=true&x=",
            "replica_config": {"sink": {"open": {"output-old-value": False}}},
            "changefeed_replica_config": None,
        }
    }
    assert settings_of(made) == {
        "max-batch-size": 4,
        "only-output-updated-columns": True,
        "x": "",
        "sink.open.output-old-value": False,
    }


def test_ddl_goes_where_the_old_name_goes() -> None:
    """A renamed table's statement is sent to the topic of its old name, under its new one."""
    rule = {"matcher": ["test.old"], "topic": "moved"}
    made = {
        "id": "x",
        "protocol": "open-protocol",
        "kind": "ddl",
        "config": {**CONFIG, "replica_config": {"sink": {"dispatchers": [rule]}}},
        "setup_sql": ["create table old (a int primary key)"],
        "sql": "rename table old to new",
    }
    (event,) = mount_ddl(made).events
    assert (event.topic, event.partitions, event.table) == ("moved", 2, "new")
