"""One broker, registry and database for all tests of the sink."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.services import Services, start


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Return services that run while a module's tests do."""
    names = ["kafka", "registry", "mariadb"]
    run_dir = tmp_path_factory.mktemp("services")
    with start(names, run_dir=run_dir, on_event=lambda _: None) as running:
        yield running
