"""Statements about records: each key of the grammar holds, and is seen to fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.model.columns import Column, ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Record, SchemaUse
from harness.scenario.grammar import grammar
from harness.verdict.author import check_events
from harness.verdict.author_records import check_records
from harness.verdict.event_pattern import SentEvent
from harness.verdict.record_pattern import Message
from tests.source_tables import shop_table

Statement = Mapping[str, Any]
TABLE = shop_table(Column(1, "id", ColumnKind.INT, nullable=False))
AXES = {"partitions": 2, "dialect": "current", "profile": "plain"}
VALUE = '{"after":{"id":1,"d":1.50,"a.b":2},"list":[{"name":"x","v":null}],"vgtid":"[{\\"g\\":7}]"}'
SCHEMA = '{"name":"t","fields":[{"name":"id","type":["null","int"]},{"name":"v","default":null}]}'
# The second field is a struct, whose schema has a name of its own.
CONNECT = (
    '{"schema":{"fields":[{"field":"id","optional":false},{"name":"t.V","field":"v","type":"struct"}'
    ']},"payload":{"id":1}}'
)


def sent(
    kind: EventKind,
    number: int,
    *places: tuple[int, int],
    key: str | None = '{"id":1}',
    value: str | None = VALUE,
    headers: tuple[tuple[str, bytes | None], ...] = (("a", b"1"), ("b", None)),
    timestamp: int | None = 5,
) -> SentEvent:
    """Return an event over `shop.t` in messages at these partitions and offsets of topic `t`."""
    image = {"id": number}
    gone = kind is EventKind.DELETE
    decoded = DecodedEvent(
        kind,
        7,
        "shop",
        "t",
        before=image if gone else None,
        after=None if gone else image,
        key_text=key or "",
        value_text=value or "",
    )
    messages = tuple(
        Message(
            Record(
                "t",
                partition,
                None if key is None else key.encode(),
                None if value is None else value.encode(),
                (),
                headers,
                None if key == CONNECT else SchemaUse("t-key", SCHEMA, 3),
                None,
                timestamp,
            ),
            offset,
        )
        for partition, offset in places
    )
    table = None if kind in (EventKind.DDL, EventKind.RESOLVED) else TABLE
    found = frozenset(partition for partition, _ in places)
    return SentEvent(decoded, table, found, "create_table", messages)


# A table is created in both partitions; row 1 comes, changes and goes in partition 0; row 2 lies
# in partition 1.
WIRE = [
    sent(EventKind.DDL, 0, (0, 0), (1, 0)),
    sent(EventKind.INSERT, 1, (0, 1)),
    sent(EventKind.INSERT, 2, (1, 1), key=CONNECT, value=None),
    sent(EventKind.UPDATE, 1, (0, 2)),
    sent(EventKind.DELETE, 1, (0, 3), headers=(), timestamp=None),
    sent(EventKind.RESOLVED, 0, (0, 4), (1, 2)),
]
I1, I2, U1, D1 = ({"insert": {"id": 1}}, {"insert": {"id": 2}}, {"update": {}}, {"delete": {}})

# Path of keys -> a statement that holds, one that does not, the key at fault, what is said.
KEYS: dict[str, tuple[Statement, Statement, tuple[str | int, ...], str]] = {
    "each": (
        {"each": I1, "has": {"topic": "t"}},
        {"each": {"insert": {"id": 9}}, "has": {"topic": "t"}},
        ("each",),
        "no event is {insert: {id: 9}}; there is DDL `create_table`",
    ),
    "has": (
        {"each": {"any": True}, "has": {"topic": "t"}},
        {"each": {"any": True}, "has": {"partition": 0}},
        ("has", "partition"),
        "in t/1@0: its partition is 1, not 0",
    ),
    "count": (
        {"count": 2, "of": {"insert": {}}},
        {"count": 1, "of": {"ddl": "create_table"}},
        ("count",),
        "2 events are {ddl: create_table}, not 1; there is DDL",
    ),
    "of": ({"count": 8}, {"count": 8, "of": I1}, ("count",), "1 event is {insert: {id: 1}}"),
    "messages": (
        {"messages": 8},
        {"messages": 2, "of": I1},
        ("messages",),
        "1 message with events is {insert: {id: 1}}, not 2",
    ),
    "together": (
        {"together": [I1, U1, D1]},
        {"together": [I1, I2]},
        ("together",),
        "they lie apart: insert of shop.t {id: 1} in t/0@1; insert of shop.t {id: 2} in t/1@1",
    ),
    "apart": (
        {"apart": [I1, I2]},
        {"apart": [I2, I1, D1]},
        ("apart",),
        "they share a partition: insert of shop.t {id: 1} in t/0@1; delete",
    ),
    "in-order": (
        {"in-order": [{"ddl": "create_table"}, {"insert": {}}, U1, D1, {"resolved": True}]},
        {"in-order": [I1, D1, U1]},
        ("in-order", 2),
        "update of shop.t {id: 1} in t/0@2 comes before delete of shop.t {id: 1} in t/0@3",
    ),
    "in-order shares": (
        {"in-order": [I2, {"resolved": True}]},
        {"in-order": [I1, I2]},
        ("in-order", 1),
        "shares no partition with insert of shop.t {id: 1} in t/0@1",
    ),
    "in-order lacks": (
        {"in-order": [I1]},
        {"in-order": [I1, {"tombstone": {}}]},
        ("in-order", 1),
        "no event is {tombstone: {}}",
    ),
    "when": (
        {"count": 0, "when": {"partitions": [1]}},
        {"count": 0, "when": {"partitions": [2], "dialect": ["current"], "profile": ["plain"]}},
        ("count",),
        "8 events",
    ),
    "record": (
        {"count": 1, "of": {"any": True, "record": {"headers": {"a": "1"}, "without": ["value"]}}},
        {"each": {"insert": {"id": 1}, "record": {"partition": 1}}, "has": {"topic": "t"}},
        ("each",),
        "there is insert of shop.t {id: 1} in t/0@1",
    ),
    "topic": (
        {"each": I1, "has": {"topic": "t"}},
        {"each": I1, "has": {"topic": "u"}},
        ("has", "topic"),
        "its topic is 't', not 'u'",
    ),
    "partition": (
        {"each": I2, "has": {"partition": 1}},
        {"each": I2, "has": {"partition": 2}},
        ("has", "partition"),
        "its partition is 1, not 2",
    ),
    "key": (
        {"each": I2, "has": {"key": {"id": 1}}},
        {"each": I1, "has": {"key": {"id": "1"}}},
        ("has", "key", "id"),
        "its key.id is 1, not '1'",
    ),
    "value": (
        {
            "each": I1,
            "has": {
                "value": {
                    "after.d": 1.5,
                    "after.a.b": 2,
                    "list.x.v": None,
                    "list.0.name": "x",
                    "vgtid.0.g": 7,
                }
            },
        },
        {"each": I1, "has": {"value": {"after.id": 2}}},
        ("has", "value", "after.id"),
        "its value.after.id is 1, not 2",
    ),
    "value lacks": (
        {"each": I1, "has": {"value": {"after.id": 1}}},
        {"each": I1, "has": {"value": {"before.id": 1}}},
        ("has", "value", "before.id"),
        "there is no value.before.id",
    ),
    "headers": (
        {"each": I1, "has": {"headers": {"a": "1", "b": None}}},
        {"each": D1, "has": {"headers": {"a": "1"}}},
        ("has", "headers", "a"),
        "its header a is not there, not '1'",
    ),
    "header-names": (
        {"each": I1, "has": {"header-names": ["a", "b"]}},
        {"each": I1, "has": {"header-names": ["b", "a"]}},
        ("has", "header-names"),
        "its headers are [a, b], not [b, a]",
    ),
    "timestamp": (
        {"each": D1, "has": {"timestamp": None}},
        {"each": I1, "has": {"timestamp": None}},
        ("has", "timestamp"),
        "its timestamp is 5, not null",
    ),
    "schema": (
        {"each": I2, "has": {"schema": {"key": {"fields": ["id", "v"]}}}},
        {"each": I1, "has": {"schema": {"value": {"fields": []}}}},
        ("has", "schema", "value"),
        "its value has no schema",
    ),
    "subject": (
        {"each": I1, "has": {"schema": {"key": {"subject": "t-key"}}}},
        {"each": I1, "has": {"schema": {"key": {"subject": "t_key"}}}},
        ("has", "schema", "key", "subject"),
        "the subject of its key schema is t-key, not t_key",
    ),
    "id": (
        {"each": I1, "has": {"schema": {"key": {"id": 3}}}},
        {"each": I1, "has": {"schema": {"key": {"id": 4}}}},
        ("has", "schema", "key", "id"),
        "the id of its key schema is 3, not 4",
    ),
    "fields": (
        {"each": I1, "has": {"schema": {"key": {"fields": ["id", "v"]}}}},
        {"each": I1, "has": {"schema": {"key": {"fields": ["v", "id"]}}}},
        ("has", "schema", "key", "fields"),
        "its key schema has the fields [id, v], not [v, id]",
    ),
    "at": (
        {"each": I1, "has": {"schema": {"key": {"at": {"fields.id.type.1": "int"}}}}},
        {"each": I1, "has": {"schema": {"key": {"at": {"fields.v.default": 0}}}}},
        ("has", "schema", "key", "at", "fields.v.default"),
        "its key schema's fields.v.default is null, not 0",
    ),
    "members": (
        {"each": I1, "has": {"members": {"key": ["id"], "value.after": ["id", "d", "a.b"]}}},
        {"each": I1, "has": {"members": {"value.after": ["d", "id", "a.b"]}}},
        ("has", "members", "value.after"),
        "its value.after has the members [id, d, a.b], not [d, id, a.b]",
    ),
    "members of nothing": (
        {"each": I2, "has": {"members": {"key": ["id"]}}},
        {"each": I2, "has": {"members": {"value": []}}},
        ("has", "members", "value"),
        "its value is no object",
    ),
    "without": (
        {"each": I2, "has": {"without": ["value", "key.rid", "headers.c"]}},
        {"each": I1, "has": {"without": ["key.rid", "headers.a"]}},
        ("has", "without", 1),
        "its headers.a is '1'",
    ),
}


@pytest.mark.parametrize(("holds", "fails", "path", "said"), KEYS.values(), ids=KEYS)
def test_a_statement_holds_or_says_what_is_there(
    holds: Statement, fails: Statement, path: tuple[str | int, ...], said: str
) -> None:
    """A true statement is silent; a false one names its key and what is there instead."""
    assert list(check_records([holds], WIRE, 2, AXES)) == []
    ((at, what),) = check_records([holds, fails], WIRE, 2, AXES)
    assert at == (1, *path)
    assert said in what


def test_every_key_of_the_grammar_is_seen_to_fail() -> None:
    """What the grammar accepts in a statement has its row here."""
    defs = grammar()["$defs"]
    statements = (one["$ref"].rsplit("/", 1)[1] for one in defs["statement"]["oneOf"])
    keys = {key for name in statements for key in defs[name]["properties"]}
    keys |= {"record", *defs["record"]["properties"], *defs["schema"]["properties"]}
    assert keys <= set(KEYS)


def test_events_know_records() -> None:
    """An item of `expect.events` says of its record what a statement would, of each copy."""
    both: Statement = {"ddl": "create_table", "record": {"topic": "t"}}
    one: Statement = {"ddl": "create_table", "record": {"partition": 0}}
    assert check_events([both], WIRE[:1], 2) is None
    assert check_events([one], WIRE[:1], 2) is not None
