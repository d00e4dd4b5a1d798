"""Which connectors there are, and what one is given: profiles, and how it finds its server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from harness.contracts import DEFAULT_DIALECT
from harness.oracles.mariadb import lock
from harness.record.server import Upstream

HISTORY: Final = "io.debezium.storage.file.history.FileSchemaHistory"
JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
PREFIX: Final = "topic.prefix"
AFTER: Final = "_"
# The replica ids of the connectors of a run; ours and the server's are others.
FIRST_REPLICA: Final = 7100

# What a user sets; all else is the connector's default.
PROFILES: Final[Mapping[str, dict[str, str]]] = MappingProxyType(
    {
        "default": {},
        "bare": {
            "key.converter.schemas.enable": "false",
            "value.converter.schemas.enable": "false",
            "provide.transaction.metadata": "true",
        },
        "modes": {
            "decimal.handling.mode": "string",
            "bigint.unsigned.handling.mode": "precise",
            "time.precision.mode": "connect",
            "binary.handling.mode": "base64",
            "tombstones.on.delete": "false",
            "skipped.operations": "none",
        },
        "adjusted": {
            "schema.name.adjustment.mode": "avro",
            "field.name.adjustment.mode": "avro",
            "skip.messages.without.change": "true",
        },
    }
)
_TRANSFORMS: Final = "org.apache.kafka.connect.transforms"
# What an oracle sets besides, and a live run does not: how often a timer runs out nobody predicts,
# and markers must stay where they are. Both predicates are tried, one of them negated.
BESIDES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "adjusted": {
            "heartbeat.interval.ms": "1",
            "transforms": "drop,route",
            "transforms.drop.type": f"{_TRANSFORMS}.Filter",
            "transforms.drop.predicate": "gone",
            "transforms.route.type": f"{_TRANSFORMS}.RegexRouter",
            "transforms.route.regex": r"(\w+)\.([^.]+)\.(.*)",
            "transforms.route.replacement": "$1.$2.of-$3",
            "transforms.route.predicate": "marker",
            "transforms.route.negate": "true",
            "predicates": "gone,marker",
            "predicates.gone.type": f"{_TRANSFORMS}.predicates.RecordIsTombstone",
            "predicates.marker.type": f"{_TRANSFORMS}.predicates.TopicNameMatches",
            "predicates.marker.pattern": r"\w+\.zz_harness_\w+\.marks",
        }
    }
)
HEARTBEATS: Final = "__debezium-heartbeat"
# What every run needs: the broker makes no topics, and tables are empty when it begins.
ADDED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tasks.max": "1",
        "snapshot.mode": "no_data",
        "poll.interval.ms": "20",
        "errors.max.retries": "0",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "key.converter": JSON,
        "value.converter": JSON,
    }
)


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector that follows a MariaDB: its jars, its class, the dialect that we write it in.

    `has_gtids` says whether its records name their transactions.
    """

    oracle: str
    group: str
    coordinates: str
    version: str
    java_class: str
    dialect: str
    has_gtids: bool = True


MARIADB: Final = Connector(
    "debezium-mariadb",
    lock.GROUP,
    lock.CONNECTOR,
    lock.VERSION,
    "io.debezium.connector.mariadb.MariaDbConnector",
    DEFAULT_DIALECT,
)
MYSQL: Final = Connector(
    "debezium-mysql",
    lock.MYSQL_GROUP,
    lock.MYSQL_CONNECTOR,
    lock.MYSQL_VERSION,
    "io.debezium.connector.mysql.MySqlConnector",
    "mysql",
    has_gtids=False,
)


def settings_of(profile: str) -> dict[str, str]:
    """Return what an oracle's connector of a profile is given, and our encoder with it."""
    return {**PROFILES[profile], **BESIDES.get(profile, {})}


# Makes the configuration of a play's connector, which has a name, for a server and a directory.
Configure = Callable[[str, str, Upstream, Path], dict[str, str]]


def configured(connector: Connector) -> Configure:
    """Return what makes the configuration of a connector in a profile, whose name is the play's.

    Each connector of a run has a `name` of its own that ends in another number, and is the prefix
    of its topics: connectors of one prefix in one JVM disturb each other, for their metrics and
    their lineage have that name alone.
    """

    def configure(play: str, name: str, server: Upstream, directory: Path) -> dict[str, str]:
        return {
            **ADDED,
            "errors.max.retries": "0",
            **settings_of(play),
            **of_connector(connector, name, server, directory),
        }

    return configure


def history(directory: Path, name: str) -> Path:
    """Return the file in which a connector keeps the shapes of tables."""
    return directory / f"{name}.history"


def of_connector(
    connector: Connector, name: str, server: Upstream, directory: Path
) -> dict[str, str]:
    """Return who a connector is, and where its server and its history are."""
    number = int(name.rpartition(AFTER)[2])
    return {
        "name": name,
        PREFIX: name,
        "connector.class": connector.java_class,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": str(FIRST_REPLICA + number),
        "schema.history.internal": HISTORY,
        "schema.history.internal.file.filename": str(history(directory, name)),
    }
