"""Which services cases need, and the registry where some of them does."""

from __future__ import annotations

from collections.abc import Sequence

from harness.engine.plan.case import names_schemas
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Registry, Services


def services_for(cases: Sequence[Case], consumer: Consumer | None = None) -> list[str]:
    """Return the names of the services to start for these cases, and for a consumer of them."""
    registry = ["registry"] if any(map(names_schemas, cases)) else []
    sink = ["mariadb"] if consumer is not None and consumer.result.in_database else []
    return ["kafka", *registry, *sink]


def registry_for(services: Services, cases: Sequence[Case]) -> Registry | None:
    """Return the run's registry if one of the cases needs it."""
    return services.registry if any(map(names_schemas, cases)) else None
