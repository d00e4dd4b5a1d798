"""The changefeed's settings under TiCDC's names."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.model.table import TableId
from harness.upstream.changefeed import PARTITION_RULES, Changefeed, Dispatcher, changefeed

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
