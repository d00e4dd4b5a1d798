"""Expressions of Java's kind in the connector's lists, and what it refuses at its start."""

from __future__ import annotations

import pytest

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium.selection import includes
from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.topics import topics
from harness.codecs.debezium_vitess.validation import problems
from harness.codecs.debezium_vitess.vgtid import jackson

_REGEX_STRATEGY = {
    "topic.prefix": "srv",
    "vitess.keyspace": "ks",
    "topic.naming.strategy": "io.debezium.schema.SchemaRegexTopicNamingStrategy",
}


@pytest.mark.parametrize(
    ("listed", "name", "included"),
    [
        (r"\Qks.t.a\E", "ks.t.a", True),
        (r"\Qks.t.a\E", "ksxtxa", False),
        (r"ks\.t\.\p{Alpha}+", "ks.t.ab", True),
        (r"ks\.t\.\p{Alpha}+", "ks.t.é", False),
        (r"ks\.t\.[\p{Digit}_]", "ks.t.7", True),
        (r"ks\.t\.\P{Digit}", "ks.t.7", False),
        (r"ks\.t\.\p{L}", "ks.t.é", True),
        (r"(?<k>ks)\.t\z", "KS.T", True),
        (r"ks\.t++", "ks.tt", True),
    ],
)
def test_a_list_takes_java_s_expressions(listed: str, name: str, *, included: bool) -> None:
    """Quotations, classes by name, named groups and possessive marks mean what they do in Java."""
    assert includes(listed)(name) is included


def test_a_topic_s_replacement_may_name_a_group() -> None:
    """A group's name is written Java's way in the expression and in the replacement."""
    asked = {"topic.regex": r"(?<front>.*)\.(.*)", "topic.replacement": "${front}.all"}
    settings = read({**_REGEX_STRATEGY, **asked})
    assert topics(settings).data(TableKey("0", "ks", "t")) == "srv.ks.all"


def test_an_escaped_backslash_before_hexadecimal_digits_stays() -> None:
    """Only escapes of control characters get digits in upper case."""
    assert jackson("\\u000a \x0b") == r'"\\u000a \u000B"'


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"topic.regex": "(", "topic.replacement": "x"},
        {"topic.regex": "(.*)", "topic.replacement": "$1", "topic.delimiter": ""},
    ],
)
def test_a_strategy_without_its_expression_stops_the_task(asked: dict[str, str]) -> None:
    """Java says the same words whether the expression is missing or wrong."""
    with pytest.raises(JavaError, match="Unable to validate config"):
        topics(read({**_REGEX_STRATEGY, **asked}))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"skipped.operations": "c, u"}, ()),
        (
            {"skipped.operations": "C"},
            ("skipped.operations: The 'skipped.operations' value is invalid: Invalid operation",),
        ),
        ({"message.key.columns": ";"}, ()),
        (
            {"message.key.columns": "ks.t:a:b"},
            (
                (
                    "message.key.columns: The 'message.key.columns' value is invalid: ks.t:a:b has "
                    r"an invalid format (expecting '^\s*([^\s:]+):([^:\s]+)\s*$')"
                ),
            ),
        ),
        (
            {"snapshot.mode": "bogus"},
            (
                (
                    "snapshot.mode: The 'snapshot.mode' value is invalid: "
                    "Value must be one of never, initial"
                ),
            ),
        ),
        (
            {"heartbeat.interval.ms": "-1", "provide.transaction.metadata": "yes"},
            (
                (
                    "provide.transaction.metadata: The 'provide.transaction.metadata' value is "
                    "invalid: Either 'true' or 'false' is expected"
                ),
                (
                    "heartbeat.interval.ms: The 'heartbeat.interval.ms' value is invalid: "
                    "An non-negative integer is expected"
                ),
            ),
        ),
    ],
)
def test_connect_looks_at_lists_as_java_splits_them(
    asked: dict[str, str], expected: tuple[str, ...]
) -> None:
    """Letters count in lower case only; entries that `String.split` drops are not looked at."""
    settings = read({"topic.prefix": "srv", "vitess.keyspace": "ks", **asked})
    assert problems(settings) == expected


@pytest.mark.parametrize("listed", ["", "no colon", "ks.t:a;b"])
def test_key_columns_without_a_colon_stop_the_connector(listed: str) -> None:
    """The list is taken apart before anybody looks at its form."""
    with pytest.raises(JavaError, match="Index 1 out of bounds for length 1"):
        read({"topic.prefix": "srv", "vitess.keyspace": "ks", "message.key.columns": listed})
