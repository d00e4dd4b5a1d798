"""Wrong MySQL connectors: what they have of a MariaDB that the right one cannot know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import Schema
from harness.model.binlog import LogTable
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.declared import commented
from harness.mutants.producers.mysql.edits import CODEC, CONVERSION, row, typed, valued, values
from harness.mutants.producers.patch import Patch, adjusted, patch
from harness.mutants.producers.records import CHANGE

_BLOCK: Final = {"id": "0-1-1", "total_order": 1, "data_collection_order": 1}


def _of_mariadb(schema: Schema) -> Schema:
    return replace(schema, name=(schema.name or "").replace(".mysql.", ".mariadb."))


def _block(value: dict[str, Any]) -> None:
    value["transaction"] = value["transaction"] or _BLOCK


def _of_table(found: dict[str, Any], table: LogTable) -> dict[str, Any]:
    return {**found, "comment": table.table.comment}


def _of_columns(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda table, **_: original(table, comments=True)


ROWS: Final[tuple[WrongProducer, ...]] = (
    row(
        "source-named-after-mariadb",
        "mysql-connector.schema",
        "It names its source blocks after the MariaDB connector.",
        typed(CHANGE, "source", _of_mariadb),
    ),
    row(
        "calls-itself-mariadb",
        "mysql-connector.name",
        "It calls itself mariadb.",
        valued(CHANGE, "source.connector", lambda _: "mariadb"),
    ),
    row(
        "gtid-from-nowhere",
        "mysql-connector.no-gtid",
        "It writes a GTID where it knows none.",
        valued(CHANGE, "source.gtid", lambda gtid: gtid or "0-1-1"),
    ),
    row(
        "comments-kept",
        "mysql-connector.no-comment",
        "It keeps the comments of tables and of columns.",
        Patch(
            f"{CODEC}.connector:DIALECTS",
            lambda dialect: replace(dialect, has_comments=True),
            entry=("mysql",),
        ),
    ),
    row(
        "comments-of-tables-kept",
        "mysql-connector.no-comment",
        "It keeps the comment of a table in `tableChanges`, none of a column.",
        adjusted(f"{CODEC}.columns:described", _of_table),
    ),
    row(
        "comments-of-columns-kept",
        "mysql-connector.no-comment",
        "It keeps the comments of columns in `tableChanges`, and not the table's.",
        patch(f"{CODEC}.columns:_described", _of_columns),
    ),
    row(
        "comments-in-schemas",
        "mysql-connector.no-comment",
        "It writes the comments of columns into their schemas.",
        patch(CONVERSION, commented),
    ),
    row(
        "boundaries-of-mariadb",
        "mysql-connector.no-transactions",
        "It knows a MariaDB's transactions, and sends their boundaries.",
        Patch(
            f"{CODEC}.connector:DIALECTS",
            lambda dialect: replace(dialect, has_gtids=True),
            entry=("mysql",),
        ),
    ),
    row(
        "blocks-from-nowhere",
        "mysql-connector.no-transactions",
        "It gives events a `transaction` that it knows nothing of.",
        values(CHANGE, _block),
    ),
)
