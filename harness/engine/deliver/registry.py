"""What is done to the schema registry: taken away, and brought back knowing what it knew."""

from __future__ import annotations

from harness.engine.deliver.fault_context import Stage
from harness.errors import HarnessBug
from harness.faults.actions import StartRegistry, StopRegistry
from harness.services import Services


def stop_registry(stage: Stage, action: StopRegistry) -> None:
    """Take the registry away once everything before is sent."""
    del action
    stage.outlet.settle()
    _services(stage).halt("registry")


def start_registry(stage: Stage, action: StartRegistry) -> None:
    """Bring the registry back, not before a consumer could have missed it."""
    del action
    stage.outlet.settle()
    if stage.audience is not None:
        stage.audience.met()
    _services(stage).revive("registry")


def _services(stage: Stage) -> Services:
    if stage.services is None:
        raise HarnessBug("a registry is to be restarted that is not ours")
    return stage.services
