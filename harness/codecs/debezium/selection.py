"""Lists of regular expressions, as the connector's include and exclude lists are.

Source: C:function/Predicates.java, C:util/Strings.java RegExSplitter: comma-separated, a comma is
escaped with a backslash, each expression must match the whole name, without regard to case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from harness.codecs.connect.java import split
from harness.codecs.debezium.settings import ConnectorSettings
from harness.errors import UsageError
from harness.wire.java_regex import compiled

Predicate = Callable[[str], bool]
_PART: Final = re.compile(r"((?:\\.|[^\\,])*)(?:,|\Z)", re.DOTALL)
_SYSTEM_SCHEMAS: Final = "mysql,performance_schema,sys,information_schema"


def expressions(listed: str) -> tuple[re.Pattern[str], ...]:
    """Compile a comma-separated list; UsageError for what is no regular expression."""
    parts = [part.strip().replace("\\,", ",") for part in _split(listed)]
    try:
        return tuple(compiled(part, re.IGNORECASE | re.ASCII) for part in parts if part)
    except re.error as error:
        what = f"not a list of regular expressions: {listed!r} ({error})"
        raise UsageError(
            what, expected="regular expressions of Java with commas between"
        ) from error


def _split(listed: str) -> list[str]:
    parts: list[str] = []
    position = 0
    while position < len(listed):
        match = _PART.match(listed, position)
        if match is None:  # a backslash with nothing behind it
            parts.append(listed[position:])
            break
        parts.append(match[1])
        position = match.end()
    return parts


def includes(listed: str) -> Predicate:
    """Return whether a name is matched, as a whole, by one of the expressions."""
    patterns = expressions(listed)
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def message_keys(listed: str | None) -> tuple[Predicate, ...]:
    """Read `table:column,column;table:column`; C:relational/Key.java CustomKeyMapper."""
    found: list[Predicate] = []
    for entry in () if listed is None else split(listed, ";"):
        table, _, columns = entry.partition(":")
        found.extend(includes(f"{table}.{column}") for column in split(columns, ",") if columns)
    return tuple(found)


def _chosen(included: str | None, excluded: str | None) -> Predicate:
    if included and included.strip():
        return includes(included)
    if excluded and excluded.strip():
        without = includes(excluded)
        return lambda name: not without(name)
    return _everything


def _everything(name: str) -> bool:
    del name
    return True


def table_filter(settings: ConnectorSettings) -> Callable[[str, str], bool]:
    """Return whether a table (schema, name) is captured; V:Filters.java."""
    tables = _chosen(
        settings.optional("table.include.list"), settings.optional("table.exclude.list")
    )
    system = includes(_SYSTEM_SCHEMAS)
    return lambda schema, table: not system(schema) and tables(f"{schema}.{table}")


def reading_order(settings: ConnectorSettings) -> Callable[[str], int]:
    """Return which entry of `table.include.list` names a table first; 0 where there is none.

    A connector that reads tables at its start takes them by this, and then by name:
    C:relational/RelationalSnapshotChangeEventSource.java addSignalingCollectionAndSort.
    """
    patterns = expressions(settings.optional("table.include.list") or "")
    return lambda name: next((n for n, one in enumerate(patterns) if one.fullmatch(name)), 0)


def column_filter(settings: ConnectorSettings) -> Predicate:
    """Return whether `schema.table.column` is part of values; an exclude list goes first.

    The catalog is no part of the name (vector column.exclude_shard_qualified).
    """
    excluded = settings.optional("column.exclude.list")
    if excluded is not None:
        without = includes(excluded)
        return lambda name: not without(name)
    included = settings.optional("column.include.list")
    return includes(included) if included is not None else _everything
