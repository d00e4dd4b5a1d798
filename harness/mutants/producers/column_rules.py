"""Patches of Debezium's rules for columns: which of several that match one column are applied."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from harness.codecs.debezium.columns import ColumnType
from harness.codecs.debezium.mappers import ColumnRule, Mapper, Parameters
from harness.codecs.debezium.topics import TableKey
from harness.mutants.producers.patch import Patch, instead, result

MAPPERS: Final = "harness.codecs.debezium.mappers"


def _every_rule(found: tuple[ColumnRule, ...], key: TableKey, column: ColumnType) -> Mapper | None:
    """Return one mapper of all rules that match a column."""
    mappers = [rule.mapper for rule in found if rule.matches(key, column)]

    def parameters(of: ColumnType) -> Parameters:
        return tuple(pair for mapper in mappers for pair in mapper.parameters(of))

    def change(of: ColumnType) -> Callable[[Any], Any]:
        changes = [made for mapper in mappers if (made := mapper.change(of)) is not None]
        return lambda value: reduce(lambda left, one: one(left), changes, value)

    return Mapper(parameters, change) if mappers else None


LAST_RULE: Final[Patch] = result(f"{MAPPERS}:rules", lambda found: found[::-1])
EVERY_RULE: Final[Patch] = instead(f"{MAPPERS}:mapper_for", _every_rule)
