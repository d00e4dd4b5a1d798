"""What becomes of a transaction and of a DDL statement, as connector-mariadb 3.3.0.Final sends it.

Each test names the scenario whose real records show it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.codecs.debezium.emitter import LATER, MILLISECOND
from harness.codecs.debezium_mysql.codec import bind
from harness.errors import SourceStopped, StepError, UsageError
from harness.model.change import ChangeLog, DdlRun, Op, RowChanged, Transaction
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.table import TableId
from harness.sources.mysql.source import simulate
from harness.sources.source import SourceConfig

T = TableId("shop", "t")
BARE = {f"{part}.converter.schemas.enable": False for part in ("key", "value")}
TRANSACTIONS = {**BARE, "provide.transaction.metadata": True}


def _sent(settings: Settings, *changes: DdlRun | Transaction) -> list[Record]:
    source = simulate(ChangeLog(changes), SourceConfig(settings, ("shop",), 1))
    return list(bind(source.settings, "current").encode(source.given))


def _ddl(sql: str) -> DdlRun:
    return DdlRun(sql, "", 1)


def _rows(*rows: tuple[Op, Any, Any, int]) -> Transaction:
    made = tuple(RowChanged(op, T, before, after, 2, number) for op, before, after, number in rows)
    return Transaction("one", made, 2)


def _values(records: list[Record], topic: str) -> list[Any]:
    return [json.loads(one.value) if one.value else None for one in records if one.topic == topic]


def test_every_ddl_leaves_a_begin_without_an_end() -> None:
    """Scenario: ddl.add-column."""
    sent = _sent(
        TRANSACTIONS,
        _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        _rows((Op.INSERT, None, (1,), 0)),
    )
    bounds = [(one["status"], one["id"]) for one in _values(sent, "mysql.transaction")]
    assert bounds == [("BEGIN", "0-1-1"), ("BEGIN", "0-1-2"), ("END", "0-1-2")]


def test_a_changed_key_is_a_delete_a_tombstone_and_a_create_with_headers() -> None:
    """Scenario: keys.pk-chain."""
    sent = _sent(
        BARE,
        _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        _rows((Op.UPDATE, (1,), (2,), 0)),
    )
    deleted, tombstone, created = [one for one in sent if one.topic == "mysql.shop.t"]
    assert (deleted.key, tombstone.key, created.key) == (b'{"id":1}', b'{"id":1}', b'{"id":2}')
    assert tombstone.value is None
    assert deleted.headers[0] == ("__debezium.newkey", b'{"id":2}')
    assert created.headers[0] == ("__debezium.oldkey", b'{"id":1}')


def test_rows_are_counted_within_the_event_of_one_statement() -> None:
    """Scenario: deletes.in-one-transaction-with-others."""
    sent = _sent(
        BARE,
        _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        _rows(
            (Op.INSERT, None, (1,), 0),
            (Op.INSERT, None, (2,), 0),
            (Op.INSERT, None, (3,), 1),
        ),
    )
    assert [one["source"]["row"] for one in _values(sent, "mysql.shop.t")] == [0, 1, 0]


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ("id INT, v INT, PRIMARY KEY (v, id)", '{"v":7,"id":1}'),  # the key's own order
        ("id INT NOT NULL, v INT, UNIQUE KEY u (id)", '{"id":1}'),  # ddl.index-makes-eligible
        ("id INT, v INT, UNIQUE KEY u (id)", None),  # keys.nullable-unique-is-no-key
        ("id INT UNIQUE, v INT", '{"id":1}'),  # keys.unique-key-is-null
    ],
)
def test_what_the_connector_takes_for_the_key(columns: str, key: str | None) -> None:
    """Scenarios: those named at the rows."""
    sent = _sent(
        BARE, _ddl(f"CREATE TABLE shop.t ({columns})"), _rows((Op.INSERT, None, (1, 7), 0))
    )
    (row,) = [one for one in sent if one.topic == "mysql.shop.t"]
    assert row.key == (None if key is None else key.encode())


@pytest.mark.parametrize(("skipped", "ops"), [("t", []), ("none", ["t"])])
def test_truncate_is_a_record_where_nothing_is_skipped(skipped: str, ops: list[str]) -> None:
    """Scenario: ddl.truncate."""
    sent = _sent(
        {**BARE, "skipped.operations": skipped},
        _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        _ddl("TRUNCATE TABLE shop.t"),
    )
    assert [one["op"] for one in _values(sent, "mysql.shop.t")] == ops
    assert len(_values(sent, "mysql")) == 1


@pytest.mark.parametrize(
    ("interval", "seconds"), [(1, [1, 2, 3, 4, 5, 6]), (2000, [2, 4, 6]), (2001, [3, 6]), (0, [])]
)
def test_a_heartbeat_comes_when_its_interval_has_passed(interval: int, seconds: list[int]) -> None:
    """Scenario: mysql.heartbeats. The connector's clock starts with the log."""
    created = _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)")
    rows = _rows((Op.INSERT, None, (1,), 0), (Op.INSERT, None, (2,), 0))
    sent = _sent({**BARE, "heartbeat.interval.ms": interval}, created, rows)
    beats = [one for one in sent if one.topic == "__debezium-heartbeat.mysql"]
    begins = _values(sent, "mysql")[0]["source"]["ts_ms"] + LATER // MILLISECOND
    assert [json.loads(one.value or b"") for one in beats] == [
        {"ts_ms": begins + second * 1000} for second in seconds
    ]
    assert {(one.key, one.partition, one.headers) for one in beats} <= {
        (b'{"serverName":"mysql"}', 0, ())
    }


@pytest.mark.parametrize(
    ("sql", "texts"),
    [
        # ddl.drop-and-recreate, filters.several-renamed-inside, ddl.index-by-the-document
        ("DROP TABLE shop.t, shop.u", ["DROP TABLE `shop`.`t`", "DROP TABLE `shop`.`u`"]),
        (
            "RENAME TABLE shop.t TO shop.a, shop.u TO shop.b",
            ["RENAME TABLE shop.t TO shop.a", "RENAME TABLE shop.u TO shop.b"],
        ),
        ("CREATE INDEX i ON shop.t (id)", ["CREATE INDEX i ON shop.t (id)"]),
        ("CREATE VIEW shop.w AS SELECT id FROM shop.t", []),
    ],
)
def test_how_statements_are_told(sql: str, texts: list[str]) -> None:
    """Scenarios: those named at the rows, and ddl.views."""
    made = (_ddl(f"CREATE TABLE shop.{name} (id INT PRIMARY KEY)") for name in "tu")
    sent = _sent(BARE, *made, _ddl(sql))
    assert [one["ddl"] for one in _values(sent, "mysql")][2:] == texts


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heartbeat.interval.ms", -1),
        ("heartbeat.action.query", "DELETE FROM shop.beats"),
        ("heartbeat.topics.prefix", "beat"),
        ("snapshot.mode", "recovery"),
        ("snapshot.mode", "schema_only"),
        ("decimal.handling.mode", "exact"),
        ("time.precision.mode", "adaptive"),
        ("decimal.handeling.mode", "string"),
        ("topic.creation.default.partitions", 0),
    ],
)
def test_a_setting_that_is_not_played_is_refused_by_its_name(name: str, value: int | str) -> None:
    """Nothing is taken that would change nothing."""
    with pytest.raises(UsageError, match=name.split(".", maxsplit=1)[0]):
        bind({"topic.prefix": "mysql", name: value}, "current")


def _made(*rows: tuple[Any, ...], name: str = "t") -> Transaction:
    table = TableId("shop", name)
    changes = (RowChanged(Op.INSERT, table, None, row, 2, n) for n, row in enumerate(rows))
    return Transaction(f"made-{name}", tuple(changes), 2)


def _copied(settings: Settings, after: str, *changes: DdlRun | Transaction) -> list[Record]:
    config = SourceConfig(settings, ("shop",), 1, copied_after=after)
    return _encoded(ChangeLog(changes), config)


def _encoded(log: ChangeLog, config: SourceConfig) -> list[Record]:
    source = simulate(log, config)
    return list(bind(source.settings, "current").encode(source.given))


def _markers(records: list[Record]) -> list[tuple[str, str]]:
    values = [json.loads(one.value or b"null") for one in records]
    read = [value for value in values if value and value.get("op") == "r"]
    return [(value["source"]["table"], value["source"]["snapshot"]) for value in read]


@pytest.mark.parametrize(
    ("counts", "markers"),
    [
        ({"a": 1}, ["last"]),
        ({"a": 3}, ["first", "true", "last"]),
        ({"a": 1, "b": 1, "c": 1}, ["first", "last_in_data_collection", "last"]),
        ({"a": 0, "b": 2}, ["first_in_data_collection", "last"]),
        ({"a": 2, "b": 0}, ["first", "last"]),
    ],
)
def test_a_row_that_is_read_says_where_it_stands(
    counts: dict[str, int], markers: list[str]
) -> None:
    """Scenarios: mysql.copied, snapshot.several-tables-copied."""
    tables = [_ddl(f"CREATE TABLE shop.{name} (id INT PRIMARY KEY)") for name in counts]
    rows = [_made(*((n,) for n in range(count)), name=name) for name, count in counts.items()]
    found = _markers(_copied(BARE, f"made-{[*counts][-1]}", *tables, *rows))
    assert [marker for _, marker in found] == markers
    assert [name for name, _ in found] == [n for n, count in counts.items() for _ in range(count)]


def test_a_value_at_which_the_connector_fails_is_no_copy() -> None:
    """It reads YEAR as a date, and there is none of the year 0."""
    made = _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, v YEAR)")
    with pytest.raises(StepError, match="fails at a YEAR of 0000"):
        _copied(BARE, "made-t", made, _made((1, 0)))


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ("INDEX v (v)", [2, 3, 1]),  # it holds all, and is shorter
        ("INDEX v (v), INDEX w (v, w)", [2, 3, 1]),
        ("UNIQUE v (v)", [2, 3, 1]),
        ("INDEX v (v), extra INT", [1, 2, 3]),
    ],
)
def test_rows_are_read_by_an_index_that_holds_them_all(keys: str, order: list[int]) -> None:
    """As MariaDB 11.4.5 reads them, NULL first; scenario: mysql.copied-kinds."""
    keys = keys.replace("INDEX w (v, w)", "INDEX w (v, id)")
    more = (None,) * ("extra" in keys)
    made = _ddl(f"CREATE TABLE shop.t (id INT PRIMARY KEY, v INT, {keys})")
    found = _copied(BARE, "made-t", made, _made((1, 9, *more), (2, None, *more), (3, 5, *more)))
    values = [json.loads(one.value or b"null") for one in found if one.topic == "mysql.shop.t"]
    assert [value["after"]["id"] for value in values] == order


@pytest.mark.parametrize(
    ("after", "rows", "settings", "why"),
    [
        ("nobody", 0, {}, "names transaction 'nobody'"),
        ("made-u", 0, {}, "has none after it"),
        ("made-t", 2, {}, "behind row 2 of 3"),
        ("made-t", 0, {"snapshot.mode": "no_data"}, "copies no row"),
        ("made-t", 1, {"table.include.list": "shop.u,shop.t"}, "by their names"),
    ],
)
def test_a_copy_that_cannot_break_off_so_is_refused(
    after: str, rows: int, settings: Settings, why: str
) -> None:
    """Scenario: mysql.copy-broken-off."""
    tables = [_ddl(f"CREATE TABLE shop.{name} (id INT PRIMARY KEY)") for name in "tu"]
    changes = (*tables, _made((1,), (2,), (3,)), _made((1,), name="u"))
    config = SourceConfig(
        {**BARE, **settings}, ("shop",), 1, copied_after="made-t", broken_off=(after, rows)
    )
    with pytest.raises(UsageError, match=why):
        _encoded(ChangeLog(changes), config)


@pytest.mark.parametrize(
    ("alter", "why"),
    [
        ("CHANGE COLUMN v w VARCHAR(5)", "shop.t.w is NULL, and to the connector it is NOT NULL"),
        ("CONVERT TO CHARACTER SET latin1", "another character set"),
        ("DEFAULT CHARACTER SET latin1", "another character set"),
    ],
)
def test_what_the_connector_does_not_follow_is_refused(alter: str, why: str) -> None:
    """The real connector was asked: it writes a zero there, and reads texts in the old set."""
    made = _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(5) NOT NULL)")
    with pytest.raises(StepError, match=why):
        _sent(
            BARE, made, _ddl(f"ALTER TABLE shop.t {alter}"), _rows((Op.INSERT, None, (1, None), 0))
        )


def test_a_truncate_is_the_statement_that_it_was() -> None:
    """Scenario: mysql.truncated."""
    settings = {**BARE, "skipped.operations": "none"}
    made = _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)")
    sent = [r for r in _sent(settings, made, _ddl("TRUNCATE shop.t")) if r.topic == "mysql.shop.t"]
    (event,) = bind({"topic.prefix": "mysql", **settings}, "current").decode(None, sent[0].value)
    assert (event.kind, event.query, event.empties) == ("ddl", "TRUNCATE TABLE `t`", True)
    assert event.age == (event.commit_ts, 2)


@pytest.mark.parametrize(
    ("rule", "column", "held", "parameters", "sent"),
    [
        ("column.truncate.to.3.chars", "VARCHAR(5)", "abcd", {"truncateLength": "3"}, "abc"),
        ("column.truncate.to.5.chars", "VARCHAR(5)", "abcd", None, "abcd"),
        # An ENUM has length 1 for the connector's parser, so nothing is cut.
        ("column.truncate.to.3.chars", "ENUM('abcd')", 1, {"allowed": "abcd"}, "abcd"),
        # Bits are a `byte[]`, which is not cut, although the schema says so.
        (
            "column.truncate.to.1.chars",
            "BIT(9)",
            257,
            {"length": "9", "truncateLength": "1"},
            "AQE=",
        ),
        ("column.mask.with.2.chars", "CHAR(4)", "abcd", {"masked": "true"}, "**"),
        (
            "column.propagate.source.type",
            "DECIMAL(6,2)",
            "1.50",
            {
                "scale": "2",
                "connect.decimal.precision": "6",
                "__debezium.source.column.type": "DECIMAL",
                "__debezium.source.column.length": "6",
                "__debezium.source.column.scale": "2",
                "__debezium.source.column.name": "c",
            },
            "AJY=",
        ),
    ],
)
def test_rules_go_by_what_the_parser_knows_of_a_column(
    rule: str, column: str, held: Any, parameters: dict[str, str] | None, sent: str
) -> None:
    """C:relational/mapping/TruncateColumn.java, MaskStrings.java, Propagate….java of 3.3.0."""
    records = _sent(
        {rule: "shop.t.c"},
        _ddl(f"CREATE TABLE shop.t (id INT PRIMARY KEY, c {column})"),
        _rows((Op.INSERT, None, (1, held), 0)),
    )
    value = _values(records, "mysql.shop.t")[0]
    field = value["schema"]["fields"][1]["fields"][1]
    assert field.get("parameters") == parameters
    assert value["payload"]["after"]["c"] == sent


@pytest.mark.parametrize(
    ("name", "hint"), [("ExtractNewRecordState", "Flattened rows"), ("ByLogicalTableRouter", "")]
)
def test_who_reads_flattened_rows_is_told_what_to_do(name: str, hint: str) -> None:
    """The guide speaks of rows that a transform left, and of nothing else."""
    settings = {**BARE, "transforms": "r", "transforms.r.type": f"io.debezium.transforms.{name}"}
    with pytest.raises(UsageError, match=name) as caught:
        bind(settings, "current")
    assert caught.value.hint.endswith(hint)
    assert bool(caught.value.hint) is bool(hint)


KAFKA = "org.apache.kafka.connect.transforms"
ROUTER = {
    "transforms": "r",
    "transforms.r.type": f"{KAFKA}.RegexRouter",
    "transforms.r.regex": r"(\w+)\.shop\.(\w+)",
}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"transforms": "f", "transforms.f.type": f"{KAFKA}.Filter"}, "drops a row of mysql.shop"),
        ({**ROUTER}, 'Missing required configuration "replacement"'),
        ({**ROUTER, "transforms.r.replacement": "$3"}, "No group 3"),
        ({**ROUTER, "transforms.r.replacement": "a b"}, r"Invalid topics: \[a b\]"),
        ({**ROUTER, "transforms.r.regex": "("}, "configuration regex"),
        (
            {**ROUTER, "transforms.r.type": "io.debezium.transforms.ExtractNewRecordState"},
            "is no change event",
        ),
        (
            {**ROUTER, "transforms.r.type": "io.debezium.connector.vitess.transforms.RemoveField"},
            "in the jar of the Vitess connector",
        ),
        ({**ROUTER, "transforms.r.type": f"{KAFKA}.Cast$Key"}, "unknown transform"),
        (
            {
                "topic.naming.strategy": "io.debezium.schema.DefaultRegexTopicNamingStrategy",
                "topic.regex": "(.*)shop(.*)",
                "topic.replacement": "$3",
            },
            "No group 3",
        ),
    ],
)
def test_what_a_transform_may_not_do(settings: Settings, why: str) -> None:
    """A row is never dropped in silence, and what stops a task is said in its own words."""
    created = _ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)")
    wanted = {**BARE, "include.schema.changes": False, **settings}
    with pytest.raises((UsageError, SourceStopped), match=why):
        _sent(wanted, created, _rows((Op.INSERT, None, (1,), 0)))
