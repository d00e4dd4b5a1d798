"""One database server for all tests of recording."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.record.server import Upstream
from harness.services import start


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upstream]:
    """Run one MariaDB for all tests of this folder."""
    run_dir = tmp_path_factory.mktemp("services")
    with start(["mariadb"], run_dir=run_dir, on_event=lambda _: None) as services:
        database = services.mariadb
        yield Upstream(database.host, database.port, database.user, database.password)
