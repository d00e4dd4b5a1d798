"""Starts containers, waits until what is in them answers, and ends them."""

from __future__ import annotations

import importlib.util
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.errors import SetupError
from harness.services.container import recipes
from harness.services.download import Interrupted
from harness.services.external import database as database_probe
from harness.services.external import kafka as kafka_probe
from harness.services.external import registry as registry_probe
from harness.services.external.reached import Reached
from harness.services.launch import Startup
from harness.services.service import Address, Kafka, MariaDb, Registry

POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Contained:
    """A service in a container of ours."""

    address: Address
    container: Any
    reached: Reached

    def check(self) -> None:
        """Raise SetupError when it takes no connection any more."""
        self.reached.check()

    def stop(self) -> None:
        """End the container and remove it, its volumes too."""
        self.container.stop()


def kafka(startup: Startup) -> Contained:
    """Start a broker; raises SetupError without Docker, or when it does not come up."""
    require()
    made = recipes.kafka_container(startup.settings.text("container.kafka"))

    def probe(host: str, port: int) -> Address:
        address = Kafka(f"{host}:{port}")
        kafka_probe.probe(address.client, startup.settings)
        return address

    return _started(startup, made, recipes.KAFKA_PORT, probe)


def registry(startup: Startup) -> Contained:
    """Start a registry; raises SetupError without Docker, or when it does not come up."""
    require()
    recipe = recipes.registry(startup.settings.text("container.registry"))

    def probe(host: str, port: int) -> Address:
        address = Registry(f"http://{host}:{port}{recipes.API}")
        registry_probe.probe(address)
        return address

    return _started(startup, recipes.container(recipe), recipe.port, probe)


def database(startup: Startup) -> Contained:
    """Start MySQL or TiDB; raises SetupError without Docker, or when it does not come up."""
    require()
    password = secrets.token_hex(16)
    recipe = recipes.database(startup.settings.text("container.database"), password)
    given = password if recipe.env else ""

    def probe(host: str, port: int) -> Address:
        address = MariaDb(host, port, recipes.USER, given)
        database_probe.probe(address)
        return address

    return _started(startup, recipes.container(recipe), recipe.port, probe)


def require() -> None:
    """Raise SetupError when the extra is not installed."""
    if importlib.util.find_spec("testcontainers") is None:
        raise SetupError(
            "services in containers need testcontainers, which is not installed",
            hint="pip install 'cdc-conformance[containers]'",
        )


def _started(
    startup: Startup,
    container: Any,  # noqa: ANN401 - the library is optional
    port: int,
    probe: Callable[[str, int], Address],
) -> Contained:
    from docker.errors import APIError, DockerException  # noqa: PLC0415 - comes with the extra

    startup.report("starting", f"{container.image} in Docker")
    try:
        container.start()
        host, outside = container.get_container_host_ip(), int(container.get_exposed_port(port))
    except TimeoutError as error:
        container.stop()
        raise SetupError(
            f"{container.image} did not come up: {error}",
            hint="`docker logs` of it tells more; give it more time or memory",
        ) from error
    except APIError as error:
        raise SetupError(
            f"Docker cannot start {container.image}: {error}",
            hint="check the image (settings container.…), and that this machine may pull it",
        ) from error
    except (DockerException, OSError) as error:
        raise recipes.no_docker(error) from error
    try:
        address = _answering(startup, lambda: probe(host, outside))
    except BaseException:
        container.stop()
        raise
    return Contained(address, container, Reached(startup.name, address, [(host, outside)]))


def _answering(startup: Startup, probe: Callable[[], Address]) -> Address:
    deadline = time.monotonic() + startup.wait_s
    while True:
        try:
            return probe()
        except SetupError:
            if time.monotonic() > deadline:
                raise
        if startup.given_up.wait(POLL_S):
            raise Interrupted
