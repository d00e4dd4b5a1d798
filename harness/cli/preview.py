"""`harness preview`: what will be on the wire, without a wire."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from harness.cli import options
from harness.errors import UsageError, plural

if TYPE_CHECKING:  # it brings the clauses along
    from harness.engine.catalogue.selection import Selection


@click.command("preview", short_help="Show decoded events, partition by partition.")
@options.selection
@options.last_failed
@click.option(
    "--bytes", "show_bytes", is_flag=True, help="Show keys and values in hexadecimal too."
)
@click.option(
    "--delivery",
    metavar="NAME",
    help="Show what each step of this delivery does, side by side.",
)
@click.option("--deliveries", is_flag=True, help="The same for every delivery.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write pictures of the cases to one file: partitions as lanes, with transactions,"
    " resolved events and faults.",
)
@options.changefeed
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    selection: Selection,
    again: bool,
    show_bytes: bool,
    delivery: str | None,
    deliveries: bool,
    page: Path | None,
    changefeed: Path | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Show what each partition will carry, decoded, with scenario lines; no services.

    What is done to the run itself (a kill, a restarted broker) comes first, in plain words.

    With --html the same as a page to browse: each partition a lane, messages in the order of
    sending, and lines where something is done to the run.

    With --delivery or --deliveries: of each disturbed case every step, partition by partition, the
    messages before it on the left and after it on the right, with what was moved, sent again,
    dropped, changed or inserted.
    """
    from harness.engine.catalogue.plans import planned_only
    from harness.engine.catalogue.selection import chosen as found
    from harness.engine.plan.one_case import disturbed_cases
    from harness.report.deliveries import delivery_json, delivery_lines
    from harness.report.lanes_page import lanes_page
    from harness.report.preview import preview_json, preview_lines

    steps = deliveries or delivery is not None
    if steps and show_bytes:
        raise UsageError("--bytes shows no steps", expected="--bytes, or --delivery NAME")
    if page is not None and (steps or json_ or show_bytes):
        raise UsageError(
            "--html goes with no other form of the preview",
            expected="--html, or one of --delivery, --deliveries, --bytes, --json",
        )
    space = options.space(scenarios, golden)
    chosen = found(space, options.narrowed_to_failed(space, selection, again=again))
    if steps:
        chosen = disturbed_cases(chosen, None if deliveries else delivery)
    planned = (
        planned_only(space, chosen, expectations=False)
        if changefeed is None
        else options.laid_under(space, chosen, changefeed).plans
    )
    if page is not None:
        page.write_text(lanes_page(planned), encoding="utf-8")
        click.echo(f"wrote {page}: {plural(len(planned), 'case')}")
        return 0
    if json_:
        rows = [
            delivery_json(plan) if steps else preview_json(plan, show_bytes=show_bytes)
            for plan in planned
        ]
        click.echo(orjson.dumps(rows).decode())
        return 0
    for number, plan in enumerate(planned):
        if steps and number:
            click.echo()
        for line in delivery_lines(plan) if steps else preview_lines(plan, show_bytes=show_bytes):
            click.echo(line)
    return 0
