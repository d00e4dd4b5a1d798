"""The fixtures: real services, a Spark session, and `certify`; each comes when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # for types only: this module is imported in every session, before coverage
    from harness.pytest_plugin.certification import Certify
    from harness.services import Services


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
    """Yield a SparkSession with the Kafka connector, as the bundled consumer has it.

    Skips when PySpark or a fit Java is missing, and says which.
    """
    pytest.importorskip(
        "pyspark", reason="PySpark is missing: pip install 'cdc-conformance[spark]'"
    )
    from harness.errors import HarnessError, SetupError
    from harness.services import find_java, jars

    try:
        java = find_java("spark")
    except SetupError as error:
        pytest.skip(" ".join(str(error).split()))
    try:
        files = jars("spark", on_event=lambda _: None)
    except HarnessError as error:
        pytest.fail(str(error), pytrace=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_HOME", str(java.home))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        yield from _spark(tmp_path_factory.mktemp("spark"), [str(file) for file in files])


def _spark(work_dir: Path, jar_files: list[str]) -> Generator[Any]:
    from pyspark.sql import SparkSession

    from harness.consumers.spark.session import SETTINGS
    from harness.load.session import end

    settings = {
        **SETTINGS,
        "spark.driver.extraClassPath": os.pathsep.join(jar_files),
        "spark.local.dir": str(work_dir / "scratch"),
        "spark.sql.warehouse.dir": str(work_dir / "warehouse"),
    }
    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark: Any = builder.getOrCreate()
    try:
        yield spark
    finally:
        end(spark)
