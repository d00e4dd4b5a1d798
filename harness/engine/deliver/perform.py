"""Which function does what: one row an action, and the loop over a delivery's steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from harness.engine.deliver import broker, registry
from harness.engine.deliver.fault_context import Stage
from harness.errors import HarnessBug
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    Committed,
    ConsumerAction,
    DeleteBefore,
    Instances,
    Kill,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
)
from harness.model.record import Record


def arm(stage: Stage, action: ConsumerAction) -> None:
    """Leave to the audience what happens to a consumer at its moment."""
    if stage.audience is None:
        raise HarnessBug(f"{action} is for a consumer that runs meanwhile, and there is none")
    stage.audience.arm(action)


# Compaction is not here: `compaction.as_gaps` says how to fill a topic as if it had been.
ENACTMENTS: Mapping[type, Callable[[Stage, Any], None]] = MappingProxyType(
    {
        Aborted: broker.aborted,
        AddPartitions: broker.add_partitions,
        Committed: broker.committed,
        DeleteBefore: broker.delete_before,
        Instances: arm,
        Kill: arm,
        Pause: arm,
        RestartBroker: broker.restart_broker,
        StartRegistry: registry.start_registry,
        StopRegistry: registry.stop_registry,
    }
)


def enact(stage: Stage, steps: Iterable[Step]) -> None:
    """Do the steps in order; SetupError when a service does not do its part."""
    for step in steps:
        if isinstance(step, Record):
            stage.send(step)
        else:
            ENACTMENTS[type(step)](stage, step)
    stage.outlet.settle()
