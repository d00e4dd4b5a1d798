"""Kafka and the connector's jars, and a session with Delta, for the tests that need them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

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


@pytest.fixture(scope="session")
def ended() -> Iterator[None]:
    """End the session that the files of tests share behind the last of them."""
    from tests.cdc_spark.delta.files_lab import end_shared_session  # noqa: PLC0415 - needs Spark

    yield
    end_shared_session()


@pytest.fixture(scope="module")
def spark(ended: None) -> Any:
    """Return a session that has Delta."""
    from tests.cdc_spark.delta.files_lab import shared_session  # noqa: PLC0415 - as above

    del ended
    return shared_session()
