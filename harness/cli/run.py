"""`harness run`: the author's loop, over a bundled consumer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from harness.cli import options


@click.command("run", short_help="Run scenarios against a bundled consumer.")
@options.paths
@options.keyword
@click.option("--consumer", default="spark", show_default=True, help="As in `harness certify`.")
@options.changefeed
@options.deadline
@options.beyond
@options.reports
@options.services
@options.roots
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    paths: tuple[Path, ...],
    expression: str | None,
    consumer: str,
    changefeed: Path | None,
    beyond: bool,  # noqa: FBT001
    deadline: float,
    reports: Mapping[str, Path],
    overrides: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Run the scenarios in PATHS (all without any) and judge what the consumer made of them.

    With --changefeed the cases of open and avro run under that file: goldens are not compared, what
    their authors expect is reported where it does not hold, and the consumer is judged by the
    tables that follow from the file.
    """
    from harness.cli.execute import Execution, execute

    space = options.space(scenarios, golden)
    source = options.source(overrides, space)
    execution = Execution(
        space, consumer, paths, expression, deadline, reports, json_, source, changefeed
    )
    return execute(replace(execution, beyond=beyond))
