"""A changefeed file: what is read from it, and what is said about a wrong one, with its place."""

from __future__ import annotations

import tomllib

import pytest

from harness.errors import ScenarioError
from harness.model.table import TableId
from harness.sources.tidb.config import read_config, read_toml
from harness.sources.tidb.config_keys import KEYS, RULE_KEYS, Form
from harness.sources.tidb.refusal import ChangefeedError, dotted
from harness.sources.tidb.toml_positions import places

FILE = """\
# A changefeed.
case-sensitive = false
force-replicate = true
memory-quota = 1073741824

[filter]
rules = ['shop.t*', "!shop.t9"] # but one
ignore-txn-start-ts = [1, 2]

[[filter.event-filters]]
matcher = ["shop.t1"]
ignore-event = ["create table"]
ignore-sql = ["^drop", \"\"\"
a ] b\"\"\"]
ignore-insert-value-expr = "id >= 100"

[[filter.event-filters]]
matcher = ["shop.*"]

[scheduler]
enable-table-across-nodes = false

[sink]
protocol = "open-protocol"
dispatchers = [
    {matcher = ['shop.*'], topic = "{schema}.{table}", partition = "index-value", index = "uk"},
    {matcher = ['*.*'], partition = "columns", columns = ["id"]},
]
[sink.open]
output-old-value = false
[sink.kafka-config]
sasl-mechanism = "PLAIN"
codec-config.max-batch-size = 3
"""


def test_a_whole_file() -> None:
    """What shows on the wire is read under the scenarios' names; the rest is listed."""
    config = read_toml(FILE)
    assert config.protocol == "open"
    assert config.ignored == ("memory-quota", "scheduler", "sink.kafka-config.sasl-mechanism")
    assert set(config.settings) == {
        *("case-sensitive", "force-replicate", "max-batch-size", "sink.open.output-old-value"),
        *("filter.rules", "filter.ignore-txn-start-ts", "filter.event-filters"),
        "sink.dispatchers",
    }
    feed = config.feed(3)
    assert feed.force_replicate
    assert feed.filters.table("shop", "t1")
    assert not feed.filters.table("shop", "t9")
    assert not feed.filters.table("mysql", "t1")
    assert feed.filters.ignored_start_ts == {1, 2}
    assert feed.topic_for(TableId("shop", "t")) == "shop.t"
    assert feed.topic_for(TableId("other", "t")) == "ticdc"
    assert config == read_config(tomllib.loads(FILE))


def test_an_empty_file() -> None:
    """A file without keys is TiCDC's defaults."""
    config = read_toml("")
    assert (dict(config.settings), config.protocol, config.ignored) == ({}, "", ())
    assert config.feed(1).filters.table("shop", "t")


# What is replaced, by what, the place, and words of the message.
WRONG: list[tuple[str, str, str, str]] = [
    ("force-replicate", "force_replicate", "3:1", "did you mean `force-replicate`?"),
    ("= true", '= "yes"', "3:1", "expected: true or false"),
    ("1073741824", '"1G"', "4:1", "expected: a whole number"),
    ("'shop.t*'", "'shop'", "7:10", "the rule 'shop' does not parse at character 5"),
    ("[1, 2]", "[1, true]", "8:1", "expected: a list of whole numbers"),
    ('["shop.t1"]', '["shop.t1", "x"]', "11:23", "the rule 'x' does not parse"),
    ('["shop.t1"]', "[]", "10:1", "without `matcher` is about no table"),
    ("create table", "Create table", "12:17", "write `create table`"),
    ("id >= 100", "abs(id) >= 100", "15:1", "uses ABS()"),
    ("ignore-insert-value-expr", "ignore-insert-expr", "15:1", "'ignore-insert-value-expr'?"),
    ("open-protocol", "canal-json", "24:1", "expected: one of open-protocol"),
    ("{schema}.{table}", "{table}{schema}", "26:28", "invalid topic expression"),
    ('"columns", columns', '"column", columns', "27:25", "did you mean 'columns'?"),
    (', columns = ["id"]', "", "27:25", "go together"),
    ('index = "uk"', 'dispatcher = "ts"', "26:83", "the old name of `partition`"),
    ('partition = "index-value"', 'partition = "ts"', "26:74", "belongs to the partition rule"),
    ("[sink.open]", "[sink.opn]", "30:1", "did you mean `sink.open.output-old-value`?"),
    ("[sink.open]", "column-selectors = [{matcher = ['*.*']}]\n[sink.open]", "29:1", "is refused"),
    ("[scheduler]", "[scheduler", "20:11", "this is not TOML"),
    ("= 3\n", "= ", "33:1", "this is not TOML"),
]


@pytest.mark.parametrize(("old", "new", "place", "said"), WRONG)
def test_mistakes(old: str, new: str, place: str, said: str) -> None:
    """A mistake is told with line and column, with what was expected and the nearest name."""
    assert old in FILE
    with pytest.raises(ScenarioError) as refusal:
        read_toml(FILE.replace(old, new, 1), "feed.toml")
    (problem,) = refusal.value.problems
    assert said in str(problem)
    assert str(problem.location) == f"feed.toml:{place}"


def test_all_mistakes_at_once() -> None:
    """Every wrong key of a file is told, in the order of the file."""
    text = FILE.replace("= true", "= 1").replace("[1, 2]", "1").replace("memory-quota", "memory")
    with pytest.raises(ScenarioError) as refusal:
        read_toml(text)
    assert [problem.location.line for problem in refusal.value.problems] == [3, 4, 8]
    with pytest.raises(ChangefeedError):
        read_config(tomllib.loads(text))


def test_places_of_every_part() -> None:
    """Every key, table and list item of a file is found where it stands."""
    found = places(FILE)
    lines = FILE.split("\n")
    for path, (line, column) in found.items():
        text = lines[line - 1][column - 1 :]
        if isinstance(path[-1], str):
            assert text.startswith((path[-1], "[", "codec-config"))
        else:
            assert text[0] in "'\"{[12"
    assert found["filter", "event-filters", 1, "matcher", 0] == (18, 12)
    assert found["sink", "kafka-config", "codec-config", "max-batch-size"] == (33, 1)
    assert places("'a.b'.\"c\" = {d = [[1], []], e = {f = 1.5}}")["a.b", "c", "e", "f"] == (1, 34)


def test_keys_hold_together() -> None:
    """Lists of rules have keys, each of them a matcher; only the wire's keys have other names."""
    rules = {name for name, key in KEYS.items() if key.form is Form.RULES}
    assert rules == set(RULE_KEYS)
    assert all("matcher" in keys for keys in RULE_KEYS.values())
    assert all(key.wire for key in KEYS.values() if key.name)
    assert dotted(("filter", "event-filters", 0, "matcher")) == "filter.event-filters[0].matcher"


@pytest.mark.parametrize("on", ["content-compatible", "only-output-updated-columns"])
def test_content_compatible_switches_updated_columns_on(on: str) -> None:
    """Either key switches it on, whatever the other says and wherever it stands."""
    (off,) = {"content-compatible", "only-output-updated-columns"} - {on}
    for lines in ((f"{on} = true", f"{off} = false"), (f"{off} = false", f"{on} = true")):
        text = "\n".join(("[sink]", *lines))
        assert read_toml(text).settings == {"only-output-updated-columns": True}
