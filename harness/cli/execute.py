"""What `run` and `certify` share: a request, its listeners, its exit code."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from harness.cli import options, spark_options
from harness.contracts import Listener
from harness.engine.catalogue.choose import every_name
from harness.engine.catalogue.fingerprint import fingerprint
from harness.engine.catalogue.repartitioned import Repartitioned
from harness.engine.catalogue.selection import Selection
from harness.engine.catalogue.selection import chosen as found
from harness.engine.catalogue.with_changefeed import WithChangefeed
from harness.engine.catalogue.workspace import Workspace, new_run
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.levels import has_cases, of_level
from harness.engine.run.claimed_levels import levels_to_run
from harness.engine.run.conditions import conditions_of
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.declared import NOTHING_DECLARED, Declared, declared_by
from harness.engine.run.event_bus import EventBus
from harness.engine.run.headline import Scope
from harness.engine.run.in_sandbox import in_sandbox
from harness.engine.run.isolation import NOT_ISOLATED, Isolation
from harness.engine.run.judging import BEYOND
from harness.engine.run.preflight import ready, versions
from harness.engine.run.services import services_for
from harness.errors import ExitCode, UsageError, plural
from harness.model.conditions import Conditions
from harness.model.events import Event, RunFinished
from harness.model.finding import Judgement, Verdict
from harness.model.level import Level
from harness.report.console import ConsoleReport
from harness.report.ndjson import event_json
from harness.report.outcome import gaps
from harness.report.writers import writing
from harness.runner import targets
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Services, Source
from harness.services.hidden import Secrets


@dataclass(frozen=True, slots=True)
class Execution:
    """The command line's options, and what a command that runs several times adds.

    `brief` leaves out of the console what is not about verdicts; `services` run already, and are
    left running; `heard` hear of the run besides.
    """

    space: Workspace
    target: str
    selection: Selection
    deadline_s: float
    reports: Mapping[str, Path]
    json: bool
    source: Source
    changefeed: Path | None = None
    isolation: Isolation = NOT_ISOLATED
    spark: Mapping[str, str] = field(default_factory=dict[str, str])
    expectations: Path | None = None
    strict: bool = False
    level: Level | None = None
    partitions: int | None = None
    beyond: bool = False
    again: bool = False
    fail_fast: bool = False
    sandbox: bool = False
    brief: bool = False
    services: Services | None = None
    heard: Sequence[Listener] = ()


class Collector:
    """Keeps the last event of a run, and every event as JSON, for `--json`."""

    def __init__(self) -> None:
        """Start empty."""
        self.cases: list[dict[str, Any]] = []
        self.finished: dict[str, Any] = {}

    def handle(self, event: Event) -> None:
        """Keep cases and the headline."""
        row = event_json(event)
        if isinstance(event, RunFinished):
            self.finished = row
        elif row["event"] == "case-finished":
            self.cases.append(row)


def _repeated(args: Execution) -> tuple[str, ...]:
    """Return the words without which a case would be judged otherwise."""
    files = {"--changefeed": args.changefeed, "--expectations": args.expectations}
    named = [(option, str(path)) for option, path in files.items() if path is not None]
    level = [] if args.level is None else ["--level", args.level.value]
    if args.partitions is not None:
        level += ["--partitions", str(args.partitions)]
    flags = {"--strict": args.strict, BEYOND: args.beyond, "--sandbox": args.sandbox}
    given = [flag for flag, is_given in flags.items() if is_given]
    return (*level, *(word for pair in named for word in pair), *given)


def _conditions(
    args: Execution, consumer: Consumer, cases: Sequence[Case], declared: Declared
) -> Conditions:
    """Return the conditions of a run, with the command line that does it again."""
    settings = args.source.settings
    known = [case for case in cases if consumer.supports(case.protocol)]
    wanted = [] if args.level is Level.DECODE else services_for(known, consumer)
    drawn = args.isolation.percent
    isolated = ["--isolated", f"{drawn:g}", "--seed", str(args.isolation.seed)] if drawn else []
    words = [
        *("harness", "certify", consumer.target or consumer.name),
        *shlex.split(args.selection.text),
        *_repeated(args),
        *isolated,
        *(["--fail-fast"] if args.fail_fast else []),
        *("--deadline", f"{args.deadline_s:g}"),
        *spark_options.words(args.spark),
        *options.repeated_settings(settings),
        *args.space.options(),
    ]
    return replace(
        conditions_of(words, consumer, settings, declared, known, wanted),
        catalogue=fingerprint(args.space, known),
        seed=f"each case's own id; --seed {args.isolation.seed} draws the share of --isolated",
        strict="true" if args.strict else "",
    )


@contextmanager
def listening(
    run_dir: Path,
    reports: Mapping[str, Path],
    collector: Collector,
    *,
    json: bool,
    brief: bool = False,
) -> Generator[Sequence[Listener]]:
    """Yield who hears of a run, the console first; its reports are written at the end."""
    with ExitStack() as stack:
        console = ConsoleReport(Console(stderr=json, soft_wrap=True), brief=brief)
        stack.callback(console.close)
        files = [("ndjson", run_dir / "events.ndjson"), *reports.items()]
        written = [stack.enter_context(writing(name, path)) for name, path in files]
        yield [console, collector, *written]


def execute(args: Execution) -> int:
    """Run, report, and return the exit code; raises HarnessError for whatever is not a finding.

    A consumer that claims level decode beside others is certified twice, each time with reports of
    its own.
    """
    spark_options.refuse_elsewhere(args.target, args.spark)
    consumer = targets.parse(args.target, Whereabouts.here())
    selection = options.narrowed_to_failed(
        args.space, args.selection, consumer.name, again=args.again
    )
    args = replace(args, selection=selection)
    return over(args, consumer, found(args.space, selection))


def over(args: Execution, consumer: Consumer, cases: Sequence[Case]) -> int:
    """Run some cases at each level that the consumer claims; return the worse exit code."""
    if args.sandbox:
        consumer = in_sandbox(consumer, args.space, args.source.settings)
    claimed = levels_to_run(consumer, args.level)
    first, *rest = [one for one in claimed if has_cases(cases, one)] or claimed[:1]
    runs = [replace(args, level=first)]
    runs += [replace(args, level=level, reports=_beside(args.reports, level)) for level in rest]
    return max(_executed(one, consumer, cases) for one in runs)


def _beside(reports: Mapping[str, Path], level: Level | None) -> Mapping[str, Path]:
    """Return the reports of a further level: `report.html` becomes `report.decode.html`."""
    return {
        form: path.with_name(f"{path.stem}.{level}{path.suffix}") for form, path in reports.items()
    }


def _executed(args: Execution, consumer: Consumer, chosen: Sequence[Case]) -> int:
    """Certify at one level, or at materialise and stream; return the exit code."""
    declared = NOTHING_DECLARED
    if not args.strict:
        names = every_name(args.space, chosen, whole=args.selection.is_whole)
        declared = declared_by(consumer, args.expectations, datetime.now(UTC).date(), names)
    if args.level is not None:
        chosen = of_level(chosen, args.level)
    laid: WithChangefeed | Repartitioned | None = None
    if args.changefeed is not None and args.partitions is not None:
        raise UsageError("--changefeed and --partitions cannot be combined", expected="one")
    if args.changefeed is not None:
        laid = options.laid_under(args.space, chosen, args.changefeed)
        chosen = laid.cases
    elif args.partitions is not None:
        laid = options.laid_over(args.space, chosen, args.partitions)
        chosen = laid.cases
    # Where it claims none of them, the run itself says so.
    claimed = [case for case in chosen if consumer.supports(case.protocol)] or chosen
    run, run_dir = new_run(args.space.runs / "runs")
    collector = Collector()
    with listening(run_dir, args.reports, collector, json=args.json, brief=args.brief) as listeners:
        consumer = replace(consumer, environment={**consumer.environment, **args.spark})
        consumer = ready(consumer, listeners[0].handle)
        context = RunContext(
            RunIdentity(
                run,
                run_dir,
                versions(consumer),
                _repeated(args),
                _conditions(args, consumer, chosen, declared),
            ),
            consumer,
            dict(os.environ),
            EventBus([*listeners, *args.heard], Secrets.of(os.environ, args.source.settings)),
            args.source,
            Limits(args.deadline_s, os.cpu_count() or 1),
            declared,
            args.isolation,
            args.beyond,
            Scope(len(chosen) - len(claimed), args.selection.text),
            args.fail_fast,
        )
        planned = None if laid is None else laid.plans
        outcome = certify(
            CatalogueCases(args.space, claimed, args.level, planned, args.services), context
        )
    if args.json:
        document = {**collector.finished, "cases": collector.cases}
        if laid is not None:
            extra = {"partitions": args.partitions} if args.changefeed is None else {}
            document |= {
                "changefeed": str(args.changefeed or ""),
                "notes": laid.notes,
                **extra,
            }
        click.echo(orjson.dumps(document).decode())
    if outcome.exit_code is ExitCode.USAGE:
        raise nothing_passed(consumer, outcome.verdicts)
    return int(outcome.exit_code)


def nothing_passed(consumer: Consumer, verdicts: Sequence[Verdict]) -> UsageError:
    """Return the error of a run that certified nothing, with what was lacking most often."""
    apart = sum(verdict.apart is not None for verdict in verdicts)
    if apart == len(verdicts):
        return UsageError(
            f"nothing counts: nobody promises what the chosen cases ({apart}) rest on",
            expected="--beyond, or at least one other case",
            hint="docs/explanation/standing.md says what that means; the report shows them apart",
        )
    ends = Counter(verdict.judgement for verdict in verdicts)
    if ends.keys() != {Judgement.NOT_APPLICABLE}:
        return UsageError(
            f"nothing passed: {', '.join(f'{count} {end}' for end, count in ends.most_common())}",
            expected="at least one case that passes",
            hint="what is expected to fail, excused or undecided certifies nothing; "
            "choose more scenarios, or take expectations away",
        )
    gap, times = gaps(verdicts)[0]
    return UsageError(
        f"nothing is applicable: of {times} of {plural(len(verdicts), 'case')} "
        f"{consumer.name} says: {gap}",
        expected="at least one case that the consumer is able to do",
        hint="choose another level or other scenarios; the report names every gap",
    )
