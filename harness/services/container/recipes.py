"""What each container is: image, command, environment, ports. Nothing is started here.

The recipes mirror the embedded services: the same registry, a database that keeps row images whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import SetupError

API = "/apis/ccompat/v7"
USER = "root"  # recordings create databases and read the binlog
KAFKA_PORT = 9093
REGISTRY_PORT = 8080
MYSQL_PORT = 3306
TIDB_PORT = 4000
MYSQL_COMMAND = (
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_bin",
    "--default-time-zone=+00:00",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--binlog-row-metadata=FULL",
)
# Differences from the image's defaults, for the same reasons as in the embedded broker.
KAFKA_ENV: Mapping[str, str] = {
    "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false",
    "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
    "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
    "KAFKA_LOG_RETENTION_MS": "-1",
    "KAFKA_LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS": str(2**63 - 1),
    "KAFKA_MESSAGE_MAX_BYTES": "33554432",
    "KAFKA_REPLICA_FETCH_MAX_BYTES": "33554432",
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A container to be: `port` is the one that clients use."""

    image: str
    port: int
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    command: Sequence[str] = ()


def registry(image: str) -> Recipe:
    """Return Apicurio with its storage in memory."""
    return Recipe(image, REGISTRY_PORT)


def database(image: str, password: str) -> Recipe:
    """Return TiDB for an image of that name, MySQL for any other."""
    if "tidb" in image:  # it knows no password until one is set, and listens on loopback only
        return Recipe(image, TIDB_PORT)
    return Recipe(
        image,
        MYSQL_PORT,
        {"MYSQL_ROOT_PASSWORD": password, "MYSQL_ROOT_HOST": "%"},
        MYSQL_COMMAND,
    )


def container(recipe: Recipe, **docker: Any) -> Any:  # noqa: ANN401 - the library is optional
    """Return testcontainers' object for a recipe; SetupError when Docker cannot be used."""
    from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - an extra

    made = _made(lambda: DockerContainer(recipe.image, docker_client_kw=docker))
    made.with_exposed_ports(recipe.port)
    for name, value in recipe.env.items():
        made.with_env(name, value)
    if recipe.command:
        made.with_command(list(recipe.command))
    return made


def kafka_container(image: str, **docker: Any) -> Any:  # noqa: ANN401 - the library is optional
    """Return testcontainers' Kafka in KRaft mode; SetupError when Docker cannot be used.

    The library's own class, because the advertised port is known only once the container runs.
    """
    from testcontainers.community.kafka import KafkaContainer  # noqa: PLC0415 - an extra

    made = _made(lambda: KafkaContainer(image, port=KAFKA_PORT, docker_client_kw=docker))
    for name, value in KAFKA_ENV.items():
        made.with_env(name, value)
    return made.with_kraft()


def _made(make: Any) -> Any:  # noqa: ANN401 - the library is optional
    from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

    try:
        return make()
    except DockerException as error:
        raise no_docker(error) from error


def no_docker(error: Exception) -> SetupError:
    """Return the error for a Docker engine that does not answer."""
    return SetupError(
        f"no Docker engine answers: {error}",
        expected="a running Docker engine, for services in containers",
        hint="start Docker, or let DOCKER_HOST name an engine; or use `--services embedded`, which"
        " needs none",
    )
