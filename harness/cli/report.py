"""`harness report`: any report of runs, from the events that they wrote, at any later time."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import click

from harness.errors import UsageError

FORMS = ("console", "junit", "markdown", "html", "badge")
OF_SEVERAL = frozenset({"html"})  # the others speak of one run


@click.command("report", short_help="Render runs' events as a report.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
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
@click.option(
    "--filtered",
    is_flag=True,
    help="Draw a badge also of a run over some of the catalogue; it says so.",
)
def command(
    files: tuple[Path, ...],
    forms: tuple[str, ...],
    outputs: tuple[Path, ...],
    filtered: bool,  # noqa: FBT001
) -> int:
    """Render FILES, the events.ndjson of runs, as one or more reports.

    Every run keeps its events in .harness/runs/RUN/events.ndjson. Several files, as of several
    consumers or of earlier runs, make one HTML report: consumers side by side, and their trend. The
    exit code is 0 when the report could be rendered, whatever the runs ended with.
    """
    from harness.model.events import RunFinished
    from harness.report.read import read_runs
    from harness.report.writers import WRITERS, writing

    forms = forms or ("console",)
    if len(outputs) > len(forms):
        raise UsageError(
            f"there are {len(outputs)} outputs for {len(forms)} reports",
            expected="at most one -o for each --to",
        )
    single = [form for form in forms if form not in OF_SEVERAL]
    if len(files) > 1 and single:
        raise UsageError(
            f"a {single[0]} report is of one run, here are {len(files)}",
            expected=f"one file, or --to {' or '.join(sorted(OF_SEVERAL))} for several",
        )
    events = read_runs(files)
    only = next((e.only for e in events if isinstance(e, RunFinished) and e.only), "")
    if "badge" in forms and only and not filtered:
        raise UsageError(
            f"the run was over some of the catalogue alone: {only}",
            expected="a run without -k and PATHS",
            hint="--filtered draws the badge nevertheless, and it says so",
        )
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
