"""Keys inside ALTER TABLE: what cannot be dropped."""

from __future__ import annotations

import pytest

from harness.ddl import DdlError
from tests.ddl.alter.altered import altered


def test_tidbs_own_limits_are_kept() -> None:
    """A clustered key cannot be dropped, the last column neither, nor an index in use."""
    with pytest.raises(DdlError, match="clustered index"):
        altered("alter table t drop primary key", "create table t (a int primary key)")
    with pytest.raises(DdlError, match="delete all columns"):
        altered("alter table t drop a", "create table t (a int)")
    with pytest.raises(DdlError, match="needed in a foreign key"):
        altered(
            "alter table t drop key fk_1",
            "create table t (a int, foreign key (a) references p (id))",
        )


def test_a_hint_names_what_was_meant() -> None:
    """A near miss comes with the name that exists."""
    with pytest.raises(DdlError) as caught:
        altered("alter table t drop key kaab")
    assert caught.value.hint == "did you mean 'kab'?"
