"""Specifications that change no table that a stream shows: LOCK, CACHE, ATTRIBUTES, statistics.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from harness.ddl.alter.partitions import names_or_all, parse_placement
from harness.ddl.alter.specification import Forms, PlainSpecification, Specification
from harness.ddl.definitions.interval_partitions import parse_less_than
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import quote_name, quote_names, quote_string

_Rule = Callable[[Cursor], PlainSpecification]
# Values of the words that ALTER TABLE, CREATE INDEX and DROP INDEX share.
LOCK_VALUES = {
    "LOCK": ("DEFAULT", "NONE", "SHARED", "EXCLUSIVE"),
    "ALGORITHM": ("DEFAULT", "COPY", "INPLACE", "INSTANT", "NOCOPY"),
}


def _words(*words: str, action: ActionType | None = None) -> _Rule:
    def rule(cursor: Cursor) -> PlainSpecification:
        cursor.expect(*words)
        return PlainSpecification(" ".join(words), action)

    return rule


def _lock_or_algorithm(cursor: Cursor) -> PlainSpecification:
    word = cursor.token.upper
    value = cursor.assigned().expect_any(*LOCK_VALUES[word])
    return PlainSpecification(f"{word} = {value}", ignored=True)


def _order_by(cursor: Cursor) -> PlainSpecification:
    cursor.expect("ORDER", "BY")

    def item() -> str:
        name = quote_name(cursor.column())
        return f"{name} DESC" if cursor.take_any("ASC", "DESC") == "DESC" else name

    return PlainSpecification(f"ORDER BY {','.join(cursor.list(item))}")


def _set_tiflash(cursor: Cursor) -> PlainSpecification:
    cursor.expect("SET", "TIFLASH", "REPLICA")
    text = f"SET TIFLASH REPLICA {cursor.number('a number of replicas')}"
    if cursor.take("LOCATION", "LABELS"):
        labels = cursor.list(lambda: quote_string(cursor.string("a label")))
        text += f" LOCATION LABELS {', '.join(labels)}"
    return PlainSpecification(text, ActionType.SET_TIFLASH_REPLICA)


def _value(cursor: Cursor) -> str:
    if cursor.assigned().take("DEFAULT"):
        return "DEFAULT"
    return quote_string(cursor.string("its value"))


def _stats_options(cursor: Cursor) -> PlainSpecification:
    text = f"STATS_OPTIONS={_value(cursor)}"
    return PlainSpecification(text, ActionType.ALTER_TABLE_STATS_OPTIONS)


def _attributes(cursor: Cursor) -> PlainSpecification:
    _value(cursor)
    return PlainSpecification("", ActionType.ALTER_TABLE_ATTRIBUTES)


def _add_statistics(cursor: Cursor) -> PlainSpecification:
    cursor.expect("ADD", "STATS_EXTENDED")
    guard = "IF NOT EXISTS " if cursor.if_not_exists() else ""
    name = quote_name(cursor.name("statistics"))
    kind = cursor.expect_any("CARDINALITY", "DEPENDENCY", "CORRELATION")
    columns = quote_names(cursor.columns(), ", ")
    return PlainSpecification(f"ADD STATS_EXTENDED {guard}{name} {kind}({columns})")


def _drop_statistics(cursor: Cursor) -> PlainSpecification:
    cursor.expect("DROP", "STATS_EXTENDED")
    guard = "IF EXISTS " if cursor.if_exists() else ""
    return PlainSpecification(f"DROP STATS_EXTENDED {guard}{quote_name(cursor.name('statistics'))}")


_WITHOUT_BINLOG = frozenset({"OPTIMIZE", "REPAIR", "REBUILD"})
_EDGES = ("FIRST PARTITION", "LAST PARTITION", "SPLIT MAXVALUE PARTITION", "MERGE FIRST PARTITION")


def _administer(cursor: Cursor) -> PlainSpecification:
    """Read CHECK, OPTIMIZE, REPAIR, REBUILD, IMPORT or DISCARD PARTITION."""
    verb = cursor.next().upper
    cursor.expect("PARTITION")
    local = verb in _WITHOUT_BINLOG and cursor.take_any("NO_WRITE_TO_BINLOG", "LOCAL")
    names = quote_names(names_or_all(cursor)) or "ALL"
    tail = ""
    if verb in ("IMPORT", "DISCARD"):
        cursor.expect("TABLESPACE")
        tail = " TABLESPACE"
    word = "NO_WRITE_TO_BINLOG " if local else ""
    return PlainSpecification(f"{verb} PARTITION {word}{names}{tail}")


def _interval_edge(edge: str, cursor: Cursor) -> PlainSpecification:
    """Read one of TiDB's shorthands for interval partitions."""
    bound = parse_less_than(cursor.expect(*edge.split())).restore()
    cursor.take_any("NO_WRITE_TO_BINLOG", "LOCAL")
    return PlainSpecification(f"{edge} LESS THAN ({bound})")


def _partition(cursor: Cursor) -> Specification:
    """Read ATTRIBUTES or PLACEMENT of one partition."""
    cursor.next()
    name = cursor.name("a partition")
    if not cursor.sees("ATTRIBUTES"):
        return parse_placement(cursor, name)
    _value(cursor)
    return PlainSpecification("", ActionType.ALTER_TABLE_PARTITION_ATTRIBUTES)


FORMS: Forms = {
    ("LOCK",): _lock_or_algorithm,
    ("ALGORITHM",): _lock_or_algorithm,
    ("CACHE",): _words("CACHE", action=ActionType.ALTER_CACHE_TABLE),
    ("NOCACHE",): _words("NOCACHE", action=ActionType.ALTER_NO_CACHE_TABLE),
    ("ENABLE",): _words("ENABLE", "KEYS"),
    ("DISABLE",): _words("DISABLE", "KEYS"),
    ("SECONDARY_LOAD",): _words("SECONDARY_LOAD"),
    ("SECONDARY_UNLOAD",): _words("SECONDARY_UNLOAD"),
    ("WITH",): _words("WITH", "VALIDATION"),
    ("WITHOUT",): _words("WITHOUT", "VALIDATION"),
    ("READ",): lambda c: PlainSpecification(f"READ {c.expect('READ').expect_any('WRITE', 'ONLY')}"),
    ("ORDER",): _order_by,
    ("SET",): _set_tiflash,
    ("STATS_OPTIONS",): _stats_options,
    ("ATTRIBUTES",): _attributes,
    ("ADD", "STATS_EXTENDED"): _add_statistics,
    ("DROP", "STATS_EXTENDED"): _drop_statistics,
    **{(verb,): _administer for verb in ("CHECK", "OPTIMIZE", "REPAIR", "REBUILD")},
    ("IMPORT",): _words("IMPORT", "TABLESPACE"),
    ("IMPORT", "PARTITION"): _administer,
    ("DISCARD",): _words("DISCARD", "TABLESPACE"),
    ("DISCARD", "PARTITION"): _administer,
    ("PARTITION",): _partition,
    **{(edge.split()[0],): partial(_interval_edge, edge) for edge in _EDGES},
}
