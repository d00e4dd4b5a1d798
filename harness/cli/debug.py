"""`harness debug CASE CONSUMER`: topics are filled, somebody else starts the consumer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import completion, options
from harness.errors import UsageError, plural

if TYPE_CHECKING:  # imported when the command is called
    from harness.cli.execute import Execution
    from harness.model.level import Level
    from harness.runner.manifest import Consumer
    from harness.scenario.expand import Case

A_DAY_S = 86_400.0
CASES_SHOWN = 5


@click.command("debug", short_help="Fill the topics of a case, and judge what you start yourself.")
@click.argument("case", shell_complete=completion.places)
@click.argument("consumer")
@click.option(
    "--judge-when-done",
    "when_done",
    is_flag=True,
    help="Judge as soon as the consumer has written its status; nobody has to press Enter.",
)
@options.level
@options.strict
@options.sandbox
@click.option(
    "--deadline",
    type=click.FloatRange(min=1),
    default=A_DAY_S,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait; `deadline_s` of the job.",
)
@options.reports
@options.services
@options.roots
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    case: str,
    consumer: str,
    when_done: bool,
    level: Level | None,
    strict: bool,
    sandbox: bool,
    deadline: float,
    reports: Mapping[str, Path],
    overrides: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
) -> int:
    """Fill the topics of CASE, print how to start CONSUMER yourself, and judge what it answers.

    The command is printed with its directory and its environment; start it in another terminal,
    under a debugger. Enter judges what it has written, and so does `harness judge RUN`. Findings
    and exit code are those of `harness certify`; Kafka and the registry end with the verdict. With
    `--sandbox` the printed command makes the sandbox that `harness certify --sandbox` would.
    """
    from harness.cli.execute import Execution
    from harness.engine.catalogue.selection import Selection

    space = options.space(scenarios, golden)
    args = Execution(
        space,
        consumer,
        Selection((case,)),
        deadline,
        reports,
        json=False,
        source=options.source(overrides, space),
        strict=strict,
        level=level,
        sandbox=sandbox,
        brief=True,
    )
    return _debugged(args, case, when_done=when_done)


def _debugged(args: Execution, name: str, *, when_done: bool) -> int:
    """Certify the case by the consumer that somebody starts; return the exit code."""
    from harness.cli.execute import over
    from harness.engine.run.claimed_levels import levels_to_run
    from harness.runner import targets
    from harness.runner.by_hand import ByHand
    from harness.runner.commands import Whereabouts

    consumer = targets.parse(args.target, Whereabouts.here())
    case = _the_case(args, name)
    _refuse(consumer, case, args)
    (level, *_) = levels_to_run(consumer, args.level)
    waiting = ByHand(click.echo, when_done, scoped=args.sandbox)
    return over(replace(args, level=level), replace(consumer, launcher=waiting), [case])


def _the_case(args: Execution, name: str) -> Case:
    """Return the one case that is meant; UsageError where there are several."""
    from harness.engine.catalogue.selection import chosen

    cases = chosen(args.space, args.selection)
    if len(cases) == 1:
        return cases[0]
    more = len(cases) - CASES_SHOWN
    shown = ", ".join(f"'{case.id}'" for case in cases[:CASES_SHOWN])
    raise UsageError(
        f"{name!r} means {plural(len(cases), 'case')}",
        expected=f"one of {shown}{f' and {more} more' if more > 0 else ''}",
        hint="`harness list` shows them all; quote the brackets",
    )


def _refuse(consumer: Consumer, case: Case, args: Execution) -> None:
    """Raise UsageError for what nobody can start by hand."""
    from harness.engine.catalogue.plans import plans
    from harness.engine.plan.timing import happening, is_live

    if consumer.attach is not None or consumer.image:
        kind = "an image" if consumer.image else "a system that runs already"
        raise UsageError(
            f"{args.target} is {kind}, and debug prints a command",
            expected="a command: exec:…, py:… or a manifest with one",
        )
    if not consumer.supports(case.protocol):
        raise UsageError(
            f"{consumer.name} does not declare {case.protocol}",
            expected="a case of a protocol that the consumer declares",
        )
    (plan,) = plans(args.space, [case])
    steps = plan.delivery.steps
    if is_live(steps):
        raise UsageError(
            f"in {case.id} the harness acts on the consumer while it runs ({happening(steps)})",
            expected="a case whose topics are full before the consumer starts",
            hint=f"`harness certify {args.target} -k '{case.id}'` runs it",
        )
