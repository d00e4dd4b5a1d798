"""What the Debezium connectors for MariaDB and MySQL send.

Not in the registry yet: its clauses, its reader and its mutants are missing.
"""

from __future__ import annotations

from importlib.resources import files

from harness.codecs.debezium_mysql.codec import MYSQL as CODEC
from harness.codecs.debezium_mysql.reference import SETTINGS, TYPES
from harness.model.columns import ColumnKind
from harness.protocols.description import read_description
from harness.protocols.protocol import ProtocolSpec
from harness.sources.mysql.source import mysql_source

MYSQL = ProtocolSpec(
    name="debezium-mysql",
    description=read_description(files("harness.protocols") / "mysql.toml"),
    codec=CODEC,
    source=mysql_source(),
    types=TYPES,
    type_clauses={kind: f"mysql.type.{kind.value}" for kind in ColumnKind},
    clauses=(),
    settings=SETTINGS,
)
