"""Files of the lock for those who start no service: Spark's connector, and filling the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.services.artifacts import LOCK, locked, read
from harness.services.download import fetch
from harness.services.repository import repository
from harness.services.service import ServiceEvent
from harness.services.sparks import group as group_of


def jars(
    group: str, *, on_event: Callable[[ServiceEvent], None], env: Mapping[str, str] | None = None
) -> tuple[Path, ...]:
    """Return the files of a group, downloaded when missing; raises SetupError.

    `spark`, `delta` and `iceberg` are the groups of the PySpark that is installed.
    """
    return _fetched(group_of(group), on_event, os.environ if env is None else env, verify=False)


def fill_cache(
    *, on_event: Callable[[ServiceEvent], None], env: Mapping[str, str] | None = None
) -> Path:
    """Download everything that this platform needs, verify what is there, return the cache.

    Copied to a machine without a network and named by HARNESS_CACHE_DIR, it makes the first run
    possible there. Raises SetupError.
    """
    env = os.environ if env is None else env
    for group in read(LOCK):
        _fetched(group, on_event, env, verify=True)
    return repository(env).cache


def _fetched(
    group: str,
    on_event: Callable[[ServiceEvent], None],
    env: Mapping[str, str],
    *,
    verify: bool,
) -> tuple[Path, ...]:
    def progress(done: int, total: int) -> None:
        on_event(ServiceEvent(group, "fetching", group, done=done, total=total))

    return fetch(locked(group), repository(env), on_progress=progress, verify=verify)
