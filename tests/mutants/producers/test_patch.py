"""A patch reaches whoever uses its target, and is gone after its block."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType, ModuleType

import pytest

from harness.errors import HarnessBug
from harness.mutants.producers.patch import applied, constant, entry, patch, result, returns
from harness.mutants.producers.table import PRODUCERS
from tests.tree import hold

HERE = "harness.patched_for_this_test"


def double(number: int, *, times: int = 2) -> int:
    """Return a multiple."""
    return number * times


def counted() -> Iterator[int]:
    """Yield two numbers."""
    yield 1
    yield 2


@cache
def remembered() -> int:
    """Return what `double` makes of 2, once."""
    return double(2)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    limit: int = 1


class Base:
    """A class to inherit from."""

    def name(self) -> str:
        """Return a name."""
        return "base"


class Several(Base):
    """Methods of each kind."""

    def name(self) -> str:
        """Return a name, by way of `super`, which makes a closure."""
        return super().name() + "!"

    @property
    def size(self) -> int:
        """Return a size."""
        return 1

    @cached_property
    def kept(self) -> int:
        """Return a number, once."""
        return 1

    @classmethod
    def made(cls) -> str:
        """Return the name of a new one."""
        return cls().name()


LIMIT = 7
TABLE: Mapping[str, object] = MappingProxyType({"double": double, "one": 1})
ROW = Row()


@pytest.fixture(autouse=True)
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Show this module as one of the harness's, for a patch looks at no others."""
    here = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, HERE, here)
    return here


def test_a_function_is_replaced_for_whoever_holds_it() -> None:
    """A table and a name of one's own give the replacement too, and defaults are the original's."""
    mine = double
    with applied(result(f"{HERE}:double", lambda found: -found)):
        assert (mine(2), double(2, times=3)) == (-4, -6)
        assert TABLE["double"] is double
    assert mine(2) == 4


def test_every_kind_of_method() -> None:
    """Closures, properties, class methods and generators can be replaced."""
    with applied(result(f"{HERE}:Several.name", lambda found: f"not {found}")):
        assert Several().name() == Several.made() == "not base!"
    with applied(returns(f"{HERE}:Several.size", 2)):
        assert Several().size == 2
    with applied(returns(f"{HERE}:Several.kept", 2)):
        assert Several().kept == 2
    with applied(result(f"{HERE}:Several.made", str.upper)):
        assert Several.made() == "BASE!"
    with applied(result(f"{HERE}:counted", lambda found: [*found][::-1])):
        assert [*counted()] == [2, 1]
    several = Several()
    assert (several.name(), several.size, several.kept, several.made()) == ("base!", 1, 1, "base!")
    assert [*counted()] == [1, 2]


def test_what_was_remembered_is_forgotten() -> None:
    """A cache filled before, or within, does not outlive the change."""
    assert remembered() == 4
    with applied(returns(f"{HERE}:double", 0)):
        assert remembered() == 0
    assert remembered() == 4
    with applied(returns(f"{HERE}:remembered", 9)):
        assert remembered() == 9


def test_tables_constants_and_rows(module: ModuleType) -> None:
    """An entry of a read-only table, a constant and a field of a frozen row can be replaced."""
    with applied(entry(f"{HERE}:TABLE", "one", lambda one: one + 1)):
        assert TABLE["one"] == 2
    with applied(constant(f"{HERE}:LIMIT", 8)):
        assert module.LIMIT == 8
    with applied(constant(f"{HERE}:ROW.limit", 8)):
        assert ROW.limit == 8
    assert (TABLE["one"], module.LIMIT, ROW.limit) == (1, 7, 1)


def test_a_constant_that_others_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of ours that imported a constant by its name has the new one too."""
    other = ModuleType("harness.other_for_this_test")
    other.__dict__["TABLE"] = TABLE
    monkeypatch.setitem(sys.modules, other.__name__, other)
    with applied(constant(f"{HERE}:TABLE", {})):
        assert other.__dict__["TABLE"] == {}
    assert other.__dict__["TABLE"] is TABLE


def test_a_cache_is_found_when_its_module_grows(module: ModuleType) -> None:
    """What a module did not hold when it was first searched is forgotten as well."""
    with applied(returns(f"{HERE}:double", 0)):
        pass
    module.__dict__["later"] = later = cache(lambda: double(2))
    try:
        assert later() == 4
        with applied(returns(f"{HERE}:double", 0)):
            assert later() == 0
    finally:
        del module.__dict__["later"]


@pytest.mark.parametrize(
    "lost",
    [
        returns("harness.no_such_module:f", 1),
        returns(f"{HERE}:no_such_name", 1),
        returns(f"{HERE}:Several.no_such_name", 1),
        entry(f"{HERE}:TABLE", "two", lambda one: one),
        entry(f"{HERE}:LIMIT", "two", lambda one: one),
    ],
)
def test_a_target_that_is_not_there(lost: object) -> None:
    """A target that moved is a defect of the row, and nothing is patched."""
    with pytest.raises(HarnessBug, match="which does not exist"), applied(lost):  # type: ignore[arg-type]
        pass


def test_an_exception_undoes_a_patch() -> None:
    """What fails within the block leaves no patch behind."""
    with pytest.raises(ZeroDivisionError), applied(patch(f"{HERE}:double", lambda _: 1 / 0)):
        pass
    assert double(2) == 4


def test_every_target_is_there() -> None:
    """Each row of the table can be applied."""
    lost: list[str] = []
    for mutant in PRODUCERS.values():
        try:
            with applied(mutant.patch):
                pass
        except HarnessBug as error:
            lost.append(f"{mutant.name}: {error}")
    hold(lost)
