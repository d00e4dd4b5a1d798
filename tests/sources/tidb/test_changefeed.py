"""The changefeed's settings under TiCDC's names."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.model.table import TableId
from harness.sources.tidb.changefeed import PARTITION_RULES, Changefeed, Dispatcher, changefeed
from harness.sources.tidb.refusal import ChangefeedError

RULES = [
    {"matcher": ["shop.a?", "SHOP.b*"], "partition": "ts"},
    {"matcher": ["*.*"], "partition": "columns", "columns": ["id", "v"]},
    {"matcher": ["never.*"]},
]


def test_defaults() -> None:
    """Without settings there is one topic, no rule, and no keyless table."""
    feed = changefeed({}, 3)
    assert feed == Changefeed(partitions=3, topic="ticdc", dispatchers=(), force_replicate=False)
    assert feed.rule(TableId("shop", "t")) is None


def test_first_rule_decides() -> None:
    """The first dispatcher whose pattern fits the table decides, whatever the names' case."""
    feed = changefeed({"sink.dispatchers": RULES, "force-replicate": True}, 1)
    assert feed.force_replicate
    first, second, third = feed.dispatchers
    assert third == Dispatcher(("never.*",), "default")
    for name in ("a1", "A2", "bread"):
        assert feed.rule(TableId("Shop", name)) is first
    for name in ("a", "a12", "c"):
        assert feed.rule(TableId("shop", name)) is second
    assert second.columns == ("id", "v")


@pytest.mark.parametrize("kind", PARTITION_RULES)
def test_known_rules(kind: str) -> None:
    """Every partition rule of the table is read."""
    rule = {"matcher": ["*.*"], "partition": kind}
    if kind == "columns":
        rule["columns"] = ["id"]
    assert changefeed({"sink.dispatchers": [rule]}, 1).dispatchers[0].partition == kind


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"partition": "hash"}, "unknown partition rule 'hash'"),
        ({"partition": "columns"}, "go together"),
        ({"partition": "ts", "columns": ["id"]}, "go together"),
    ],
)
def test_rules_that_ticdc_lacks(rule: dict[str, object], said: str) -> None:
    """A rule that TiCDC does not have is refused."""
    with pytest.raises(UsageError, match=said):
        changefeed({"sink.dispatchers": [{"matcher": ["*.*"], **rule}]}, 1)


@pytest.mark.parametrize("topic", [".", "..", "a" * 250])
def test_names_that_kafka_lacks(topic: str) -> None:
    """A fixed topic name that TiCDC accepts and Kafka does not is refused where it is written."""
    rule = {"matcher": ["*.*"], "topic": topic}
    with pytest.raises(ChangefeedError, match="Kafka has no topic of the name") as refusal:
        changefeed({"sink.dispatchers": [rule]}, 1)
    assert refusal.value.path == ("sink.dispatchers", 0, "topic")


PLACES: list[tuple[str, object, tuple[str | int, ...]]] = [
    ("filter.rules", ["*.*", "x"], ("filter.rules", 1)),
    (
        "filter.event-filters",
        [{"matcher": ["*.*"], "ignore-event": ["insert", "inserts"]}],
        ("filter.event-filters", 0, "ignore-event", 1),
    ),
    ("sink.dispatchers", [{"matcher": ["x"]}], ("sink.dispatchers", 0, "matcher", 0)),
    (
        "sink.dispatchers",
        [{"matcher": ["*.*"], "partition": "ts", "dispatcher": "ts"}],
        ("sink.dispatchers", 0, "dispatcher"),
    ),
    ("ddl-rules", "seed", ("ddl-rules",)),
]


@pytest.mark.parametrize(("name", "value", "path"), PLACES)
def test_places(name: str, value: object, path: tuple[str | int, ...]) -> None:
    """A refusal says under which setting, and where in it, the mistake is."""
    with pytest.raises(ChangefeedError) as refusal:
        changefeed({name: value}, 1)
    assert refusal.value.path == path


def test_avro_wants_both_placeholders() -> None:
    """Topic expressions that Open Protocol takes are refused for Avro."""
    settings = {"sink.dispatchers": [{"matcher": ["*.*"], "topic": "{schema}"}]}
    assert changefeed(settings, 1).topic_for(TableId("shop", "t")) == "shop"
    with pytest.raises(ChangefeedError, match="invalid topic expression"):
        changefeed(settings, 1, "avro")


def test_the_old_key_and_any_case_of_a_partition_rule() -> None:
    """`dispatcher` is `partition` by its old name, and rules are written in any case."""
    rules = [{"matcher": ["a.*"], "dispatcher": "ts"}, {"matcher": ["*.*"], "partition": "TS"}]
    feed = changefeed({"sink.dispatchers": rules}, 1)
    assert [rule.partition.lower() for rule in feed.dispatchers] == ["ts", "ts"]


def test_case_sensitive_matchers() -> None:
    """With case-sensitive, dispatchers and rules compare names as they are."""
    settings = {
        "case-sensitive": True,
        "filter.rules": ["Shop.*"],
        "sink.dispatchers": [{"matcher": ["Shop.t"], "partition": "ts"}],
    }
    feed = changefeed(settings, 1)
    assert feed.rule(TableId("shop", "t")) is None
    assert feed.rule(TableId("Shop", "t")) is not None
    assert not feed.filters.table("shop", "t")
