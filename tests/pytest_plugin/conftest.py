"""A project of somebody else, in which the plugin is run from outside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.pytester import SysModulesSnapshot

# Extension modules start once a process, and pytester forgets what an inner session imports.
import harness.pytest_plugin.nodes
import harness.pytest_plugin.pack  # noqa: F401
from harness.services.repository import repository
from tests.pytest_plugin.project import Project


@pytest.fixture(scope="session")
def download_cache() -> Path:
    """Return where downloads are kept, before pytester hides the user's home."""
    return repository(os.environ).cache


@pytest.fixture(scope="session", autouse=True)
def _modules_stay() -> Iterator[None]:
    """Let pytester forget the modules that came, without a moment in which there are none.

    It empties `sys.modules` and fills it again, while threads of services that tests share look
    into it.
    """

    def restore(snapshot: SysModulesSnapshot) -> None:
        saved: dict[str, ModuleType] = vars(snapshot)["_SysModulesSnapshot__saved"]
        kept = vars(snapshot)["_SysModulesSnapshot__preserve"]
        for name in sys.modules.keys() - saved.keys():
            if not (kept and kept(name)):
                sys.modules.pop(name, None)
        sys.modules.update(saved)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SysModulesSnapshot, "restore", restore)
        yield


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, download_cache: Path
) -> Project:
    """Return an empty project: not in CI, sharing the user's downloads."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("HARNESS_CACHE_DIR", str(download_cache))
    monkeypatch.setenv("HARNESS_WARM_USE", "false")
    return Project(pytester, monkeypatch)
