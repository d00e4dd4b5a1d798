"""Which services cases need, and the registry where some of them does."""

from __future__ import annotations

from collections.abc import Sequence

from harness.engine.plan import names_schemas
from harness.scenario.expand import Case
from harness.services import Registry, Services


def services_for(cases: Sequence[Case]) -> list[str]:
    """Return the names of the services to start for these cases."""
    return ["kafka", *(["registry"] if any(map(names_schemas, cases)) else [])]


def registry_for(services: Services, cases: Sequence[Case]) -> Registry | None:
    """Return the run's registry if one of the cases needs it."""
    return services.registry if any(map(names_schemas, cases)) else None
