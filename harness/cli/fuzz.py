"""`harness fuzz`: scenarios that nobody thought of, drawn at random."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from harness.cli import options
from harness.errors import ExitCode, SetupError
from harness.protocols import PROTOCOLS


@click.command("fuzz", short_help="Search for a scenario that a consumer fails.")
@click.option("--seed", type=click.IntRange(min=0), help="Search as a former run did [random].")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long to search [60, without --examples].",
)
@click.option("--examples", type=click.IntRange(min=1), help="How many scenarios to try at most.")
@options.consumer_or_mutant
@click.option(
    "--consumers",
    metavar="NAMES",
    help="Right consumers that must agree, in memory: reference,rereading,spark.",
)
@click.option(
    "--variants",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Under how many other settings, partitions and deliveries each scenario is tried as well.",
)
@click.option(
    "--protocol",
    "wanted",
    type=click.Choice(tuple(PROTOCOLS)),
    multiple=True,
    help="Only this protocol; may be repeated.",
)
@click.option(
    "--found",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("found"),
    show_default=True,
    help="Where a finding is written.",
)
@options.deadline
@options.setting
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    seed: int | None,
    seconds: float | None,
    examples: int | None,
    consumer: str,
    consumers: str | None,
    variants: int,
    wanted: tuple[str, ...],
    found: Path,
    deadline: float,
    pairs: tuple[str, ...],
) -> int:
    """Draw scenarios until one fails: tables, SQL, settings, deliveries that the documents allow.

    The SQL runs on a real database, whose tables at the end say what must be there; the consumer
    reads what follows. What fails is shrunk to a few rows and written as a scenario with lock and
    goldens, and with the command that replays it. Without --seed a run begins with what a former
    one of this consumer found here. Exit code 0: nothing was found; 1: something was.
    """
    require_hypothesis()
    from rich.console import Console

    from harness.fuzz import command as fuzz
    from harness.fuzz.progress import summary
    from harness.fuzz.search import SearchOptions

    if consumers is not None:
        consumer = fuzz.TOGETHER + consumers
    space = options.space(None, None)
    setting = fuzz.Setting(space, options.source(options.name_values(pairs), space), deadline)
    limits = SearchOptions(
        protocols=fuzz.protocols(consumer, wanted),
        seed=secrets.randbelow(1_000_000) if seed is None else seed,
        time_s=60.0 if seconds is None and examples is None else seconds,
        examples=examples,
        remembered=seed is None,
        variants=variants,
    )
    click.echo(f"seed {limits.seed}, consumer {consumer}: {', '.join(limits.protocols)}", err=True)
    result = fuzz.search(setting, consumer, limits, found, Console(stderr=True, soft_wrap=True))
    if result.search.interrupted:
        click.echo("interrupted", err=True)
    click.echo(summary(result.search))
    if result.kept is None:
        click.echo("nothing found")
        return int(ExitCode.PASS)
    for line in fuzz.lines(result, consumer):
        click.echo(line)
    return int(ExitCode.FINDINGS)


def require_hypothesis() -> None:
    """Raise SetupError where Hypothesis is not installed: an extra brings it."""
    try:
        import hypothesis
    except ImportError:
        raise SetupError(
            "this command needs Hypothesis, which is not installed",
            hint="pip install 'cdc-conformance[fuzz]'",
        ) from None
    del hypothesis
    from harness.database.driver import require_recording

    require_recording()
