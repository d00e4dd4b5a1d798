"""What a delivery needs of a consumer and of the services, and when its consumer starts.

Most deliveries are over before anybody reads, so their changefeeds are read in packs. Where
something happens to a consumer, or to a service that it uses, it is alone and reads meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.faults.actions import (
    AddPartitions,
    AfterCommits,
    AtCrashPoint,
    DeleteBefore,
    Instances,
    Kill,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    sent,
)
from harness.runner.manifest import Capability, Consumer
from harness.scenario.expand import Case
from harness.services import Settings

OF_SERVICES = (RestartBroker, StopRegistry, StartRegistry)
OF_CONSUMERS = (Kill, Pause, Instances)
RETENTION = "retention"
# What is done to a run while a consumer reads -> the name of the fault that asks for it.
HAPPENS: Mapping[type, str] = {
    Kill: "kill",
    Pause: "slow-consumer",
    Instances: "instances",
    AddPartitions: "grow",
    RestartBroker: "broker-restart",
    StopRegistry: "registry-down",
    StartRegistry: "registry-down",
}


def first_live(steps: Sequence[Step]) -> int:
    """Return the number of the first step that a running consumer sees: all before are over.

    What deletes messages is over, and so is what adds partitions to topics that hold nothing yet,
    or while the consumer is stopped.
    """
    over = [n for n, step in enumerate(steps) if _is_over(steps, n, step)]
    return over[-1] + 1 if over else 0


def _is_over(steps: Sequence[Step], number: int, step: Step) -> bool:
    if isinstance(step, AddPartitions):
        return step.stopped or not sent(steps[:number])
    return isinstance(step, DeleteBefore)


def is_live(steps: Sequence[Step]) -> bool:
    """Tell whether a consumer has to run while these steps are done."""
    return any(
        isinstance(step, (*OF_SERVICES, *OF_CONSUMERS))
        or (isinstance(step, AddPartitions) and not _is_over(steps, number, step))
        for number, step in enumerate(steps)
    )


def happening(steps: Sequence[Step]) -> str:
    """Return the faults that are done to the run, in order, each once: `kill`, `grow and kill`."""
    return " and ".join(dict.fromkeys(HAPPENS[type(s)] for s in steps if type(s) in HAPPENS))


def restarts(steps: Sequence[Step]) -> bool:
    """Tell whether a service goes and comes back."""
    return any(isinstance(step, OF_SERVICES) for step in steps)


def unmet(steps: Sequence[Step], consumer: Consumer, settings: Settings) -> str:
    """Say what the consumer or the services lack for these steps; "" when they lack nothing."""
    lacking = (
        one for number, step in enumerate(steps) for one in _lacking(steps, number, step, consumer)
    )
    undeclared = next(lacking, "")
    if undeclared:
        return f"{undeclared}, which {consumer.name} does not declare"
    for step in steps:
        name = "kafka" if isinstance(step, RestartBroker) else "registry"
        if isinstance(step, OF_SERVICES) and settings.backend(name) != "embedded":
            return f"a {name} that the run may restart: this one is {settings.backend(name)}"
    return ""


def unloseable(case: Case, consumer: Consumer) -> str:
    """Say what the consumer lacks where messages of the job are taken away; "" for nothing.

    One that fails as a whole would take down the neighbours in its pack.
    """
    steps = case.scenario.delivery.get(case.delivery or "", ())
    lost = any(step.fault == RETENTION for step in steps)
    if lost and Capability.LOST_DATA not in consumer.capabilities:
        return f"{Capability.LOST_DATA}, which {consumer.name} does not declare"
    return ""


def _lacking(steps: Sequence[Step], number: int, step: Step, consumer: Consumer) -> Iterator[str]:
    has = consumer.capabilities
    match step:
        case Kill(AtCrashPoint(name)) if name not in consumer.crash_points:
            yield f"crash-point:{name}"
        case Kill(AfterCommits()) if "commit" in consumer.crash_points:
            pass
        case Kill(AfterCommits()) | Pause(AfterCommits()) if Capability.COMMITS not in has:
            yield Capability.COMMITS
        case Pause(AtCrashPoint(name)):
            yield f"pause-point:{name}"
        case Instances() if Capability.INSTANCES not in has:
            yield Capability.INSTANCES
        case AddPartitions() if not _is_over(steps, number, step):
            if Capability.GROWING_TOPICS not in has:
                yield Capability.GROWING_TOPICS
        case Kill(resume=False):
            yield "an answer of a consumer that is killed for good"
        case _:
            pass
