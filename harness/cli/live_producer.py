"""`harness certify CONSUMER --live debezium-mariadb`: level live, on topics filled by the run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import click

from harness.cli import options, spark_options
from harness.cli.live import LiveExecution, Subject, certified, conditions_for, declared_now
from harness.database.driver import connector
from harness.engine.catalogue.choose import every_name
from harness.engine.catalogue.fingerprint import fingerprint
from harness.engine.catalogue.selection import Selection, chosen
from harness.engine.catalogue.workspace import Workspace
from harness.engine.run.claimed_levels import levels_to_run
from harness.engine.run.declared import NOTHING_DECLARED
from harness.engine.run.provenance import services
from harness.errors import UsageError
from harness.model.level import Level
from harness.oracles.live.cases import SERVICES, LiveCases, plays_of, unplayable
from harness.oracles.mariadb.lock import CONNECTOR
from harness.oracles.vitess.lock import GROUPS as WORKERS
from harness.protocols.mysql import MYSQL
from harness.record.lock import load_lock
from harness.runner import targets
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.scenario.document import Scenario
from harness.services import Source

VERSIONS = {"connector": CONNECTOR, "worker": WORKERS["worker"].roots[0]}


def execute_produced(args: LiveExecution, space: Workspace, selection: Selection) -> int:
    """Run, report, and return the exit code; raises HarnessError for whatever is not a finding."""
    _refuse_options(args)
    spark_options.refuse_elsewhere(args.target, args.spark)
    connector()  # the package that speaks to databases
    consumer = targets.parse(args.target, Whereabouts.here())
    levels_to_run(consumer, Level.LIVE)  # refuses what it does not claim
    source = options.source(args.overrides, space)
    _refuse_consumer(consumer, source)
    cases = [case for case in chosen(space, selection) if case.protocol == MYSQL.name]
    if not cases:
        raise UsageError(
            f"none of the chosen cases is of the protocol {MYSQL.name}, which the connector writes",
            hint=f"choose by -k {MYSQL.name}, or leave the choice out",
        )
    scenarios = _runnable({case.scenario.id: case.scenario for case in cases}, args.faults)
    live = LiveCases(
        str(args.live),
        MYSQL,
        plays_of(scenarios, args.faults),
        lambda one: load_lock(one, space.golden),
    )
    declared = NOTHING_DECLARED
    if not args.strict:
        names = every_name(space, cases, whole=selection.is_whole)
        declared = declared_now(args, consumer, names)
    conditions = conditions_for(args, consumer, source.settings, declared)
    words = [conditions.command, selection.text, shlex.join(space.options())]
    conditions = replace(
        conditions,
        command=" ".join(filter(None, words)),
        catalogue=fingerprint(space, cases),
        seed="none: the SQL is run in the scenarios' order",
        services=services(source.settings, SERVICES),
    )
    subject = Subject(consumer, source, conditions, declared, VERSIONS)
    return certified(args, subject, live, {"producer": live.counts})


def _runnable(scenarios: dict[str, Scenario], faults: Sequence[str]) -> list[Scenario]:
    """Return the scenarios that can be run live; the others are named with the reason."""
    left_out: dict[str, list[str]] = {}
    for name, scenario in scenarios.items():
        why = unplayable(scenario, MYSQL, faults)
        if why:
            left_out.setdefault(why, []).append(name)
    for why, names in left_out.items():
        click.echo(f"note: not run: {', '.join(names)}: {why}", err=True)
        for name in names:
            scenarios.pop(name)
    if not scenarios:
        raise UsageError(
            "none of the chosen scenarios can be run live",
            expected="one of which the notes above say nothing",
            hint="`harness certify reference --live debezium-mariadb keys.pk-chain` is one",
        )
    return list(scenarios.values())


def _refuse_options(args: LiveExecution) -> None:
    if args.level not in (None, Level.LIVE):
        raise UsageError(f"--live is not for the level {args.level}", expected="--level live")
    if args.elsewhere:
        raise UsageError(
            f"{', '.join(args.elsewhere)} mean nothing at level live",
            expected="a choice of scenarios, each of which is a case",
        )


def _refuse_consumer(consumer: Consumer, source: Source) -> None:
    """Raise UsageError for what cannot be certified on topics of the run's own."""
    if not consumer.supports(MYSQL.name):
        raise UsageError(
            f"nothing is applicable: {consumer.name} does not declare the protocol {MYSQL.name}",
            expected=f"a consumer that declares {MYSQL.name}",
        )
    if consumer.attach is not None:
        raise UsageError(
            f"{consumer.name} runs already, and nobody knows when it has read to the SELECT",
            expected="a consumer that is started for the run, and ends at the offsets of its job",
            hint="certify it at level materialise",
        )
    for service in SERVICES:
        if source.settings.backend(service) != "embedded":
            raise UsageError(
                f"{service} is not the run's own, which a producer of the run's own needs",
                expected="embedded services: the database is restarted, and its log is purged",
                hint="with services of your own: `--live FILE.yaml`, docs/guides/certify-live.md",
            )
