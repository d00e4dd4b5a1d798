"""Event filters: which events a rule ignores, and which rules are refused."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType
from harness.model.change import Op
from harness.sources.tidb.event_filter import event_rule
from harness.sources.tidb.event_types import ALTER_TABLE_ACTIONS, DDL_EVENTS, EVENT_NAMES
from harness.sources.tidb.refusal import ChangefeedError

EVERY = ["*.*"]


@pytest.mark.parametrize("name", EVENT_NAMES)
def test_every_name_ignores_something(name: str) -> None:
    """Each event that can be named ignores a kind of row change or an action of DDL."""
    rule = event_rule(EVERY, [name])
    actions = [action for action in DDL_EVENTS if rule.ignores_ddl(action, "")]
    changes = [op for op in Op if rule.ignores_rows(op)]
    assert actions or changes
    assert not (actions and changes)


NAMES: list[tuple[str, set[ActionType]]] = [
    ("create schema", {ActionType.CREATE_SCHEMA}),
    ("drop schema", {ActionType.DROP_SCHEMA}),
    ("create index", {ActionType.ADD_INDEX}),
    ("rename table", {ActionType.RENAME_TABLE, ActionType.RENAME_TABLES}),
    ("all ddl", set(DDL_EVENTS)),
    ("alter table", set(ALTER_TABLE_ACTIONS)),
    ("all dml", set()),
]


@pytest.mark.parametrize(("name", "actions"), NAMES)
def test_names(name: str, actions: set[ActionType]) -> None:
    """A name ignores the actions that it stands for, aliases and groups included."""
    rule = event_rule(EVERY, [name])
    assert {action for action in DDL_EVENTS if rule.ignores_ddl(action, "")} == actions


def test_alter_table_is_what_alters_tables() -> None:
    """Creating, dropping, truncating and foreign keys are no `alter table`; renaming is."""
    assert ActionType.RENAME_TABLE in ALTER_TABLE_ACTIONS
    assert ActionType.ADD_FOREIGN_KEY not in ALTER_TABLE_ACTIONS
    assert ActionType.TRUNCATE_TABLE not in ALTER_TABLE_ACTIONS


def test_texts() -> None:
    """Patterns are joined, in any case, and look at DDL alone."""
    rule = event_rule(EVERY, (), ["^drop", "add\\s+column"])
    assert rule.ignores_ddl(ActionType.DROP_TABLE, "Drop TABLE t")
    assert rule.ignores_ddl(ActionType.ADD_COLUMN, "alter table t ADD  COLUMN c int")
    assert not rule.ignores_ddl(ActionType.DROP_COLUMN, "alter table t drop column c")
    assert not any(rule.ignores_rows(op) for op in Op)


def test_a_bad_pattern_voids_its_rule() -> None:
    """A pattern that does not compile leaves the whole rule without effect, as TiCDC does."""
    rule = event_rule(EVERY, ["all ddl", "all dml"], ["("])
    assert "missing )" in rule.void
    assert not rule.ignores_ddl(ActionType.DROP_TABLE, "(")
    assert not rule.ignores_rows(Op.INSERT)


def test_matchers_respect_case() -> None:
    """Matchers compare names by exact case, and a schema alone by its rules."""
    rule = event_rule(["test.*", "!test.t1"])
    assert rule.covers("test", "t2")
    assert not rule.covers("test", "t1")
    assert not rule.covers("Test", "t2")
    assert rule.covers("test", "")
    assert not rule.covers("other", "")


REFUSED: list[tuple[list[str], list[str], str, tuple[str, int], str]] = [
    (EVERY, ["insert", "foo"], "ErrInvalidIgnoreEventType", ("ignore-event", 1), ""),
    (EVERY, ["INSERT"], "ErrInvalidIgnoreEventType", ("ignore-event", 0), "write `insert`"),
    (EVERY, ["none"], "ErrInvalidIgnoreEventType", ("ignore-event", 0), ""),
    (EVERY, ["rename column"], "ErrInvalidIgnoreEventType", ("ignore-event", 0), ""),
    (["test"], ["insert"], "ErrFilterRuleInvalid", ("matcher", 0), ""),
]


@pytest.mark.parametrize(("matcher", "events", "code", "path", "hint"), REFUSED)
def test_refusals(
    matcher: list[str], events: list[str], code: str, path: tuple[str, int], hint: str
) -> None:
    """An event that does not exist and a matcher that does not parse are refused at their place."""
    with pytest.raises(ChangefeedError) as refusal:
        event_rule(matcher, events)
    assert (refusal.value.code, refusal.value.path) == (code, path)
    assert hint in refusal.value.hint
