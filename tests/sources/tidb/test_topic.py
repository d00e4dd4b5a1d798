"""Topics: what a rule makes of a table's name, and which rules are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.table import TableId
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.topic import check_topic, topic_of

T = TableId("test", "t.1")

TOPICS: list[tuple[str, TableId, str]] = [
    ("", T, "ticdc"),
    ("fixed-1.2_3", T, "fixed-1.2_3"),
    ("a" * 300, T, "a" * 300),
    ("..", T, ".."),
    ("{schema}", T, "test"),
    ("p_{schema}_m_{table}_s", T, "p_test_m_t.1_s"),
    ("{schema}{table}", TableId("测试", "a/b c"), "__a_b_c"),
    ("{table}", TableId("s", "."), "_"),
    ("{table}", TableId("s", ".."), "__"),
    ("{schema}.{table}", TableId("s", "x" * 247), "s." + "x" * 247),
    ("{schema}.{table}", TableId("s", "x" * 248), "s." + "x" * 247),
    ("{schema}.{table}", TableId("s", "x" * 300), ("s." + "x" * 300)[:249]),
    ("{schema}-{table}", TableId("{table}", "t"), "_table_-t"),
]


@pytest.mark.parametrize(("rule", "table", "topic"), TOPICS)
def test_topics(rule: str, table: TableId, topic: str) -> None:
    """Names take their placeholders' places, cleaned and cut as Kafka wants them."""
    check_topic(rule, avro=False)
    assert topic_of(rule, table, "ticdc") == topic


REFUSED: list[tuple[str, bool, bool]] = [
    ("{table}_{schema}", True, True),
    ("a{schema}b{schema}", True, True),
    ("x y_{table}", True, True),
    ("{Schema}", True, True),
    ("中{table}", True, True),
    ("fixed name", True, True),
    ("{schema}", False, True),
    ("{table}", False, True),
    ("x_{schema}", False, True),
    ("{schema} {table}", True, True),
    ("a_{schema}.b-{table}_c", False, False),
    ("{schema}_{table}", False, False),
    ("fixed", False, False),
    ("", False, False),
]


@pytest.mark.parametrize(("rule", "by_open", "by_avro"), REFUSED)
def test_refusals(rule: str, *, by_open: bool, by_avro: bool) -> None:
    """Placeholders stand in one order; Avro wants both of them, or a fixed name."""
    for avro, refused in ((False, by_open), (True, by_avro)):
        if not refused:
            check_topic(rule, avro=avro)
            continue
        with pytest.raises(ChangefeedError, match="invalid topic expression") as refusal:
            check_topic(rule, avro=avro)
        assert refusal.value.code == "ErrKafkaTopicExprInvalid"
        assert refusal.value.path == ("topic",)


@pytest.mark.parametrize("rule", ["fixed", "fixed-1.2_3", "{schema}_{table}", ""])
def test_fixed_names_by_release(rule: str) -> None:
    """Before v6.5.7, v7.1.4 and v7.4.0 Avro took no fixed name; Open always does."""
    check_topic(rule, avro=False, fixed=False)
    if rule.startswith("fixed"):
        with pytest.raises(ChangefeedError, match="invalid topic expression") as refusal:
            check_topic(rule, avro=True, fixed=False)
        assert "later releases take a fixed name" in refusal.value.expected
    else:
        check_topic(rule, avro=True, fixed=False)


@given(st.text(), st.text())
def test_expressions_give_names_that_kafka_takes(schema: str, table: str) -> None:
    """Whatever a table is called, an expression gives at most 249 allowed characters."""
    topic = topic_of("p{schema}_{table}", TableId(schema, table), "ticdc")
    assert 0 < len(topic) <= 249
    assert all(c.isascii() and (c.isalnum() or c in "._-") for c in topic)
