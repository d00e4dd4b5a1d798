"""Rules and lists that are applied to more, or otherwise, than they say: masks, hashes, types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from harness.codecs.debezium.columns import UNSET, ColumnType
from harness.codecs.debezium.mappers import ColumnRule, Mapper, Parameters
from harness.codecs.debezium.selection import Predicate, includes
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.topics import TableKey
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, patch, result
from harness.mutants.producers.vitess.edits import with_settings

MAPPERS: Final = "harness.codecs.debezium.mappers"
SELECTION: Final = "harness.codecs.debezium.selection"
EXCLUDED: Final = "table.exclude.list"
SOURCE: Final = "__debezium.source.column."


def _reordered(places: Mapping[int, float]) -> Patch:
    """Return the patch that puts kinds of rules in other places of their order."""
    return result(
        f"{MAPPERS}:_rules", lambda found: ((places.get(place, place), r) for place, r in found)
    )


def _masks_everywhere(own: dict[str, Any]) -> None:
    own.update({name: ".*" for name in own if name.startswith("column.mask.with.")})


def _of_every_column(original: Callable[..., Mapper | None]) -> Callable[..., Mapper | None]:
    """Find the rule that propagates a source's type for the columns that no rule matches."""

    def found(rules: tuple[ColumnRule, ...], key: TableKey, column: ColumnType) -> Mapper | None:
        types = (rule.mapper for rule in rules if _propagates(rule.mapper, column))
        return original(rules, key, column) or next(types, None)

    return found


def _propagates(mapper: Mapper, column: ColumnType) -> bool:
    return any(name.startswith(SOURCE) for name, _ in mapper.parameters(column))


def _always_long(found: Parameters, column: ColumnType) -> Parameters:
    return found if column.length != UNSET else (*found, (f"{SOURCE}length", "0"))


def _by_beginning(own: dict[str, Any]) -> None:
    if EXCLUDED in own:
        own[EXCLUDED] = ",".join(f"{entry}.*" for entry in own[EXCLUDED].split(","))


def _by_table_alone(original: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(settings: ConnectorSettings) -> Callable[[str, str], bool]:
        included, excluded = settings.optional("table.include.list"), settings.optional(EXCLUDED)
        if not (included or excluded):
            found: Callable[[str, str], bool] = original(settings)
            return found
        listed = includes(included or excluded or "")
        return lambda _, table: listed(table) is bool(included)

    return chosen


def _by_column_alone(found: Predicate) -> Predicate:
    return lambda name: found(name.rpartition(".")[2])


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-mask-always-of-five",
        "vitess.column.mask",
        "It masks a text with five asterisks whatever the name of the rule says.",
        patch(f"{MAPPERS}:_starred", lambda original: lambda _: original(5)),
    ),
    WrongProducer(
        "vitess-mask-of-every-text",
        "vitess.column.mask",
        "It masks texts too that the rule does not match.",
        with_settings(_masks_everywhere),
    ),
    *(
        WrongProducer(
            f"vitess-{first}-before-{second}",
            "vitess.column.first-rule",
            f"It looks for a {first.replace('-', ' ')} before it looks for a {second}.",
            _reordered(places),
        )
        for first, second, places in (
            ("mask", "truncation", {0: 1, 1: 0}),
            ("propagated-type", "mask", {1: 3.5}),
            ("hash", "propagated-type", {2: 6, 3: 7}),
        )
    ),
    WrongProducer(
        "vitess-propagates-of-every-column",
        "vitess.column.propagate",
        "It propagates the source type of columns too that the list does not name.",
        patch(f"{MAPPERS}:mapper_for", _of_every_column),
        also="vitess.datatype.propagate",
    ),
    WrongProducer(
        "vitess-propagates-a-length-always",
        "vitess.column.propagate",
        "It propagates the length 0 of a column for which the stream gives none.",
        adjusted(f"{MAPPERS}:_propagated", _always_long),
    ),
    WrongProducer(
        "vitess-tables-by-name-alone",
        "vitess.filter.table-include",
        "It looks for a table's name alone where lists name the keyspace, too.",
        patch(f"{SELECTION}:table_filter", _by_table_alone),
        also="vitess.filter.table-exclude",
    ),
    WrongProducer(
        "vitess-columns-by-name-alone",
        "vitess.filter.column-include",
        "It looks for a column's name alone where lists name keyspace and table, too.",
        result(f"{SELECTION}:column_filter", _by_column_alone),
        also="vitess.filter.column-exclude",
    ),
    WrongProducer(
        "vitess-excludes-by-beginning",
        "vitess.filter.table-exclude",
        "It leaves out tables too whose names only begin as one on the exclude list.",
        with_settings(_by_beginning),
    ),
)
