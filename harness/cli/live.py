"""`harness certify CONSUMER --live FILE`: level live, on topics that are filled already."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

import click
import orjson

from harness.cli import options, spark_options
from harness.cli.execute import Collector, listening, nothing_passed
from harness.engine.catalogue.choose import also_bundled
from harness.engine.catalogue.workspace import new_run, runs
from harness.engine.pipeline import CaseSource, certify
from harness.engine.run.claimed_levels import levels_to_run
from harness.engine.run.conditions import conditions_of
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.declared import NOTHING_DECLARED, Declared, declared_by
from harness.engine.run.event_bus import EventBus
from harness.engine.run.external_topics.document import read_live
from harness.engine.run.external_topics.judged import words_of
from harness.engine.run.external_topics.run import ExternalTables, refuse_external
from harness.engine.run.preflight import ready, versions
from harness.errors import ExitCode, UsageError
from harness.model.conditions import Conditions
from harness.model.level import Level
from harness.runner import targets
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.runner.manifests.named import NamedCases
from harness.services import Settings, Source, settings
from harness.services.hidden import Secrets


@dataclass(frozen=True, slots=True)
class LiveExecution:
    """The command line's options; `elsewhere` are options that mean nothing at this level."""

    target: str
    live: str | None
    level: str | None
    deadline_s: float
    reports: Mapping[str, Path]
    json: bool
    overrides: Mapping[str, str]
    spark: Mapping[str, str]
    elsewhere: Sequence[str] = ()
    expectations: Path | None = None
    strict: bool = False
    faults: Sequence[str] = ()


def execute_live(args: LiveExecution) -> int:
    """Run, report, and return the exit code; raises HarnessError for whatever is not a finding."""
    file = _file(args)
    spark_options.refuse_elsewhere(args.target, args.spark)
    consumer = targets.parse(args.target, Whereabouts.here())
    levels_to_run(consumer, Level.LIVE)  # refuses what it does not claim
    live = read_live(file, os.environ)
    declared = NOTHING_DECLARED
    if not args.strict:
        names = also_bundled([words_of(live, table) for table in live.tables])
        declared = declared_now(args, consumer, names)
    # What the command line says of a service wins over the file.
    source = Source(settings({**live.overrides(), **args.overrides}))
    refuse_external(live, consumer, source.settings)
    catalogue = sha256(file.read_bytes()).hexdigest()
    conditions = conditions_for(args, consumer, source.settings, declared)
    conditions = replace(
        conditions, catalogue=catalogue, seed="none: topics and rows are those that were there"
    )
    return certified(args, Subject(consumer, source, conditions, declared), ExternalTables(live))


def declared_now(args: LiveExecution, consumer: Consumer, names: NamedCases) -> Declared:
    """Return what a consumer declares, as of today."""
    return declared_by(consumer, args.expectations, datetime.now(UTC).date(), names)


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is certified, where services come from, under which conditions.

    `versions` names what takes part besides.
    """

    consumer: Consumer
    source: Source
    conditions: Conditions
    declared: Declared
    versions: Mapping[str, str] = field(default_factory=dict[str, str])


def certified(
    args: LiveExecution,
    subject: Subject,
    cases: CaseSource,
    more: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Run and report; return the exit code. `more` is of the document for `--json`, once run."""
    run, run_dir = new_run(runs(Path.cwd()) / "runs")
    collector = Collector()
    with listening(run_dir, args.reports, collector, json=args.json) as listeners:
        consumer = subject.consumer
        consumer = replace(consumer, environment={**consumer.environment, **args.spark})
        consumer = ready(consumer, listeners[0].handle)
        known, settings = subject.conditions, subject.source.settings
        parts = {**versions(consumer), **subject.versions}
        identity = RunIdentity(run, run_dir, parts, _repeated(args), known)
        context = RunContext(
            identity,
            consumer,
            dict(os.environ),
            EventBus(listeners, Secrets.of(os.environ, settings)),
            subject.source,
            Limits(args.deadline_s),
            subject.declared,
        )
        outcome = certify(cases, context)
    if args.json:
        document = {**collector.finished, "cases": collector.cases, **more}
        click.echo(orjson.dumps(document).decode())
    if outcome.exit_code is ExitCode.USAGE:
        raise nothing_passed(consumer, outcome.verdicts)
    return int(outcome.exit_code)


def conditions_for(
    args: LiveExecution, consumer: Consumer, settings: Settings, declared: Declared
) -> Conditions:
    """Return the conditions of a run, but for what is its catalogue and its seed."""
    words = [
        *("harness", "certify", consumer.target or consumer.name, "--live", str(args.live)),
        *(word for fault in args.faults for word in ("--live-fault", fault)),
        *_repeated(args),
        *("--deadline", f"{args.deadline_s:g}"),
        *spark_options.words(args.spark),
        *options.repeated_settings(settings),
    ]
    return replace(
        conditions_of(words, consumer, settings, declared),
        strict="true" if args.strict else "",
    )


def _repeated(args: LiveExecution) -> tuple[str, ...]:
    """Return the words without which a table would be judged otherwise."""
    known = [] if args.expectations is None else ["--expectations", str(args.expectations)]
    return (*known, *(["--strict"] if args.strict else []))


def _file(args: LiveExecution) -> Path:
    """Return the file; UsageError where the options do not go together."""
    if args.level not in (None, Level.LIVE):
        raise UsageError(f"--live is not for the level {args.level}", expected="--level live")
    if args.faults:
        raise UsageError(
            "--live-fault is for a producer that the run starts itself",
            expected="--live debezium-mariadb beside it",
        )
    if args.live is None:
        raise UsageError(
            "--level live needs topics that a real producer fills",
            expected="--live FILE.yaml, which names them and their upstream, or"
            " --live debezium-mariadb, which starts both",
            hint="docs/guides/certify-live.md has a file to start from",
        )
    if not Path(args.live).is_file():
        raise UsageError(
            f"--live {args.live}: there is no such file, and no such producer",
            expected="a file that describes live topics, or debezium-mariadb",
            hint="docs/guides/certify-live.md has a file to start from",
        )
    if args.elsewhere:
        raise UsageError(
            f"{', '.join(args.elsewhere)} mean nothing at level live",
            expected="the tables of the file, each of which is a case",
        )
    return Path(args.live)
