"""The session that every recording runs in, and the digest that ties a lock to its scenario.

Whatever could make the same SQL give other rows is fixed here: character set, time zone, sql_mode,
the clock, the random seeds. The digest covers these settings and the SQL; a lock whose digest is
not the scenario's is stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from harness.database.driver import CHARACTER_SET, COLLATION
from harness.scenario.document import DdlStep, Scenario, Step, TransactionStep

# TiDB's default (TiDB v8.5 pkg/parser/mysql/const.go `DefaultSQLMode`), and what MariaDB needs to
# round fractional seconds: TiDB and MySQL always do. A server that lacks one of them (MySQL 8 has
# neither NO_AUTO_CREATE_USER nor TIME_ROUND_FRACTIONAL) runs without it.
SQL_MODE = (
    "ONLY_FULL_GROUP_BY",
    "STRICT_TRANS_TABLES",
    "NO_ZERO_IN_DATE",
    "NO_ZERO_DATE",
    "ERROR_FOR_DIVISION_BY_ZERO",
    "NO_AUTO_CREATE_USER",
    "NO_ENGINE_SUBSTITUTION",
    "TIME_ROUND_FRACTIONAL",
)
# Session variables beside these; a server that lacks one runs without it.
VARIABLES: Mapping[str, str] = {
    "time_zone": "'+00:00'",
    "timestamp": "1709210096",  # 2024-02-29 12:34:56 UTC, for NOW() and its relatives
    "rand_seed1": "1",
    "rand_seed2": "2",
    "auto_increment_increment": "1",
    "auto_increment_offset": "1",
    "div_precision_increment": "4",
    "explicit_defaults_for_timestamp": "1",  # as in TiDB: TIMESTAMP columns get no hidden defaults
    "foreign_key_checks": "1",
    "group_concat_max_len": "1048576",
    "lc_time_names": "'en_US'",
    "default_week_format": "0",
    "sql_auto_is_null": "0",
}


def sql_steps(scenario: Scenario) -> tuple[DdlStep | TransactionStep, ...]:
    """Return the steps that change tables or rows, in order; a lock counts these from 0."""
    return tuple(step for step in scenario.upstream if isinstance(step, DdlStep | TransactionStep))


def fingerprint(scenario: Scenario) -> str:
    """Return the sha256 of everything that the locked rows follow from.

    Comments, line numbers, pins and resolved events do not count: they change no row.
    """
    document = {
        "databases": scenario.databases,
        "session": [CHARACTER_SET, COLLATION, SQL_MODE, dict(VARIABLES)],
        "steps": [_essence(step) for step in sql_steps(scenario)],
    }
    # YAML numbers may be Decimals: as text they differ in every digit.
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _essence(step: Step) -> list[object]:
    if isinstance(step, DdlStep):
        return ["ddl", step.emit, step.statement.sql]
    assert isinstance(step, TransactionStep)
    rows = [[row.op, row.table, _plain(row.before), _plain(row.after)] for row in step.rows]
    return ["transaction", step.name, step.emit, [one.sql for one in step.statements], rows]


def _plain(image: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if image is None else dict(image)
