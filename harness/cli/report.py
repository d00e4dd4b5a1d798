"""`harness report`: any report of a run, from the events that it wrote, at any later time."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import click

from harness.errors import UsageError

FORMS = ("console", "junit", "markdown")


@click.command("report", short_help="Render a run's events as a report.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "forms",
    multiple=True,
    type=click.Choice(FORMS),
    help="The form of the report; may be repeated [console].",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the report goes, one for each --to, in order [standard output].",
)
def command(file: Path, forms: tuple[str, ...], outputs: tuple[Path, ...]) -> int:
    """Render FILE, a run's events.ndjson, as one or more reports.

    Every run keeps its events in .harness/runs/RUN/events.ndjson. The exit code is 0 when the
    report could be rendered, whatever the run ended with.
    """
    from harness.report.read import read_events
    from harness.report.writers import WRITERS, writing

    forms = forms or ("console",)
    if len(outputs) > len(forms):
        raise UsageError(
            f"there are {len(outputs)} outputs for {len(forms)} reports",
            expected="at most one -o for each --to",
        )
    events = read_events(file)
    with ExitStack() as stack:
        for form, output in zip_longest(forms, outputs):
            if output is None:
                writer = WRITERS[form](sys.stdout.buffer)
                stack.callback(writer.close)
            else:
                writer = stack.enter_context(writing(form, output))
            for event in events:
                writer.handle(event)
            stack.close()  # in order, when several reports share standard output
    return 0
