"""Where a consumer leaves its tables: in files, or in a database that the harness gives it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import msgspec

from harness.documents.typed import key

PLACEHOLDER = re.compile(r"\{(schema|table)\}")


class Holder(StrEnum):
    """What holds the tables when the command has ended."""

    FILES = "files"
    DATABASE = "database"


class Maker(StrEnum):
    """Who creates the tables: the harness beforehand, the consumer, or the DDL that it runs."""

    CREATED = "created"
    OWN = "own"
    BY_DDL = "by-ddl"


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the tables are; `table` is how the consumer names one inside its database."""

    holder: Annotated[
        Holder,
        key(
            "a holder",
            "`files`: JSON lines or Parquet in the result directory. `database`: a MySQL-compatible"
            " database that the harness starts, names in `job.json` and reads when the command has"
            " ended.",
            enum=list(Holder),
        ),
    ] = msgspec.field(name="in")
    tables: Annotated[
        Maker,
        key(
            "a maker",
            "`created`: the harness creates the tables of the database first, in the shape that"
            " they have at the end of the stream. `own`: the consumer creates them. `by-ddl`: the"
            " consumer runs the stream's DDL; what no DDL of it creates is there before, as whoever"
            " set the changefeed up has created it. Where the wire has no DDL, it means `created`.",
        ),
    ] = Maker.CREATED
    table: Annotated[
        str,
        key(
            "a pattern with {table}",
            "How the consumer names a table inside the database: text with `{table}`, and"
            " `{schema}` where it wants the upstream's.",
            maxLength=200,
            pattern=r"^(?:[^{}]|\{schema\})*\{table\}(?:[^{}]|\{schema\}|\{table\})*$",
        ),
    ] = "{table}"

    @property
    def in_database(self) -> bool:
        """Return whether the tables are read from a database."""
        return self.holder is Holder.DATABASE

    def named(self, schema: str, table: str) -> str:
        """Return the name in the database of a table of the upstream."""
        names = {"schema": schema, "table": table}
        return PLACEHOLDER.sub(lambda match: names[match[1]], self.table)


IN_FILES = Result(Holder.FILES)
