"""A project of somebody else, in which the plugin is run from outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Extension modules start once a process, and pytester forgets what an inner session imports.
import harness.pytest_plugin.nodes
import harness.pytest_plugin.pack  # noqa: F401
from harness.services.repository import repository
from tests.pytest_plugin.project import Project


@pytest.fixture(scope="session")
def download_cache() -> Path:
    """Return where downloads are kept, before pytester hides the user's home."""
    return repository(os.environ).cache


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, download_cache: Path
) -> Project:
    """Return an empty project: not in CI, sharing the user's downloads."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("HARNESS_CACHE_DIR", str(download_cache))
    monkeypatch.setenv("HARNESS_WARM_USE", "false")
    return Project(pytester, monkeypatch)
