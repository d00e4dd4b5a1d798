"""`harness watch CONSUMER`: certify, and after each saved file run again what fails."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options, spark_options
from harness.errors import ExitCode, UsageError
from harness.model.level import Level

if TYPE_CHECKING:  # imported when the command is called
    from harness.authoring.rounds import Names, Round
    from harness.cli.execute import Execution
    from harness.engine.catalogue.selection import Selection
    from harness.model.events import Event
    from harness.runner.manifest import Consumer
    from harness.scenario.expand import Case
    from harness.services import Services


@click.command("watch", short_help="Certify a consumer again after each saved file.")
@click.argument("consumer")
@options.selection
@options.last_failed
@options.fail_fast
@click.option(
    "--also",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="PATH",
    help="Watch this directory as well; may be repeated.",
)
@options.level
@options.expectations
@options.strict
@options.changefeed
@options.beyond
@options.sandbox
@spark_options.placed
@options.deadline
@options.reports
@options.services
@options.roots
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    consumer: str,
    selection: Selection,
    again: bool,
    fail_fast: bool,
    also: tuple[Path, ...],
    level: Level | None,
    expectations: Path | None,
    strict: bool,
    changefeed: Path | None,
    beyond: bool,
    sandbox: bool,
    spark: Mapping[str, str],
    deadline: float,
    reports: Mapping[str, Path],
    overrides: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
) -> int:
    """Certify CONSUMER, wait for a saved file, run the cases again that fail, and so on.

    When none fails, the next save runs the whole selection. Watched are the directory of the
    manifest, or the one where you are; those of the files that the command names; your scenarios.
    Kafka and the registry stay up between rounds. Ctrl-C ends it, with the exit code of the last
    round.
    """
    from harness.cli.execute import Execution

    space = options.space(scenarios, golden)
    args = Execution(
        space,
        consumer,
        selection,
        deadline,
        reports,
        json=False,
        source=options.source(overrides, space),
        changefeed=changefeed,
        spark=spark,
        expectations=expectations,
        strict=strict,
        level=level,
        beyond=beyond,
        sandbox=sandbox,
        again=again,
        fail_fast=fail_fast,
        brief=True,
    )
    return _watched(args, also)


def _watched(args: Execution, also: Sequence[Path]) -> int:
    """Start services, run rounds until Ctrl-C, return the last one's exit code."""
    from harness.authoring.rounds import Rounds
    from harness.authoring.saved_files import places, saved_files
    from harness.engine.catalogue.selection import chosen
    from harness.engine.run.in_sandbox import in_sandbox
    from harness.runner import targets
    from harness.runner.commands import Whereabouts

    spark_options.refuse_elsewhere(args.target, args.spark)
    whereabouts = Whereabouts.here()
    consumer = targets.parse(args.target, whereabouts)
    if consumer.attach is not None:
        raise UsageError(
            f"{args.target} runs already, and is not started again after a save",
            expected="a consumer that the harness starts",
        )
    if args.sandbox:
        in_sandbox(consumer, args.space, args.source.settings)  # refused once, not each round
    failed = options.narrowed_to_failed(
        args.space, args.selection, consumer.name, again=args.again
    ).failed
    files = [file for file in (args.changefeed, args.expectations) if file is not None]
    directories = places(consumer, args.target, args.space, whereabouts, [*files, *also])
    cases = chosen(args.space, args.selection)
    with ExitStack() as stack:
        saves = stack.enter_context(saved_files(directories, list(args.reports.values())))
        click.echo(f"watching {', '.join(map(str, directories))}")
        services = stack.enter_context(_kept(args, consumer, cases))
        rounds = Rounds(
            saves,
            lambda failing: _round(replace(args, services=services), failing),
            click.echo,
            whereabouts.directory.resolve(),
            failed or frozenset(),
        )
        return rounds.go_on()


@contextmanager
def _kept(args: Execution, consumer: Consumer, cases: Sequence[Case]) -> Generator[Services | None]:
    """Yield the services of all rounds; None where no round has any."""
    from rich.console import Console

    from harness.engine.catalogue.workspace import new_run
    from harness.engine.run.claimed_levels import levels_to_run
    from harness.engine.run.context import RunContext, RunIdentity
    from harness.engine.run.event_bus import EventBus
    from harness.engine.run.services import services_for, started
    from harness.report.console import ConsoleReport
    from harness.services.hidden import Secrets

    claimed = [case for case in cases if consumer.supports(case.protocol)]
    if not claimed or levels_to_run(consumer, args.level) == (Level.DECODE,):
        yield None
        return
    console = ConsoleReport(Console(soft_wrap=True))
    identity = RunIdentity(*new_run(args.space.runs / "watch"))
    secrets = Secrets.of(os.environ, args.source.settings)
    bus = EventBus([console], secrets)
    context = RunContext(identity, consumer, dict(os.environ), bus, args.source)
    try:
        with started(context, services_for(claimed, consumer), "services") as services:
            console.close()
            yield services
    finally:
        console.close()


@dataclass
class Verdicts:
    """Keeps which cases were judged, and which of them failed."""

    judged: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()

    def handle(self, event: Event) -> None:
        """Keep the case of a verdict."""
        from harness.model.events import CaseFinished
        from harness.model.finding import FINDINGS

        if isinstance(event, CaseFinished):
            self.judged |= {event.case}
            if event.verdict.judgement in FINDINGS:
                self.failed |= {event.case}


def _round(args: Execution, failing: Names) -> Round:
    """Run a round; what the user can repair by another save does not end the session."""
    from harness.authoring.rounds import Round, to_run
    from harness.cli.execute import over
    from harness.engine.catalogue.selection import chosen
    from harness.runner import targets
    from harness.runner.commands import Whereabouts

    heard = Verdicts()
    try:
        consumer = targets.parse(args.target, Whereabouts.here())
        cases = chosen(args.space, args.selection)
        names = to_run([case.id for case in cases], failing)
        if len(names) < len(cases):
            selection = replace(args.selection, failed=frozenset(names))
            args = replace(args, selection=selection)
        these = [case for case in cases if case.id in set(names)]
        code = over(replace(args, heard=[heard]), consumer, these)
    except UsageError as error:
        click.echo(f"error: {error}", err=True)
        code = int(ExitCode.USAGE)
    return Round(code, heard.judged, heard.failed)
