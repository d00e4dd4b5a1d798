"""The database driver is an extra: who lacks it is told how to get it."""

from __future__ import annotations

import sys

import pytest

from harness.database.driver import connector
from harness.errors import SetupError


def test_the_driver_is_the_real_one() -> None:
    """What comes back can connect."""
    assert callable(connector().connect)


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the message says what to install, and no traceback."""
    monkeypatch.setitem(sys.modules, "mysql", None)
    monkeypatch.delitem(sys.modules, "mysql.connector", raising=False)
    with pytest.raises(SetupError) as caught:
        connector()
    assert "cdc-conformance[upstream]" in caught.value.hint
