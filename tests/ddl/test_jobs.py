"""Action types: TiDB's numbers and names."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType


@pytest.mark.parametrize(
    ("action", "number", "name"),
    [
        (ActionType.CREATE_SCHEMA, 1, "create schema"),
        (ActionType.REBASE_AUTO_ID, 13, "rebase auto_increment ID"),
        (ActionType.ADD_TABLE_PARTITION, 19, "add partition"),
        (
            ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE,
            22,
            "modify table charset and collate",
        ),
        (ActionType.EXCHANGE_TABLE_PARTITION, 42, "exchange partition"),
        (ActionType.MULTI_SCHEMA_CHANGE, 61, "alter table multi-schema change"),
        (ActionType.ALTER_TTL_REMOVE, 67, "alter table no_ttl"),
        (ActionType.REMOVE_PARTITIONING, 72, "alter table remove partitioning"),
    ],
)
def test_an_action_has_tidbs_number_and_name(action: ActionType, number: int, name: str) -> None:
    """The number goes on the wire, the name into filters and logs."""
    assert action == number
    assert action.display_name == name


def test_names_are_unique() -> None:
    """A name in an event filter means one action."""
    names = [action.display_name for action in ActionType]
    assert len(set(names)) == len(names)
