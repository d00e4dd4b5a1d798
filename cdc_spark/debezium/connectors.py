"""What the records of one connector have of their own; all else is Debezium's envelope.

| | Vitess | MariaDB and MySQL |
| --- | --- | --- |
| a row's schema | `source.keyspace` | `source.db` |
| where it stands in the log | `vgtid`, which orders nothing | `gtid`, or `file`, `pos` and `row` |
| a heartbeat | the VGTID and a time | a time |
| TRUNCATE | not sent | `op` t, with `skipped.operations` none |

Source: Debezium reference documentation 3.3, connectors for Vitess, MariaDB and MySQL, §Data change
events; debezium-connector-binlog 3.3.0 `BinlogSourceInfoStructMaker`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_NAMES = frozenset({"version", "connector", "name", "db", "keyspace", "table"})


@dataclass(frozen=True, slots=True)
class Connector:
    """What a source block is called, and what it says.

    `schema` names the member that has a row's schema, `position` those that say where it stands in
    the log. `heartbeat` are all members of a heartbeat. `constant` are the members of a source
    block that rows of one table share. `decimals` is the default of `decimal.handling.mode`.
    """

    schema: str
    heartbeat: frozenset[str]
    position: Sequence[str] = ()
    truncates: bool = False
    decimals: str = "string"
    constant: frozenset[str] = _NAMES


VITESS = Connector("keyspace", frozenset({"vgtid", "ts_ms"}))
MYSQL = Connector(
    "db",
    frozenset({"ts_ms"}),
    position=("snapshot", "server_id", "gtid", "file", "pos", "row"),
    truncates=True,
    decimals="precise",
    constant=_NAMES | {"snapshot", "server_id"},
)
CONNECTORS: Mapping[str, Connector] = {"vitess": VITESS, "debezium-mysql": MYSQL}
_SKIPPED, _BY_DEFAULT, _TRUNCATE = "skipped.operations", "t", "t"


def sends_truncate(protocol: str, settings: Mapping[str, object]) -> bool:
    """Return whether TRUNCATE may stand among the rows, by the settings of a connector."""
    skipped = str(settings.get(_SKIPPED, _BY_DEFAULT)).lower().split(",")
    found = CONNECTORS.get(protocol)
    return found is not None and found.truncates and _TRUNCATE not in map(str.strip, skipped)
