"""Places for labs, and registries."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cdc_spark.avro_messages import Publisher
from tests.cdc_spark.registry_server import published

# These import what imports PySpark, which is in the environments of Spark alone.
collect_ignore = (
    []
    if find_spec("pyspark")
    else [
        "test_altered.py",
        "test_no_loss.py",
        "test_no_loss_kafka.py",
        "test_growth.py",
        "test_growth_kafka.py",
        "test_lost_tables.py",
        "test_killed.py",
        "test_restarts.py",
        "test_ledger.py",
        "test_delta_files.py",
        "test_delta_log.py",
        "test_upgrades.py",
        "test_options.py",
        "test_table_writer.py",
        "test_iceberg.py",
    ]
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory for a lab."""
    return tmp_path


@pytest.fixture
def source() -> Publisher:
    """Return what publishes schemas."""
    return Publisher()


@pytest.fixture
def address(source: Publisher) -> Iterator[str]:
    """Return the address of a registry."""
    with published(source) as url:
        yield url
