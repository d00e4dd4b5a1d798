"""A record made the quick way is a record like any other."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from harness.model.record import Origin, Record, bare_record

ORIGINS = (Origin(7, 0, 0, "insert"),)
HEADERS = (("taskId", b"0"), ("none", None))
PLAIN = Record("shop", 2, b"key", None, ORIGINS, HEADERS)
QUICK = bare_record("shop", 2, b"key", None, ORIGINS, HEADERS)


def test_equal() -> None:
    """It has the class, the fields, the hash and the text of one made the plain way."""
    assert type(QUICK) is Record
    assert QUICK == PLAIN
    assert hash(QUICK) == hash(PLAIN)
    assert repr(QUICK) == repr(PLAIN)
    assert bare_record("shop", 2, None, b"", ORIGINS) == Record("shop", 2, None, b"", ORIGINS)


def test_replaced() -> None:
    """It can be replaced and pickled."""
    assert replace(QUICK, value=b"x") == replace(PLAIN, value=b"x")
    assert pickle.loads(pickle.dumps(QUICK)) == PLAIN


def test_frozen() -> None:
    """It cannot be changed."""
    with pytest.raises(FrozenInstanceError):
        QUICK.topic = "other"  # type: ignore[misc]  # the promise under test
