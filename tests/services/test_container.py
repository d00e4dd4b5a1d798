"""Containers: what they are is checked without Docker, what they do where an engine answers."""

from __future__ import annotations

import gc
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, SetupError
from harness.services import settings, start
from harness.services.container import SERVICES, recipes
from harness.services.running import SERVICES as EMBEDDED
from harness.services.settings import NAMES

pytest.importorskip("testcontainers", reason="the extra `containers` is not installed")

# Docker's library leaves its socket to the garbage collector when no engine answers.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

# With a version named, Docker's client asks no engine which one it speaks.
NO_ENGINE = {"version": "1.44"}


@pytest.fixture(autouse=True)
def collected() -> Generator[None]:
    """Let what the library left behind be collected here, where its warning is expected."""
    gc.freeze()  # what earlier tests keep is not looked through again
    yield
    gc.collect()


def no_engine() -> str:
    """Return why no Docker engine can be used, "" when one answers."""
    import docker  # noqa: PLC0415 - an extra

    try:
        client = docker.from_env(timeout=5)
        client.ping()
        client.close()
    except docker.errors.DockerException as error:
        return f"no Docker engine answers: {str(error).splitlines()[0]}"
    return ""


def test_every_service_comes_in_a_container() -> None:
    """Whatever is embedded is there as a container too."""
    assert set(SERVICES) == set(EMBEDDED)


def test_kafka_is_one_kraft_process() -> None:
    """Image, port, and the differences from the image's defaults are in the container's object."""
    image = NAMES["container.kafka"].default
    made = recipes.kafka_container(image, **NO_ENGINE)
    made.configure()
    assert made.image.endswith(image)
    assert list(made.ports) == [str(recipes.KAFKA_PORT)]
    assert made.env["KAFKA_PROCESS_ROLES"] == "broker,controller"
    assert made.env.items() >= dict(recipes.KAFKA_ENV).items()


def test_the_registry_is_the_embedded_one() -> None:
    """The same version as the embedded registry, with nothing to set."""
    from harness.services.artifacts import locked  # noqa: PLC0415

    image = NAMES["container.registry"].default
    made = recipes.container(recipes.registry(image), **NO_ENGINE)
    assert made.image.endswith(f"apicurio-registry:{locked('registry')[0].version}")
    assert list(made.ports) == [str(recipes.REGISTRY_PORT)]


@pytest.mark.parametrize(
    ("image", "port", "env", "command"),
    [
        (
            NAMES["container.database"].default,
            3306,
            {"MYSQL_ROOT_PASSWORD": "secret", "MYSQL_ROOT_HOST": "%"},
            list(recipes.MYSQL_COMMAND),
        ),
        ("pingcap/tidb:v8.5.3", 4000, {}, None),
    ],
)
def test_databases_keep_whole_row_images(
    image: str, port: int, env: Mapping[str, str], command: list[str] | None
) -> None:
    """MySQL is told to log names and whole rows; TiDB is taken as it is."""
    made = recipes.container(recipes.database(image, "secret"), **NO_ENGINE)
    assert (made.image, list(made.ports), made.env) == (image, [str(port)], env)
    assert made._command == command
    assert command is None or "--binlog-row-metadata=FULL" in command


def test_without_an_engine_the_next_step_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that does not answer ends as a setup error that names the way without one."""
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    for name in SERVICES:
        with pytest.raises(SetupError, match="no Docker engine answers") as caught:
            started(tmp_path, name)
        assert "embedded" in caught.value.hint


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the hint is the extra that brings it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(HarnessError) as caught:
        started(tmp_path, "kafka")
    assert "cdc-conformance[containers]" in caught.value.hint


def started(tmp_path: Path, *names: str, **given: str) -> Mapping[str, Any]:
    """Start services in containers, look at each, and return their addresses."""
    options = {"services": "container"} | {n.replace("_", "."): v for n, v in given.items()}
    found = settings(options, env={}, here=tmp_path)
    with start(names, run_dir=tmp_path, on_event=lambda _: None, settings=found) as services:
        services.check()
        return {name: services.address(name) for name in names}


@pytest.mark.services
@pytest.mark.parametrize("database", ["mysql:8.4", "pingcap/tidb:v8.5.3"])
def test_they_come_up(tmp_path: Path, database: str) -> None:
    """In real containers everything answers as the embedded services do."""
    if reason := no_engine():
        pytest.skip(reason)
    addresses = started(tmp_path, *SERVICES, container_database=database)
    assert set(addresses) == set(SERVICES)
