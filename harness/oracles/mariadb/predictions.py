"""What our encoder makes of a scenario in a profile, from its lock alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.contracts import DEFAULT_DIALECT
from harness.engine.plan.case import stage_of
from harness.engine.plan.encoded import encoded
from harness.engine.plan.surviving_rows import visible_events
from harness.errors import HarnessError
from harness.model.change import ChangeLog
from harness.model.settings import Settings
from harness.model.source_events import SourceEvent
from harness.oracles.compare import Message, message
from harness.protocols.protocol import ProtocolSpec
from harness.scenario.document import Scenario
from harness.scenario.expand import Case

DIALECT = DEFAULT_DIALECT


@dataclass(frozen=True, slots=True)
class Prediction:
    """What our encoder makes: messages, or why it makes none ("" if it does).

    `rows` are the row events that the messages stand for, as far as the wire carries them.
    `stopped` is why our connector stops before the end, "" otherwise.
    """

    messages: tuple[Message, ...] = ()
    unplanned: str = ""
    stopped: str = ""
    rows: tuple[SourceEvent, ...] = ()


def case_of(
    scenario: Scenario, profile: str, protocol: ProtocolSpec, dialect: str = DIALECT
) -> Case:
    """Return the case of a scenario in a profile, whatever its matrix says."""
    words = [protocol.name, *([] if dialect == DIALECT else [dialect]), f"+{profile}"]
    return Case(scenario, protocol.name, dialect, 1, None, f"{scenario.id}[{','.join(words)}]")


def predicted(case: Case, settings: Settings, protocol: ProtocolSpec, log: ChangeLog) -> Prediction:
    """Return what our encoder makes of a case under settings."""
    config = replace(stage_of(case), settings=settings)
    try:
        source = protocol.source.simulate(log, config)
        sent = encoded(protocol.codec.bind(source.settings, case.dialect), source)
    except HarnessError as error:
        return Prediction(unplanned=f"not planned: {error.what}")
    stopped = "" if sent.stopped is None else f"{sent.stopped.code} {sent.stopped.what}"
    rows = tuple(visible_events(protocol, source.settings, case.dialect)(sent.events))
    return Prediction(tuple(map(message, sent.records)), stopped=stopped, rows=rows)
