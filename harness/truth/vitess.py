"""Debezium Vitess vectors: VStream events in, every Connect record in every form out.

The connector's questions to VTGate are not compared. Source: vitess NOTES §0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium_vitess.encode import (
    Connector,
    ConnectorEnvironment,
    offsets_of,
)
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, Offsets
from harness.codecs.debezium_vitess.validation import problems
from harness.truth.result import Difference, Result, Vector
from harness.truth.vitess_clock import EARLIEST_MS, HEARTBEAT_TIMER
from harness.truth.vitess_input import Run, cluster_of, runs_of, zone_of
from harness.truth.vitess_records import compare_record
from harness.truth.vitess_transforms import compare_transforms

# So much passes between two looks at the clock that every heartbeat's time has come.
_TICK = 10**10
_HEARTBEAT = "io.debezium.connector.vitess.Heartbeat"


@dataclass(slots=True)
class Outcome:
    """What came of one run of ours."""

    records: list[ConnectRecord] = field(default_factory=list[ConnectRecord])
    invalid: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()


class _Clock:
    def __init__(self) -> None:
        self._now = (EARLIEST_MS + 1) * 1_000_000

    def __call__(self) -> int:
        self._now += _TICK
        return self._now


def compare(vector: Vector) -> Result:
    """Compare one vector, every run of it; offsets go from one run to the next."""
    differences: list[Difference] = []
    excused: set[str] = set()
    offsets: Offsets = NO_OFFSETS
    for run in runs_of(vector):
        around = ConnectorEnvironment(zone_of(vector), cluster_of(vector), offsets)
        outcome = _run(run, around)
        offsets = offsets_of(outcome.records, offsets)
        found, names = _compare_run(run, outcome)
        differences.extend(found)
        excused.update(names)
    return Result(vector["id"], tuple(differences), tuple(sorted(excused)))


def _run(run: Run, around: ConnectorEnvironment) -> Outcome:
    outcome = Outcome()
    try:
        settings = read(run.properties)
        outcome.invalid = problems(settings)
        if outcome.invalid:
            return outcome
        connector = Connector(settings, _Clock(), around)
        for record in connector.run(run.responses):
            outcome.records.append(record)
    except ConnectorFailed as failed:
        outcome.failure = failed.chain
    except JavaError as error:
        outcome.failure = error.chain()
    return outcome


def _compare_run(run: Run, outcome: Outcome) -> tuple[list[Difference], set[str]]:
    expected = run.expected
    found: list[Difference] = []
    recorded = tuple(expected.get("config_validation_errors") or ())
    if outcome.invalid != recorded:
        found.append(
            Difference(f"{run.name}config_validation_errors", str(outcome.invalid), str(recorded))
        )
    error = tuple(expected.get("error") or ())
    if outcome.failure != error:
        found.append(Difference(f"{run.name}error", str(outcome.failure), str(error)))
    theirs: list[Vector] = expected.get("records") or []
    ours, skipped = _beside(outcome.records, theirs)
    excused: set[str] = {HEARTBEAT_TIMER} if skipped else set()
    if len(ours) != len(theirs):
        recorded_topics = [record["topic"] for record in theirs]
        topics = [record.topic for record in ours]
        found.append(Difference(f"{run.name}records", str(topics), str(recorded_topics)))
    for index, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        where = f"{run.name}records[{index}]"
        differences, names = compare_record(where, mine, other)
        found.extend(differences)
        excused.update(names)
    if "smt_results" in expected:
        found.extend(compare_transforms(expected, ours))
    return found, excused


def _beside(
    ours: Sequence[ConnectRecord], theirs: Sequence[Vector]
) -> tuple[list[ConnectRecord], bool]:
    """Return our records without the heartbeats whose time had not come when theirs were made.

    Ours come wherever one may come; theirs must be among them, with the offset of their place.
    """
    kept: list[ConnectRecord] = []
    skipped = False
    for record in ours:
        schema = record.value_schema
        if schema is not None and schema.name == _HEARTBEAT:
            at = len(kept)
            recorded = theirs[at] if at < len(theirs) else None
            if (
                recorded is None
                or recorded["topic"] != record.topic
                or recorded["source_offset"] != dict(record.source_offset)
            ):
                skipped = True
                continue
        kept.append(record)
    return kept, skipped
