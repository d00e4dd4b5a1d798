"""The oracle: jars, services and worker put together, plays run, cases judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Final

from harness.codecs.connect.settings import APICURIO
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.errors import UsageError
from harness.model.change import ChangeLog
from harness.oracles.compare import shown
from harness.oracles.jars import Announced, Jars, OnEvent
from harness.oracles.reasons import reason
from harness.oracles.result import SHOWN, CaseResult, OracleResult, Status
from harness.oracles.topics import Topics
from harness.oracles.vitess.lock import GROUPS, LOCK, VERSIONS
from harness.oracles.vitess.messages import DESCRIPTORS, Messages, client_of, describe
from harness.oracles.vitess.plays import Play, again, plays
from harness.oracles.vitess.reasons import KNOWN
from harness.oracles.vitess.restart_run import RestartResult, restarted
from harness.oracles.vitess.restarts import Restart, restarts
from harness.oracles.vitess.restarts import again as restart_again
from harness.oracles.vitess.run import PlayResult, Stand, by_zone, results_of
from harness.oracles.vitess.vtgate import VtGates
from harness.oracles.worker import WorkerFiles, working
from harness.scenario.expand import Case
from harness.services.java import find_java
from harness.services.running import Services, start
from harness.services.schemas import HttpRegistry
from harness.wire.registry import Compatibility

NAME: Final = "vitess"
REGISTRY_API: Final = "/apis/registry/v2"
# Of 1,100 streams some break in transport a few times one after the other.
ATTEMPTS: Final = 12
# The converter's jar does not announce it, nor those of the connector up to 3.2.0 its transforms: a
# worker that finds plugins by what they announce then never answers who asks for one of them.
CONVERTER: Final[Announced] = {"org.apache.kafka.connect.storage.Converter": (APICURIO,)}
OF_CONNECTOR: Final[Announced] = {
    "org.apache.kafka.connect.transforms.Transformation": tuple(TRANSFORMS)
}


@dataclass(frozen=True, slots=True)
class OracleOptions:
    """Which release is asked, where the run keeps its logs, and who hears of it.

    With `restarts` connectors are stopped and started again, too, where a case is about that.
    """

    version: str
    run_dir: Path
    on_event: OnEvent
    on_result: Callable[[int, int], None]
    env: Mapping[str, str]
    restarts: bool = False


def ask(
    cases: Sequence[Case], log_of: Callable[[Case], ChangeLog], options: OracleOptions
) -> OracleResult:
    """Run the connector over Vitess cases; SetupError when something that it needs is missing."""
    release = _release(options.version)
    java = find_java("kafka", options.env)  # before anything is fetched
    began = time.monotonic()
    planned = plays(cases, log_of, VERSIONS[release])
    found: dict[str, CaseResult] = {
        case: CaseResult(case, Status.UNPLAYABLE, why) for case, why in planned.unplayable.items()
    }
    replayed = 0
    stops = restarts(planned.plays if options.restarts else ())
    stopped: dict[str, CaseResult] = {
        name: CaseResult(name, Status.UNPLAYABLE, why) for name, why in stops.unplayable.items()
    }
    for one in _asked(planned.plays, stops.restarts, release, options):
        if isinstance(one, RestartResult):
            replayed += one.restart.play.attempt
            stopped[one.restart.name] = _judged_restart(one, release)
            continue
        replayed += one.play.attempt
        for case in one.play.cases:
            found[case.id] = _judged(case, one, release)
    return OracleResult(
        oracle=NAME,
        version=release,
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(time.monotonic() - began),
        versions={
            "connector": f"io.debezium:debezium-connector-vitess:{release}",
            "worker": GROUPS["worker"].roots[0],
            "converter": GROUPS["apicurio"].roots[0],
            "java": java.version,
        },
        cases=(*(found[case.id] for case in cases), *stopped.values()),
        replayed=replayed,
    )


def _asked(
    planned: Sequence[Play], stops: Sequence[Restart], release: str, options: OracleOptions
) -> Iterator[PlayResult | RestartResult]:
    """Yield what came of each play and of each restart."""
    if not planned:
        return
    jars = Jars(LOCK, options.on_event, options.env)
    files = WorkerFiles(
        jars.group("worker"),
        [
            jars.directory(f"vitess-{release}", OF_CONNECTOR),
            jars.directory("apicurio", CONVERTER),
        ],
    )
    messages = _messages(jars, release)
    done = 0
    with ExitStack() as stack:
        services: Services = stack.enter_context(
            start(
                ["kafka", "registry"],
                run_dir=options.run_dir,
                on_event=options.on_event,
                env=options.env,
            )
        )
        schemas = HttpRegistry(services.registry)
        # Our codec's registry judges so; what is refused is the registry's rule, no converter's.
        schemas.require(Compatibility.BACKWARD)
        gates = stack.enter_context(VtGates(messages))
        topics = Topics(services.kafka.client)
        registry = services.registry.url.partition("/apis/")[0] + REGISTRY_API
        for zone, waiting in by_zone(planned):
            directory = options.run_dir / f"worker-{zone.replace('/', '-')}"
            bootstrap = services.kafka.bootstrap
            with working(files, directory, bootstrap, zone, options.env) as worker:
                stand = Stand(worker, topics, gates, registry, schemas.schema, release)
                here = [one for one in stops if one.play.zone == zone]
                both: Iterator[PlayResult | RestartResult] = chain(
                    _whole(stand, waiting), _whole_restarts(stand, here)
                )
                for one in both:
                    services.check()
                    done += 1
                    options.on_result(done, len(planned) + len(stops))
                    yield one


def _whole(stand: Stand, waiting: Sequence[Play]) -> Iterator[PlayResult]:
    """Yield what came of plays; one whose stream broke in transport is played again."""
    while waiting:
        broken: list[Play] = []
        for one in results_of(stand, waiting):
            if one.broken and one.play.attempt + 1 < ATTEMPTS:
                broken.append(again(one.play))
            else:
                yield one
        waiting = broken


def _whole_restarts(stand: Stand, waiting: Sequence[Restart]) -> Iterator[RestartResult]:
    """Yield what came of restarts; one whose stream broke in transport is played again."""
    while waiting:
        broken: list[Restart] = []
        for one in restarted(stand, waiting):
            if one.broken and one.restart.play.attempt + 1 < ATTEMPTS:
                broken.append(restart_again(one.restart))
            else:
                yield one
        waiting = broken


def _messages(jars: Jars, release: str) -> Messages:
    group = f"vitess-{release}"
    client = client_of(jars.group(group))
    (protoc,) = jars.group("protoc")
    made = jars.prepared(
        f"protocol-{release}", lambda into: describe(client, protoc, into), group, "protoc"
    )
    return Messages((made / DESCRIPTORS).read_bytes())


def _judged(case: Case, one: PlayResult, release: str) -> CaseResult:
    freedoms = tuple(sorted(one.comparison.freedoms))
    if one.equal:
        return CaseResult(case.id, Status.EQUAL, "", freedoms)
    shown = tuple(_shown(one))
    why = reason(KNOWN, case.scenario.id, release, shown)
    return CaseResult(case.id, Status.DIFFERS, why, freedoms, shown)


def _judged_restart(one: RestartResult, release: str) -> CaseResult:
    name, freedoms = one.restart.name, tuple(sorted(one.result.comparison.freedoms))
    if one.equal:
        return CaseResult(name, Status.EQUAL, "", freedoms)
    own = one.restart.play.name
    shown = (*(text.replace(own, "") for text in one.beside), *_shown(one.result))
    why = reason(KNOWN, one.restart.play.cases[0].scenario.id, release, shown)
    return CaseResult(name, Status.DIFFERS, why, freedoms, shown)


def _shown(one: PlayResult) -> Iterator[str]:
    """Yield what is shown of a play that differs: how each side ended, then the records."""
    if one.refused:
        yield f"the connector is refused: {one.refused[:400]}"
    if one.failed:
        yield f"the connector fails: {one.failed[:400]}"
    if one.play.stopped:
        yield f"ours stops: {one.play.stopped[:400]}"
    for line in shown(one.comparison.differences, SHOWN):
        yield line.replace(one.play.name, "")


def _release(version: str) -> str:
    """Return the release that a version names, its `.Final` left out or not."""
    release = version if version.endswith(".Final") else f"{version}.Final"
    if release not in VERSIONS:
        raise UsageError(
            f"the oracle has no connector {version!r}", expected="one of " + ", ".join(VERSIONS)
        )
    return release
