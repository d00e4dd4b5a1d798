"""`harness preview`: what will be on the wire, without a wire."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from harness.cli import options


@click.command("preview", short_help="Show decoded events, partition by partition.")
@options.paths
@options.keyword
@click.option(
    "--bytes", "show_bytes", is_flag=True, help="Show keys and values in hexadecimal too."
)
@options.roots
@options.as_json
def command(
    paths: tuple[Path, ...],
    expression: str | None,
    show_bytes: bool,  # noqa: FBT001
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Show what each partition will carry, decoded, with scenario lines; no services."""
    from harness.engine.catalogue import planned_only
    from harness.engine.choose import load, selected
    from harness.report.preview import preview_json, preview_lines

    space = options.space(scenarios, golden)
    chosen = selected(load(space, paths), expression)
    planned = planned_only(space, chosen, expectations=False)
    if json_:
        rows = [preview_json(plan, show_bytes=show_bytes) for plan in planned]
        click.echo(orjson.dumps(rows).decode())
        return 0
    for plan in planned:
        for line in preview_lines(plan, show_bytes=show_bytes):
            click.echo(line)
    return 0
