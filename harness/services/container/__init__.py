"""Services in containers, through testcontainers (extra `containers`), imported when one is wanted.

Should the harness be killed, testcontainers' own reaper ends the containers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.services.container import started
from harness.services.launch import Startup
from harness.services.service import Up

SERVICES: Mapping[str, Callable[[Startup], Up]] = {
    "kafka": started.kafka,
    "mariadb": started.database,
    "registry": started.registry,
}
