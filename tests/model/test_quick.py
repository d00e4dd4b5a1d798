"""What is made quickly is what its class would have made."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from harness.model.quick import quick
from harness.model.record import Origin, Record, bare_record, quick_origin
from harness.model.source_events import RowEvent, quick_row
from harness.sources.tidb.store import NetChange, net_change

MADE: dict[type[Any], Callable[..., Any]] = {
    Record: bare_record,
    Origin: quick_origin,
    RowEvent: quick_row,
    NetChange: net_change,
}


@pytest.mark.parametrize("cls", MADE)
def test_equal(cls: type[Any]) -> None:
    """It has the class, the fields, the defaults, the hash and the text of one made plainly."""
    names = [place.name for place in fields(cls)]
    plain, made = cls(*names), MADE[cls](*names)
    assert type(made) is cls
    assert made == plain
    assert hash(made) == hash(plain)
    assert repr(made) == repr(plain)
    assert pickle.loads(pickle.dumps(made)) == plain
    assert replace(made, **{names[-1]: 1}) == replace(plain, **{names[-1]: 1})
    least = len(names) - len(cls.__init__.__defaults__ or ())
    assert MADE[cls](*names[:least]) == cls(*names[:least])


def test_frozen() -> None:
    """It cannot be changed."""
    made = quick_origin(1, 2, 3, "insert")
    with pytest.raises(FrozenInstanceError):
        made.line = 2  # type: ignore[misc]  # the promise under test


@dataclass(frozen=True, slots=True)
class Listing:
    """A class with a factory."""

    listed: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class Checked:
    """A class that checks itself."""

    number: int

    def __post_init__(self) -> None:
        """Check."""


@pytest.mark.parametrize("cls", [Listing, Checked])
def test_refused(cls: type[Any]) -> None:
    """A class that does more than hold its fields is refused."""
    with pytest.raises(TypeError, match="makes more than its fields"):
        quick(cls)
