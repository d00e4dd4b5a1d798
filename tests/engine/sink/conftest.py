"""One broker, registry and database for all tests of the sink."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.services import Services


@pytest.fixture(scope="module")
def services(shared: Callable[..., Services]) -> Services:
    """Return services that run while the worker's tests do."""
    return shared("kafka", "registry", "mariadb")
