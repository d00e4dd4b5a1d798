"""`harness certify CONSUMER`: anybody's consumer, in one command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from harness.cli import options


@click.command("certify", short_help="Certify a consumer.")
@click.argument("consumer")
@options.paths
@options.keyword
@options.changefeed
@options.deadline
@options.reports
@options.services
@options.roots
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    consumer: str,
    paths: tuple[Path, ...],
    expression: str | None,
    changefeed: Path | None,
    deadline: float,
    reports: Mapping[str, Path],
    told: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Certify CONSUMER over all scenarios, or over those in PATHS.

    CONSUMER is `spark` or `reference` (bundled), `py:pkg.mod:fn` (a Python callable that takes the
    job), or `exec:./command arguments` (any program; see docs/reference/consumer-contract.md).
    """
    from harness.cli.execute import Execution, execute

    space = options.space(scenarios, golden)
    source = options.source(told, space)
    wish = Execution(
        space, consumer, paths, expression, deadline, reports, json_, source, changefeed
    )
    return execute(wish)
