"""Services that run already: we look, we say exactly why not, and we never end them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.services.external import database, kafka, registry
from harness.services.launch import Startup
from harness.services.service import Up

SERVICES: Mapping[str, Callable[[Startup], Up]] = {
    "kafka": kafka.start,
    "mariadb": database.start,
    "registry": registry.start,
}
