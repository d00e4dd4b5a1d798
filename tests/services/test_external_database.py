"""Somebody's MySQL-compatible server, on a real MariaDB: let in, or told why not."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from harness.errors import HarnessError, SetupError, UsageError
from harness.services import MariaDb, settings, start
from harness.services.ports import HOST, free_ports

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[MariaDb]:
    """Run one MariaDB for all tests of this file."""
    run_dir = tmp_path_factory.mktemp("database")
    with start(["mariadb"], run_dir=run_dir, on_event=lambda _: None) as services:
        yield services.mariadb


def looked_for(tmp_path: Path, url: str) -> MariaDb:
    """Return the external server of this URL."""
    options = settings({"database.url": url}, env={}, here=tmp_path)
    with start(
        ["mariadb"], run_dir=tmp_path, on_event=lambda _: None, settings=options
    ) as services:
        services.check()
        return services.mariadb


def refused(tmp_path: Path, url: str) -> HarnessError:
    """Return the error that this URL ends with; no password is in it."""
    with pytest.raises(HarnessError) as caught:
        looked_for(tmp_path, url)
    assert "Pa55" not in str(caught.value)
    return caught.value


def test_a_server_is_found_and_left_running(server: MariaDb, tmp_path: Path) -> None:
    """The address of one server is enough for another run, twice."""
    assert looked_for(tmp_path, server.url) == server
    assert looked_for(tmp_path, server.url) == server


def test_a_wrong_password_is_said(server: MariaDb, tmp_path: Path) -> None:
    """The user is named, the password is not."""
    url = f"mysql://{server.user}:Pa55@{server.host}:{server.port}/"
    error = refused(tmp_path, url)
    assert isinstance(error, SetupError)
    assert "refuses who we are" in error.what
    assert f"user={server.user}, password=***" in error.what


def test_nobody_there_is_said(tmp_path: Path) -> None:
    """A closed port is named."""
    (port,) = free_ports(1)
    error = refused(tmp_path, f"mysql://me:Pa55@{HOST}:{port}/")
    assert isinstance(error, SetupError)
    assert f"{HOST}:{port} cannot be reached" in error.what


@pytest.mark.parametrize("rest", ["host/database", "host/?ssl=1", "host:port/", ""])
def test_the_url_names_a_server_only(tmp_path: Path, rest: str) -> None:
    """Databases are the scenarios' business, and parameters are none of ours."""
    error = refused(tmp_path, f"mysql://me:Pa55@{rest}")
    assert isinstance(error, UsageError)
    assert "mysql://user:password@host:port/" in error.expected
