"""A change of columns as ALTER TABLE, where no stored value changes; pure.

Each step says by itself whether it is still to be done, so doing all of them again does
nothing. That needs names that mean one thing before and after; where they do not (two columns
change places), or where values change, the table is written anew instead, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cdc_spark.apply.defaults import added
from cdc_spark.apply.reshape import Plan
from cdc_spark.apply.schema import Column, Family
from cdc_spark.delta.columns import field_of
from cdc_spark.delta.sketch import Effect, Fitted
from cdc_spark.errors import DecodingError

_STEADY = frozenset({Family.INTEGER, Family.FLOAT, Family.TEXT, Family.JSON, Family.VECTOR})


class Step(NamedTuple):
    """One step: columns by lower-case name, "" for none; `type` is that of a new one."""

    old: str
    new: str
    type: str = ""

    def due(self, present: Sequence[str]) -> bool:
        """Return whether the step is still to be done, of the columns that the table has."""
        there = {name.lower() for name in present}
        if not self.old:
            return self.new.lower() not in there
        return self.old.lower() in there


def steps(effect: Effect) -> list[Step] | None:
    """Return the steps of an effect; None where the table has to be written anew."""
    if effect.after is None:
        return None
    renamed = _renamed(effect)
    if renamed is None:
        return None
    types = {one.name.lower(): one.type for one in effect.before}
    after = {one.name.lower(): one for one in effect.after}
    kept = {old: renamed.get(old, old) for old in types if renamed.get(old, old).lower() in after}
    came = [
        one for one in effect.after if one.name.lower() not in {n.lower() for n in kept.values()}
    ]
    moves = {old: new for old, new in kept.items() if new.lower() != old}
    if any(after[new.lower()].type != types[old] for old, new in kept.items()):
        return None
    if {new.lower() for new in [*moves.values(), *(one.name for one in came)]} & set(types):
        return None
    return [
        *(Step(old, "") for old in types if old not in kept),
        *(Step(old, new) for old, new in moves.items()),
        *(Step("", one.name, one.type) for one in came),
    ]


def _renamed(effect: Effect) -> dict[str, str] | None:
    """Return new names by old ones; None where values change."""
    if effect.change is None:
        return {}
    if isinstance(effect.change, Fitted):
        return {} if _keeps_values(effect.change) else None
    plan = getattr(effect.change, "__self__", None)
    if isinstance(plan, Plan) and _is_bare(plan):
        return {old: name for old, (name, _) in plan.moved.items() if old not in plan.dropped}
    return None


def _keeps_values(fitted: Fitted) -> bool:
    """Return whether columns of a shape have the types that they had, and new ones no default."""
    types = fitted.types
    return bool(types) and all(
        types.get(name, kind) == kind and (name in types or default is None)
        for name, (kind, default) in fitted.shape.columns.items()
    )


def _is_bare(plan: Plan) -> bool:
    """Return whether stored values stay as they are, and new columns begin as NULL."""
    redefined = [(plan.before.get(old), new) for old, (_, new) in plan.moved.items() if new]
    if not all(was is not None and _is_same(was, new) for was, new in redefined):
        return False
    try:
        return all(one.virtual or added(one) is None for one in plan.new)
    except DecodingError:
        return False


def _is_same(was: Column, new: Column) -> bool:
    steady = was.family == new.family and new.family in _STEADY
    return steady and field_of(was).type == field_of(new).type
