"""A chain as a connector's configuration names it: aliases, predicates, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from harness.codecs.connect.schema import (
    ConnectRecord,
    Field,
    Header,
    Schema,
    SchemaType,
)
from harness.codecs.connect.transforms import TransformChain, transform_chain
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.errors import SourceStopped, UsageError
from harness.model.record import Origin

PACKAGE = "io.debezium.connector.vitess.transforms"
PREDICATES = "org.apache.kafka.connect.transforms.predicates"
VALUE = Schema(
    SchemaType.STRUCT,
    fields=(Field("a", Schema(SchemaType.STRING)), Field("b", Schema(SchemaType.INT64))),
)
ROW = ConnectRecord("t", None, None, VALUE, {"a": "x", "b": 1}, Origin(1, 0, 0, "row"))
TOMBSTONE = ConnectRecord("t", None, None, None, None, Origin(1, 0, 0, "row"))
REMOVE = {
    "transforms": "cut, ",
    "transforms.cut.type": f"{PACKAGE}.RemoveField",
    "transforms.cut.field_names": "b",
}


def chain(values: Mapping[str, object]) -> TransformChain:
    """Return the chain of the Vitess connector's transforms."""
    return transform_chain(values, TRANSFORMS)


def test_predicate_spares_tombstones() -> None:
    """With a negated predicate the documented chain lives with tombstones."""
    made = chain(
        {
            **REMOVE,
            "transforms.cut.predicate": "gone",
            "transforms.cut.negate": True,
            "predicates": "gone",
            "predicates.gone.type": f"{PREDICATES}.RecordIsTombstone",
        }
    )
    kept, passed = made.transformed([ROW, TOMBSTONE])
    assert kept.value == {"a": "x"}
    assert passed is TOMBSTONE


def test_topic_predicate() -> None:
    """A topic's whole name must match."""
    options = {
        **REMOVE,
        "transforms.cut.predicate": "p",
        "predicates": "p",
        "predicates.p.type": f"{PREDICATES}.TopicNameMatches",
    }
    assert chain({**options, "predicates.p.pattern": "tt?"}).apply(ROW) != ROW
    assert chain({**options, "predicates.p.pattern": "tx"}).apply(ROW) is ROW


def test_text_where_a_number_stands() -> None:
    """ReplaceFieldValue fails on a field that holds no text, in Connect's words."""
    made = chain(
        {
            "transforms": "put",
            "transforms.put.type": f"{PACKAGE}.ReplaceFieldValue",
            "transforms.put.field_names": "b",
        }
    )
    with pytest.raises(SourceStopped) as stop:
        made.apply(ROW)
    assert stop.value.what == (
        'Invalid Java object for schema with type INT64: class java.lang.String for field: "b"'
    )


@pytest.mark.parametrize(
    "values",
    [
        {"transforms": "a"},
        {"transforms": "a", "transforms.a.type": "org.example.Unknown"},
        {**REMOVE, "transforms.cut.predicate": "nobody"},
        {"predicates": "p", "predicates.p.type": "org.example.Unknown"},
    ],
)
def test_refused(values: dict[str, str]) -> None:
    """What no chain can be made of is the user's mistake."""
    with pytest.raises(UsageError):
        chain(values)


SOURCE = Schema(
    SchemaType.STRUCT,
    fields=(Field("shard", Schema(SchemaType.STRING)), Field("vgtid", Schema(SchemaType.STRING))),
)


@pytest.mark.parametrize(
    ("first", "options", "message"),
    [
        ("RemoveField", {"field_names": "source.vgtid"}, "vgtid is not a valid field name"),
        ("RemoveField", {"field_names": "source.shard"}, "shard is not a valid field name"),
        ("ReplaceFieldValue", {"field_names": "source.vgtid", "field_value": "x"}, "not a VGTID"),
    ],
)
def test_a_vgtid_that_an_earlier_transform_spoiled(
    first: str, options: dict[str, str], message: str
) -> None:
    """What UseLocalVgtid then misses stops the task with a Java exception, nothing else."""
    schema = Schema(SchemaType.STRUCT, fields=(Field("source", SOURCE),))
    vgtid = '[{"keyspace":"ks","shard":"0","gtid":"a:1"}]'
    value = {"source": {"shard": "0", "vgtid": vgtid}}
    record = ConnectRecord("t", None, None, schema, value, Origin(1, 0, 0, "row"))
    made = chain(
        {
            "transforms": "spoil,local",
            "transforms.spoil.type": f"{PACKAGE}.{first}",
            **{f"transforms.spoil.{name}": text for name, text in options.items()},
            "transforms.local.type": f"{PACKAGE}.UseLocalVgtid",
        }
    )
    with pytest.raises(SourceStopped, match=message):
        made.apply(record)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RemoveField", {"field_names": "b"}),
        ("ReplaceFieldValue", {"field_names": "a", "field_value": "y"}),
        ("FilterTransactionTopicRecords", {}),
        ("UseLocalVgtid", {}),
    ],
)
def test_headers_stay(name: str, options: dict[str, str]) -> None:
    """No transform touches a record's headers."""
    text = Schema(SchemaType.STRING)
    headers = (Header("__debezium.newkey", text, "2"), Header("trace", text, "x"))
    asked = {f"transforms.t.{option}": value for option, value in options.items()}
    made = chain({"transforms": "t", "transforms.t.type": f"{PACKAGE}.{name}", **asked})
    record = replace(ROW, headers=headers, key_schema=Schema(SchemaType.STRING, name="k"), key="k")
    (kept,) = made.transformed([record])
    assert kept.headers == headers
