"""The services of a run: which ones cases need, started or reached, or given and left running."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from harness.engine.plan.case import names_schemas
from harness.engine.run.context import RunContext
from harness.engine.run.preflight import service_changed
from harness.model.events import PhaseFinished, PhaseStarted
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Registry, ServiceEvent, Services, start


def services_for(cases: Sequence[Case], consumer: Consumer | None = None) -> list[str]:
    """Return the names of the services to start for these cases, and for a consumer of them."""
    registry = ["registry"] if any(map(names_schemas, cases)) else []
    sink = ["mariadb"] if consumer is not None and consumer.result.in_database else []
    return ["kafka", *registry, *sink]


def registry_for(services: Services, cases: Sequence[Case]) -> Registry | None:
    """Return the run's registry if one of the cases needs it."""
    return services.registry if any(map(names_schemas, cases)) else None


@contextmanager
def completed(
    context: RunContext, given: Services | None, wanted: Sequence[str]
) -> Generator[Services]:
    """Yield the given services with those that they lack, started for this run."""
    lacking = [name for name in wanted if given is None or not given.has(name)]
    if given is not None and not lacking:
        yield given
        return
    with started(context, lacking, "services") as services:
        yield services if given is None else given.joined(services)


@contextmanager
def started_alone(
    context: RunContext, wanted: Sequence[str], directory: str
) -> Generator[Services]:
    """Yield services that nobody else uses: no warm ones."""
    cold = replace(context, source=replace(context.source, warm={}))
    with started(cold, wanted, directory) as services:
        yield services


@contextmanager
def started(context: RunContext, wanted: Sequence[str], directory: str) -> Generator[Services]:
    """Yield services, started or reached, as a phase of the run; raises SetupError."""

    def heard(event: ServiceEvent) -> None:
        context.bus.publish(service_changed(event))

    began = time.monotonic()
    context.bus.publish(PhaseStarted("services", context.source.said(wanted)))
    with start(
        wanted,
        run_dir=context.identity.directory / directory,
        on_event=heard,
        env=context.environment,
        settings=context.source.settings,
        warm=context.source.warm,
    ) as services:
        context.bus.publish(PhaseFinished("services", time.monotonic() - began))
        yield services
