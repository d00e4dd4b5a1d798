"""Kafka and the connector's jars, for the tests that need them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from harness import services
from harness.services import ServiceEvent
from tests.cdc_spark.job_factory import JobFactory


def quiet(_: ServiceEvent) -> None:
    """Ignore what services tell while they come up."""


@pytest.fixture(scope="session")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobFactory]:
    """Return what fills topics and writes jobs, with a Kafka of its own."""
    directory = tmp_path_factory.mktemp("spark")
    jars = services.jars("spark", on_event=quiet)
    with services.start(["kafka"], run_dir=directory / "services", on_event=quiet) as running:
        paths = os.pathsep.join(str(jar) for jar in jars)
        yield JobFactory(running.kafka.bootstrap, paths, directory)
