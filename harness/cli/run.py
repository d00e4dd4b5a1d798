"""`harness run`: the author's loop, over a bundled consumer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:  # it brings the clauses along
    from harness.engine.catalogue.selection import Selection


@click.command("run", short_help="Run scenarios against a bundled consumer.")
@options.selection
@options.last_failed
@options.fail_fast
@click.option("--consumer", default="spark", show_default=True, help="As in `harness certify`.")
@options.changefeed
@options.deadline
@options.beyond
@options.reports
@options.services
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    selection: Selection,
    again: bool,
    fail_fast: bool,
    consumer: str,
    changefeed: Path | None,
    beyond: bool,
    deadline: float,
    reports: Mapping[str, Path],
    overrides: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Run the scenarios in PATHS (all without any) and judge what the consumer made of them.

    With --changefeed the cases of open and avro run under that file: goldens are not compared, what
    their authors expect is reported where it does not hold, and the consumer is judged by the
    tables that follow from the file.
    """
    from harness.cli.execute import Execution, execute

    space = options.space(scenarios, golden)
    execution = Execution(
        space,
        consumer,
        selection,
        deadline,
        reports,
        json_,
        options.source(overrides, space),
        changefeed=changefeed,
        beyond=beyond,
        again=again,
        fail_fast=fail_fast,
    )
    return execute(execution)
