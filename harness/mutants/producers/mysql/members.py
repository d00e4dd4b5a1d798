"""Parameters of schemas: the members of ENUM and SET, the width of BIT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.model.columns import ColumnKind
from harness.mutants.producers.mysql.edits import CODEC, by_column, cells, conversions, of, row
from harness.mutants.producers.patch import patch


def _without_parameters(found: Conversion) -> Conversion:
    return replace(found, schema=replace(found.schema, parameters=()))


def _without_the_last(found: Conversion, column: ColumnType) -> Conversion:
    """Return the conversion of an ENUM or a SET whose schema lacks its last member."""
    allowed = ("allowed", ",".join(column.members[:-1]))
    return replace(found, schema=replace(found.schema, parameters=(allowed,)))


def _first_for_0(original: Callable[..., str]) -> Callable[..., str]:
    return lambda members, index: original(members, index or 1)


def _commas_kept(original: Callable[..., tuple[ColumnType, ...]]) -> Callable[..., Any]:
    def types(table: object) -> tuple[ColumnType, ...]:
        return tuple(
            replace(column, members=tuple(m.replace("\\,", ",") for m in column.members))
            for column in original(table)
        )

    return types


def _members_as_they_are(found: Conversion) -> Conversion:
    parameters = tuple((name, text.replace("\\,", ",")) for name, text in found.schema.parameters)
    return replace(found, schema=replace(found.schema, parameters=parameters))


ROWS: Final = (
    *(
        row(
            f"{kind.value}-without-{word}",
            f"type.{kind.value}",
            f"It leaves the {word} out of the schema of {kind.value.upper()}.",
            conversions(of(kind), _without_parameters),
        )
        for kind, word in (
            (ColumnKind.ENUM, "members"),
            (ColumnKind.SET, "members"),
            (ColumnKind.BIT, "width"),
        )
    ),
    *(
        row(
            f"{kind.value}-without-its-last-member",
            f"type.{kind.value}",
            f"It leaves the last member out of the schema of {kind.value.upper()}.",
            by_column(of(kind), _without_the_last),
        )
        for kind in (ColumnKind.ENUM, ColumnKind.SET)
    ),
    row(
        "enum-0-as-the-first",
        "value.enum-index",
        "It writes the first member for the index 0 of an ENUM.",
        patch(f"{CODEC}.values:_enum", _first_for_0),
    ),
    row(
        "commas-not-escaped",
        "value.member-comma",
        "It writes a comma within a member as it is.",
        patch(f"{CODEC}.columns:column_types", _commas_kept),
    ),
    row(
        "commas-not-escaped-in-schemas",
        "value.member-comma",
        "It writes a comma within a member as it is in schemas.",
        conversions(of(ColumnKind.ENUM), _members_as_they_are),
    ),
    row(
        "commas-not-escaped-in-values",
        "value.member-comma",
        "It writes a comma within a member as it is in values.",
        cells(of(ColumnKind.ENUM), lambda text: text.replace("\\,", ",")),
    ),
)
