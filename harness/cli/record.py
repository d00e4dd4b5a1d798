"""`harness record`: the only command that writes locks, with the goldens that follow."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, UsageError


@click.command("record", short_help="Run SQL on a real database and lock its changes.")
@options.paths
@click.option("--all", "everything", is_flag=True, help="Record every scenario.")
@click.option(
    "--upstream",
    metavar="URL",
    help="mysql://user:password@host:port/ to record on [an embedded MariaDB]. "
    "Only databases that the recording itself creates are used, and dropped again.",
)
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting of docs/reference/settings.md, such as services=container.",
)
@options.roots
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    paths: tuple[Path, ...],
    everything: bool,  # noqa: FBT001
    upstream: str | None,
    pairs: tuple[str, ...],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Run the SQL of the scenarios in PATHS once, lock the row changes, and write the goldens.

    Review the difference before you commit it. `harness golden accept` writes goldens anew without
    a database, as long as the SQL is what was recorded.
    """
    if everything == bool(paths):
        raise UsageError(
            "say what to record", expected="PATHS (files, directories or ids), or --all"
        )
    from harness.database.driver import require_recording
    from harness.engine.catalogue.choose import load

    require_recording()
    from harness.authoring.recording import Recorded, embedded_upstream, record_all
    from harness.engine.catalogue.workspace import new_run
    from harness.record.server import upstream_from_url

    space = options.space(scenarios, golden)
    chosen = load(space, paths)
    _, run_dir = new_run(space.runs / "runs")

    def heard(one: Recorded) -> None:
        state = "has problems" if one.problems else "changed" if one.written else "unchanged"
        click.echo(f"{one.scenario.id}: {state}", err=json_)
        for path in one.written:
            click.echo(f"    {path}", err=json_)
        for problem in one.problems:
            click.echo(str(problem), err=True)

    found = options.source(options.name_values(pairs), space)
    if not upstream:
        click.echo(found.said(["mariadb"]), err=True)
    database = (
        nullcontext(upstream_from_url(upstream))
        if upstream
        else embedded_upstream(run_dir, lambda _: None, found)
    )
    with database as server:
        results = record_all(space, chosen, server, heard)
    if json_:
        rows = [
            {
                "scenario": one.scenario.id,
                "written": [str(path) for path in one.written],
                "problems": [str(problem) for problem in one.problems],
            }
            for one in results
        ]
        click.echo(orjson.dumps(rows).decode())
    return int(ExitCode.USAGE if any(one.problems for one in results) else ExitCode.PASS)
