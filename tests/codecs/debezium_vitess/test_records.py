"""Keys, tombstones, headers, names and filters of the records."""

from __future__ import annotations

from dataclasses import replace
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.schema import SchemaType
from harness.codecs.debezium.adjustment import FIELD_NAMES, SCHEMA_NAMES
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium.selection import includes
from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium_vitess.reference import ORDERED_FACTORY
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.topics import topics
from harness.codecs.debezium_vitess.validation import problems
from harness.codecs.debezium_vitess.vstream_text import table_name
from harness.errors import UsageError
from harness.model.vstream import CopyCompleted, FieldInfo, VStreamResponse
from harness.mutants.producers.vitess.source import committed_at_begin
from tests.codecs.debezium_vitess.streams import (
    BASE,
    ID,
    TEXT,
    begin,
    commit,
    emitted,
    field,
    row,
    transaction,
    vgtid,
)

MOVED = [transaction(5, field(), row([b"1", b"x"], [b"2", b"x"]))]


def test_moved_key() -> None:
    """A changed key is a delete, its tombstone and a create, each telling of the other key."""
    delete, tombstone, create = emitted(MOVED)
    assert [delete.value["op"], tombstone.value, create.value["op"]] == ["d", None, "c"]
    assert (delete.key, tombstone.key, create.key) == ({"id": 1}, {"id": 1}, {"id": 2})
    assert tombstone.headers == delete.headers
    assert (delete.headers[0].key, delete.headers[0].value) == ("__debezium.newkey", {"id": 2})
    assert (create.headers[0].key, create.headers[0].value) == ("__debezium.oldkey", {"id": 1})
    assert delete.value["source"] is create.value["source"]


def test_half_of_a_moved_key() -> None:
    """Skipping creates drops the create of a changed key as well."""
    assert len(emitted(MOVED, {"skipped.operations": "c"})) == 2


def test_without_key() -> None:
    """A table without a key has records without one; a changed row stays an update."""
    plain = field(FieldInfo("id", "INT64", "bigint", 1), TEXT)
    events = [plain, row([b"1", b"x"], [b"2", b"x"]), row([b"2", b"x"], None)]
    update, delete, tombstone = emitted([transaction(5, *events)])
    assert [update.value["op"], delete.value["op"]] == ["u", "d"]
    assert {r.key for r in (update, delete, tombstone)} == {None}
    assert tombstone.value is None


def test_first_unique_column() -> None:
    """Without a primary key the first unique column is the key, also one that may be null."""
    columns = (FieldInfo("a", "INT64", "bigint", 1), FieldInfo("b", "INT64", "bigint", 4))
    (record,) = emitted([transaction(5, field(*columns), row(None, [b"1", None]))])
    assert record.key == {"b": None}


@pytest.mark.parametrize("listed", ["ks.kv:v", "0.ks.kv:v", "KS.(.*):v"])
def test_message_key(listed: str) -> None:
    """Key columns are named with or without the shard, without regard to case."""
    made = emitted(
        [transaction(5, field(), row(None, [b"1", b"x"]))], {"message.key.columns": listed}
    )
    assert made[0].key == {"v": "x"}


def test_excluded_column_is_read() -> None:
    """A column left out of values is in the key, and must be readable all the same."""
    hidden = {"column.exclude.list": "ks.kv.id"}
    (record,) = emitted([transaction(5, field(), row(None, [b"1", b"x"]))], hidden)
    assert (record.key, record.value["after"]) == ({"id": 1}, {"v": "x"})
    with pytest.raises(ConnectorFailed):
        emitted([transaction(5, field(), row(None, [b"one", b"x"]))], hidden)


@pytest.mark.parametrize(
    ("rule", "columns", "shown"),
    [
        ("column.exclude.list", "ks.kv.k", {"v": "x"}),
        ("column.include.list", "ks.kv.v", {"v": "x"}),
        ("column.truncate.to.2.chars", "ks.kv.k", {"k": "se", "v": "x"}),
        ("column.mask.with.3.chars", "ks.kv.k", {"k": "***", "v": "x"}),
    ],
)
def test_keys_are_whole(rule: str, columns: str, shown: dict[str, str]) -> None:
    """A key column that the row lacks, or has cut or masked, is whole in the key."""
    key = FieldInfo("k", "VARCHAR", "varchar(9)", 3)
    events = [field(key, TEXT), row(None, [b"secret", b"x"])]
    (record,) = emitted([transaction(5, *events)], {rule: columns})
    assert (record.key, record.value["after"]) == ({"k": "secret"}, shown)


def test_masks_keep_keys() -> None:
    """A mask hides a text in the value, NULL too, and leaves the key alone."""
    key = FieldInfo("k", "VARCHAR", "varchar(9)", 3)
    masked = {"column.mask.with.3.chars": "ks.kv.(k|v)"}
    (record,) = emitted([transaction(5, field(key, TEXT), row(None, [b"secret", None]))], masked)
    assert (record.key, record.value["after"]) == ({"k": "secret"}, {"k": "***", "v": "***"})


@pytest.mark.parametrize("table", ["kv", "ks.kv.x", ""])
def test_odd_table_names(table: str) -> None:
    """An event whose table is not `keyspace.table` is passed over."""
    assert emitted([transaction(5, field(table=table), row(None, [b"1"], table))]) == []


@given(st.text(min_size=1))
def test_adjusted_names(name: str) -> None:
    """Adjusted names are Avro names, and adjusting again changes them no more."""
    for names, allowed in ((SCHEMA_NAMES, "_."), (FIELD_NAMES, "_")):
        once = names["avro"](name)
        assert once.isascii()
        assert all(char.isalnum() or char in allowed for char in once)
        assert names["avro"](once) == once
        escaped = names["avro_unicode"](name)
        assert escaped.isascii()
        assert escaped[0].isalpha() or escaped.startswith("_u")


@given(st.text(), st.text())
def test_topic_names(keyspace: str, table: str) -> None:
    """Whatever tables are called, their topics are ones that Kafka takes."""
    name = topics(read(BASE)).data(TableKey("0", keyspace, table))
    assert 0 < len(name) <= 249
    assert includes(r"[a-zA-Z0-9._-]+")(name)
    assert name not in {".", ".."}


def test_strategies() -> None:
    """Strategies differ in what they put together; the regex ones mark their keys."""
    key = TableKey("-80", "ks", "kv")
    schema = "io.debezium.schema."
    by_name = {"topic.regex": "srv(.*)", "topic.replacement": "all$1"}

    def named(strategy: str, **more: str) -> str:
        return topics(read({**BASE, "topic.naming.strategy": strategy, **by_name, **more})).data(
            key
        )

    assert named(f"{schema}SchemaTopicNamingStrategy") == "srv.ks.kv"
    assert named(f"{schema}DefaultTopicNamingStrategy") == "srv.-80.kv"
    assert named(f"{schema}SchemaRegexTopicNamingStrategy") == "all.ks.kv"
    assert named("io.debezium.connector.vitess.TableTopicNamingStrategy") == "srv.kv"
    with pytest.raises(UsageError, match="unknown topic"):
        named("Mine")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("alter table kv add x int", "kv"),
        ("/* table no */ CREATE  TABLE `ks`.`t` (id int) -- table no", "t"),
        ("rename table a to b", "a"),
        ("create table if not exists t (id int)", "if"),
        ("drop view v", "<UNKNOWN>"),
    ],
)
def test_ddl_table(statement: str, name: str) -> None:
    """A statement's table is what the connector's pattern finds, right or wrong."""
    assert table_name(statement) == name


def test_strictness() -> None:
    """A connector passes over a name that it does not know; a scenario is told of it."""
    read({**BASE, "tombstone.on.delete": "x"})
    with pytest.raises(UsageError, match="tombstone") as refused:
        read({**BASE, "tombstone.on.delete": "x"}, strict=True)
    assert "tombstones.on.delete" in refused.value.hint
    read({**BASE, "column.truncate.to.5.chars": "x", "vitess.inherit.epoch": True}, strict=True)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"vitess.keyspace": ""},
            "vitess.keyspace: The 'vitess.keyspace' value is invalid: A value",
        ),
        ({"snapshot.mode": "always"}, "Value must be one of never, initial"),
        ({"tasks.max": "2"}, "needs to be enabled when tasks.max > 1"),
        ({"topic.prefix": "a b"}, "a b has invalid format"),
        (
            {"table.include.list": "ks.t", "table.exclude.list": "ks.u"},
            '"table.include.list" is already specified',
        ),
        (
            {"column.include.list": "ks.t.a", "column.exclude.list": "ks.t.b"},
            '"column.include.list" is already specified',
        ),
        (
            {"vitess.vgtid": '[{"keyspace":"ks","shard":"1","gtid":"a:1"}]'},
            "If GTIDs are specified must be specified for matching shards",
        ),
    ],
)
def test_problems(changes: dict[str, str], problem: str) -> None:
    """A configuration that Connect refuses is refused with Connect's words."""
    assert problems(read(BASE)) == ()
    (found,) = problems(read({**BASE, **changes}))
    assert problem in found


@given(st.characters())
def test_characters_of_a_prefix(char: str) -> None:
    """A prefix has letters, digits, hyphens, points and underscores, and no others."""
    legal = char in ascii_letters + digits + "-._"
    assert (problems(read({**BASE, "topic.prefix": f"a{char}b"})) == ()) is legal


def test_documented() -> None:
    """By the page a copied row is a create like any other, and no schema has a version."""
    copy = [
        transaction(5, field(), row(None, [b"1", b"x"]), row(None, [b"2", b"x"])),
        transaction(6, row(None, [b"3", b"x"]), row([b"3", b"x"], [b"3", b"y"])),
        VStreamResponse((CopyCompleted(), CopyCompleted())),
        transaction(7, row(None, [b"4", b"x"])),
    ]
    made = emitted(copy, {"snapshot.mode": "initial"}, "documented")
    assert [(r.value["op"], r.value["source"]["snapshot"]) for r in made] == [
        (op, None) for op in "cccuc"
    ]
    assert "table_p_ks" not in made[0].value["source"]["vgtid"]
    schema = made[0].value_schema
    assert schema is not None
    assert [f.name for f in schema.fields][2:] == ["source", "op", "ts_ms", "ts_us", "ts_ns"]
    assert (schema.version, schema.fields[2].schema.version) == (None, None)


def test_documented_transactions() -> None:
    """By the page a boundary's time stands third, the block last, a rank is a number."""
    settings = {
        "provide.transaction.metadata": True,
        "transaction.metadata.factory": ORDERED_FACTORY,
    }
    begun, data, ended = emitted(
        [transaction(68, field(), row(None, [b"1", b"x"]))], settings, "documented"
    )
    for boundary in (begun, ended):
        schema = boundary.value_schema
        assert schema is not None
        assert [f.name for f in schema.fields][:3] == ["status", "id", "ts_ms"]
    envelope = data.value_schema
    assert envelope is not None
    block = envelope.fields[-1]
    assert block.name == "transaction"
    rank = block.schema.fields[-2]
    assert (rank.name, rank.schema.kind) == ("transaction_rank", SchemaType.INT64)
    assert data.value["transaction"]["transaction_rank"] == 68


def test_one_schema_object() -> None:
    """One shape has one schema object for all its rows, which is what makes converting fast."""
    first, second = emitted(
        [transaction(5, field(), row(None, [b"1", b"x"])), transaction(6, row(None, [b"2", b"x"]))]
    )
    assert first.value_schema is second.value_schema
    assert first.key_schema is second.key_schema
    assert ID.name in first.key


def test_rows_have_the_time_of_their_commit() -> None:
    """A row's source and an END have the time of COMMIT; who takes that of BEGIN is seen."""
    late = replace(commit(), timestamp=1559033999)
    whole = VStreamResponse((begin(), field(), row(None, [b"1", b"x"]), vgtid(5), late))
    first, last = 1559033904000, 1559033999000
    for response, times in ((whole, [first, last, last]), (committed_at_begin(whole), [first] * 3)):
        records = emitted([response], {"provide.transaction.metadata": "true"})
        found = [record.value.get("source", record.value)["ts_ms"] for record in records]
        assert found == times


def test_unsupported_columns_are_in_no_key() -> None:
    """A key lacks a column of a type that is not supported, unless that is asked for."""
    bits = FieldInfo("b", "BIT", "bit(4)", 3)
    events = [transaction(5, field(ID, bits, TEXT), row(None, [b"1", b"\x01", b"x"]))]
    (plain,) = emitted(events)
    (asked,) = emitted(events, {"include.unknown.datatypes": "true"})
    assert (plain.key, asked.key) == ({"id": 1}, {"id": 1, "b": b"\x01"})
