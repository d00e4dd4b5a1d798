"""Where a consumer leaves its tables: in files, or in a database that the harness gives it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

PLACEHOLDER = re.compile(r"\{(schema|table)\}")


class Holder(StrEnum):
    """What holds the tables when the command has ended."""

    FILES = "files"
    DATABASE = "database"


class Maker(StrEnum):
    """Who creates the tables in the database: the harness beforehand, or the consumer."""

    CREATED = "created"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Result:
    """Where the tables are; `table` is how the consumer names one inside its database."""

    holder: Holder = Holder.FILES
    tables: Maker = Maker.CREATED
    table: str = "{table}"

    @property
    def in_database(self) -> bool:
        """Tell whether the tables are read from a database."""
        return self.holder is Holder.DATABASE

    def named(self, schema: str, table: str) -> str:
        """Return the name in the database of a table of the upstream."""
        names = {"schema": schema, "table": table}
        return PLACEHOLDER.sub(lambda match: names[match[1]], self.table)


IN_FILES = Result()
