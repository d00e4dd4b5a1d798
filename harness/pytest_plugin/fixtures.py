"""The fixtures: real services, a Spark session, and `certify`; each comes when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # for types only: this module is imported in every session, before coverage
    from harness.pytest_plugin.certification import Certify
    from harness.services import Services

# A small machine's settings: as many shuffle tasks as threads, and no plan made twice.
SPARK: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
}
SESSION_SETS = ("JAVA_HOME", "PYSPARK_PYTHON", "PYTHONPATH", "SPARK_LOCAL_IP")


@pytest.fixture(scope="session")
def harness_services(pytestconfig: pytest.Config) -> Services:
    """Return running services: `harness_services.kafka.bootstrap` is the address of a Kafka.

    They are those that the scenarios of this session use too; each xdist worker has its own.
    """
    from harness.errors import HarnessError
    from harness.pytest_plugin.session import harness_session

    try:
        return harness_session(pytestconfig).services.running()
    except HarnessError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def certify(pytestconfig: pytest.Config) -> Certify:
    """Return a function that certifies a consumer: `certify("spark", "keys").assert_passed()`."""
    from harness.pytest_plugin.certification import Certify
    from harness.pytest_plugin.session import harness_session

    return Certify(harness_session(pytestconfig))


@pytest.fixture(scope="session")
def harness_spark(tmp_path_factory: pytest.TempPathFactory) -> Generator[Any]:
    """Yield a SparkSession with the Kafka connector, on two threads of this machine.

    Skips when PySpark or a fit Java is missing, and says which.
    """
    pytest.importorskip(
        "pyspark", reason="PySpark is missing: pip install 'cdc-conformance[spark]'"
    )
    from harness.errors import HarnessError, SetupError
    from harness.load.session import Master, session
    from harness.services import find_java

    try:
        find_java("spark")
    except SetupError as error:
        pytest.skip(" ".join(str(error).split()))
    started = session(Master("local[2]", SPARK), ("spark",), tmp_path_factory.mktemp("spark"))
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        for name in SESSION_SETS:  # so that all of them are as before when the session has ended
            patch.setenv(name, os.environ.get(name, ""))
        try:
            spark = stack.enter_context(started)
        except HarnessError as error:
            pytest.fail(str(error), pytrace=False)
        yield spark
