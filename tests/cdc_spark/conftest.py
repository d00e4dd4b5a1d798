"""Kafka and the connector's jars, for the tests that need them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from harness import services
from harness.services import ServiceEvent
from tests.cdc_spark.kitchen import Kitchen

# These import what imports PySpark, which is in the environments of Spark alone.
collect_ignore = [] if find_spec("pyspark") else ["test_given.py", "test_remote.py"]


def quiet(_: ServiceEvent) -> None:
    """Ignore what services tell while they come up."""


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kitchen]:
    """Return a place to cook jobs in, with a Kafka of its own."""
    directory = tmp_path_factory.mktemp("spark")
    jars = services.jars("spark", on_event=quiet)
    with services.start(["kafka"], run_dir=directory / "services", on_event=quiet) as running:
        paths = os.pathsep.join(str(jar) for jar in jars)
        yield Kitchen(running.kafka.bootstrap, paths, directory)
