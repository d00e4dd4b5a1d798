"""The oracle: database, worker and connectors put together, scenarios run, cases judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from confluent_kafka import TopicPartition

from harness.errors import HarnessError
from harness.model.change import ChangeLog
from harness.oracles.compare import MISSING, Comparison, Message, Rules, compare, shown
from harness.oracles.freedoms import QUEUED, ProcessingTime
from harness.oracles.jars import OnEvent
from harness.oracles.mariadb.configuration import (
    BESIDES,
    HEARTBEATS,
    MARIADB,
    PREFIX,
    PROFILES,
    Connector,
    settings_of,
)
from harness.oracles.mariadb.freedoms import CollectionOrder, CopyTime, LogPosition, inconsistent
from harness.oracles.mariadb.predictions import Prediction, case_of, predicted
from harness.oracles.mariadb.reasons import KNOWN
from harness.oracles.mariadb.records import (
    ByTransaction,
    beats,
    by_transaction,
    copied,
    of_scenario,
    of_slice,
)
from harness.oracles.mariadb.run import (
    COPYING,
    MARKS,
    Slice,
    filled,
    following,
    slices,
    worker_files,
)
from harness.oracles.mariadb.statements import cannot
from harness.oracles.reasons import reason
from harness.oracles.result import SHOWN, CaseResult, OracleResult, Status
from harness.oracles.topics import Topics, consumed
from harness.oracles.vitess.lock import GROUPS as WORKERS
from harness.oracles.worker import working
from harness.protocols.protocol import ProtocolSpec
from harness.record.server import Upstream
from harness.scenario.document import Scenario
from harness.services.java import find_java
from harness.services.running import start

ZONE: Final = "UTC"
PLAIN: Final = "mysql"  # what reports call each connector's own prefix
CLOCK_MARGIN_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class OracleOptions:
    """Where the run keeps its logs, who hears of it, who predicts, and which connector is asked."""

    protocol: ProtocolSpec
    run_dir: Path
    on_event: OnEvent
    on_result: Callable[[int, int], None]
    env: Mapping[str, str]
    connector: Connector = MARIADB


@dataclass(frozen=True, slots=True)
class Captured:
    """What a connector sent for a scenario.

    `prefix` is what its topics begin with. `refused` is why the server did not run it all, `failed`
    why the connector ended at it.
    """

    prefix: str
    messages: Sequence[Message]
    refused: str
    failed: str
    clock: tuple[int, int]


def ask(
    scenarios: Sequence[Scenario], log_of: Callable[[Scenario], ChangeLog], options: OracleOptions
) -> OracleResult:
    """Run scenarios' SQL under the connector; SetupError when something it needs is missing."""
    java = find_java("kafka", options.env)  # before anything is fetched
    began, connector = time.monotonic(), options.connector
    runnable = [one for one in scenarios if not cannot(one)]
    captured: Mapping[tuple[str, str], Captured] = {}
    if runnable:
        captured = _captured(runnable, options)
    cases = tuple(
        _judged(scenario, profile, captured.get((scenario.id, profile)), log_of, options)
        for scenario in scenarios
        for profile in PROFILES
    )
    return OracleResult(
        oracle=connector.oracle,
        version=connector.version,
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(time.monotonic() - began),
        versions={
            "connector": connector.coordinates,
            "worker": WORKERS["worker"].roots[0],
            "java": java.version,
        },
        cases=cases,
    )


def _captured(
    scenarios: Sequence[Scenario], options: OracleOptions
) -> Mapping[tuple[str, str], Captured]:
    """Return what each profile's connector sent for each scenario."""
    connector, env = options.connector, options.env
    files = worker_files(connector, options.on_event, env)
    run_dir, plays = options.run_dir, tuple(PROFILES)
    found: list[Slice] = []
    began = time.time_ns() - CLOCK_MARGIN_NS
    with start(
        ["kafka", "mariadb"], run_dir=run_dir, on_event=options.on_event, env=env
    ) as services:
        server = services.mariadb
        upstream = Upstream(server.host, server.port, server.user, server.password)
        topics, bootstrap = Topics(services.kafka.client), services.kafka.bootstrap
        with (
            working(files, run_dir / "worker", bootstrap, ZONE, env) as worker,
            following(connector, upstream, worker, topics, plays, run_dir) as stand,
        ):
            for one in slices(stand, scenarios, has_gtids=connector.has_gtids):
                services.check()
                found.append(one)
                options.on_result(len(found), len(scenarios))
            ends = filled(stand, (name for one in found for name in one.connectors.values()))
            timed = (one.connectors[play] for one in found for play in BESIDES)
            ends |= topics.at([TopicPartition(f"{HEARTBEATS}.{name}", 0) for name in timed])
        sent = consumed(services.kafka.client, ends)
    clock = began, time.time_ns() + CLOCK_MARGIN_NS
    names = {name for one in found for name in one.connectors.values()}
    timers = {name: tuple(beats(sent, name)) for name in names}
    numbered: ByTransaction = by_transaction(sent) if connector.has_gtids else {}
    return {
        (one.scenario.id, play): Captured(
            name,
            (
                *(
                    _sent(numbered, name, one)
                    if connector.has_gtids
                    else of_slice(sent, name, one.begins, one.ends, MARKS)
                ),
                *timers[name],
            ),
            one.execution.refused,
            one.failed.get(play, ""),
            clock,
        )
        for one in found
        for play, name in one.connectors.items()
    }


def _sent(messages: ByTransaction, connector: str, one: Slice) -> Iterator[Message]:
    """Yield what a connector sent of a scenario, its copy first."""
    if one.scenario.keyspace.copied_after is not None:
        yield from copied(messages, connector, MARKS)
    yield from of_scenario(messages, connector, one.execution)


def _judged(
    scenario: Scenario,
    profile: str,
    captured: Captured | None,
    log_of: Callable[[Scenario], ChangeLog],
    options: OracleOptions,
) -> CaseResult:
    protocol, connector = options.protocol, options.connector
    case = case_of(scenario, profile, protocol, connector.dialect)
    if captured is None or captured.refused:
        why = cannot(scenario) if captured is None else captured.refused
        return CaseResult(case.id, Status.UNPLAYABLE, why)
    try:
        copies = scenario.keyspace.copied_after is not None
        settings = {**settings_of(profile), **(COPYING if copies else {}), PREFIX: captured.prefix}
        ours = predicted(case, settings, protocol, log_of(scenario))
    except HarnessError as error:  # its lock
        ours = Prediction(unplanned=str(error.what))
    if ours.unplanned:
        return CaseResult(case.id, Status.UNPLAYABLE, ours.unplanned)
    found = compared(ours.messages, captured.messages, captured.clock)
    if captured.failed and ours.stopped:
        handed = [one for one in found.differences if one.part != MISSING]
        found.freedoms |= {QUEUED} if handed != found.differences else set()
        found.differences = handed
    freedoms = tuple(sorted(found.freedoms))
    if not found.differences and bool(captured.failed) == bool(ours.stopped):
        return CaseResult(case.id, Status.EQUAL, "", freedoms)
    ended = [f"the connector fails: {captured.failed[:400]}"] if captured.failed else []
    ended += [f"ours stops: {ours.stopped[:400]}"] if ours.stopped else []
    said = (*ended, *shown(found.differences, SHOWN))
    differences = tuple(text.replace(captured.prefix, PLAIN) for text in said)
    why = reason(KNOWN, scenario.id, connector.version, differences)
    return CaseResult(case.id, Status.DIFFERS, why, freedoms, differences)


def compared(
    ours: Sequence[Message], theirs: Sequence[Message], clock: tuple[int, int]
) -> Comparison:
    """Compare two streams; `clock` is when theirs was made, in nanoseconds since 1970.

    Of heartbeats the form is compared, and that there are any where ours has some.
    """
    mine, yours = (any(one.topic.startswith(HEARTBEATS) for one in side) for side in (ours, theirs))
    if not mine:  # theirs belong to no scenario
        theirs = [one for one in theirs if not one.topic.startswith(HEARTBEATS)]
    freedoms = ProcessingTime(*clock), CopyTime(*clock), LogPosition(), CollectionOrder()
    found = compare(ours, theirs, Rules(freedoms, timed=HEARTBEATS if yours else ""))
    found.differences += inconsistent(theirs)
    return found
