"""`harness list`: what there is to run."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from harness.cli import options


@click.command("list", short_help="List scenarios and cases.")
@options.paths
@options.keyword
@options.roots
@options.as_json
def command(
    paths: tuple[Path, ...],
    expression: str | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """List the scenarios with their titles, and the cases that each expands to."""
    from harness.engine.catalogue.choose import load, selected

    chosen = selected(load(options.space(scenarios, golden), paths), expression)
    if json_:
        rows = [
            {
                "case": case.id,
                "scenario": case.scenario.id,
                "title": case.scenario.title,
                "file": case.scenario.file,
                "protocol": case.protocol,
                "dialect": case.dialect,
                "profile": case.profile,
                "partitions": case.partitions,
                "delivery": case.delivery,
                "clauses": list(case.scenario.clauses),
                "tags": list(case.scenario.tags),
            }
            for case in chosen
        ]
        click.echo(orjson.dumps(rows).decode())
        return 0
    last = ""
    for case in chosen:
        if case.scenario.id != last:
            last = case.scenario.id
            click.echo(f"{last}  {click.style(case.scenario.title, dim=True)}")
        click.echo(f"    {case.id}")
    click.echo(f"{len({case.scenario.id for case in chosen})} scenarios, {len(chosen)} cases")
    return 0
