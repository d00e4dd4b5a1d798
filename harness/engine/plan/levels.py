"""Which cases belong to which level, by what their deliveries ask.

| level | its cases |
| --- | --- |
| decode | the undisturbed ones, and deliveries that change or add messages |
| materialise | all that are over before a consumer starts |
| stream | where something happens to the consumer, or to a service under it, while it reads |

A case may be of decode and of materialise; no case is of materialise and of stream. Live has none:
its topics are somebody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from harness.errors import UsageError
from harness.faults import FAULTS, Invariant
from harness.model.level import Level
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case

TOGETHER = "materialise + stream"


def level_text(level: Level | None) -> str:
    """Return what reports call a level; without one, materialise and stream are run together."""
    return TOGETHER if level is None else level.value


def has_cases(cases: Sequence[Case], level: Level | None) -> bool:
    """Return whether there is a case of the level; None is materialise and stream together."""
    return level is None or any(BELONGS[level](steps_of(case)) for case in cases)


def of_level(cases: Sequence[Case], level: Level) -> tuple[Case, ...]:
    """Return the cases of a level; UsageError when there are none."""
    belongs = BELONGS[level]
    found = tuple(case for case in cases if belongs(steps_of(case)))
    if not found:
        raise UsageError(
            f"none of {len(cases)} chosen cases belongs to the level {level}",
            expected="at least one case of the level",
            hint="`harness list` shows the cases; docs/reference/levels.md says what belongs where",
        )
    return found


def steps_of(case: Case) -> Sequence[DeliveryStep]:
    """Return the steps of the case's delivery, none for the undisturbed one."""
    return case.scenario.delivery.get(case.delivery or "", ())


def _decode(steps: Sequence[DeliveryStep]) -> bool:
    if not steps:
        return True
    lost = any(FAULTS[step.fault].loses_data for step in steps)
    return not lost and not _stream(steps) and any(_changes_messages(step) for step in steps)


def _changes_messages(step: DeliveryStep) -> bool:
    fault = FAULTS[step.fault]
    return fault.act is None and Invariant.BYTES not in fault.kept_with(step.options)


def _materialise(steps: Sequence[DeliveryStep]) -> bool:
    return not _stream(steps)


def _stream(steps: Sequence[DeliveryStep]) -> bool:
    return any(FAULTS[step.fault].is_live(step.options) for step in steps)


BELONGS: Mapping[Level, Callable[[Sequence[DeliveryStep]], bool]] = {
    Level.DECODE: _decode,
    Level.MATERIALISE: _materialise,
    Level.STREAM: _stream,
}
