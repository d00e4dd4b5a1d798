"""`harness replay`: what was found, tried again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from harness.cli import options
from harness.errors import ExitCode


@click.command("replay", short_help="Show whether a finding is fixed.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@options.consumer_or_mutant
@options.deadline
@options.setting
def command(file: Path, consumer: str, deadline: float, pairs: tuple[str, ...]) -> int:
    """Run the scenario in FILE as `harness fuzz` runs it, and say FIXED or FAILED.

    FILE may be a finding of `harness fuzz` or any other scenario; its goldens are found beside it
    by its id. Exit code 0: FIXED; 1: FAILED.
    """
    from harness.cli.fuzz import require_hypothesis

    require_hypothesis()
    from harness.engine.catalogue.workspace import new_run
    from harness.fuzz import command as fuzz
    from harness.fuzz.replay import place, replay
    from harness.report.finding_text import finding_lines

    there = place(file)
    space = options.space(None, None)
    setting = fuzz.Setting(space, options.source(options.name_values(pairs), space), deadline)
    _, run_dir = new_run(space.runs / "runs")
    with fuzz.judge_of(consumer, setting, run_dir) as judge:
        failures = list(replay(there, judge, partial(fuzz.database_of, setting, run_dir)))
    for case, failure in failures:
        click.echo(f"FAILED {case}: {failure.kind}")
        if not failure.findings:
            click.echo(f"  {failure.what}")
        for finding in failure.findings:
            for line in finding_lines(finding, str(file)):
                click.echo(line)
    if failures:
        return int(ExitCode.FINDINGS)
    click.echo(f"FIXED {file}: {consumer} finds nothing wrong here")
    return int(ExitCode.PASS)
