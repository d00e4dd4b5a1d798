"""The services of a run: which ones cases need, started or reached, or given and left running."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from harness.engine.plan.case import names_schemas
from harness.engine.run.context import RunContext
from harness.engine.run.preflight import service_changed
from harness.errors import ServiceLost
from harness.model.events import PhaseFinished, PhaseStarted, ServiceChanged
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Registry, ServiceEvent, Services, start

Made = TypeVar("Made")
ATTEMPTS = 3  # how often services may be lost in a run


def services_for(cases: Sequence[Case], consumer: Consumer | None = None) -> list[str]:
    """Return the names of the services to start for these cases, and for a consumer of them."""
    registry = ["registry"] if any(map(names_schemas, cases)) else []
    sink = ["mariadb"] if consumer is not None and consumer.result.in_database else []
    return ["kafka", *registry, *sink]


def registry_for(services: Services, cases: Sequence[Case]) -> Registry | None:
    """Return the run's registry if one of the cases needs it."""
    return services.registry if any(map(names_schemas, cases)) else None


def with_services(
    context: RunContext,
    given: Services | None,
    wanted: Sequence[str],
    act: Callable[[RunContext, Services], Made],
) -> Made:
    """Return what `act` makes of the services; when one is lost, it acts again with new ones.

    What it has done by then it has to keep itself. Raises ServiceLost when that happens to it
    `ATTEMPTS` times, and HarnessError as the services' start does.
    """
    lost_so_far = 0
    while True:
        try:
            with completed(context, given, wanted) as services, services.blamed():
                return act(context, services)
        except ServiceLost as lost:
            lost_so_far += 1
            if lost_so_far == ATTEMPTS:
                raise
            why = f"{lost.what.splitlines()[0]}; what was not answered is begun again with new ones"
            context.bus.publish(ServiceChanged(lost.service, "lost", why))
        directory = context.identity.directory / f"again-{lost_so_far}"
        context = replace(
            context,
            identity=replace(context.identity, directory=directory),
            source=replace(context.source, warm={}),
        )
        given = None


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
