"""`harness diff BEFORE AFTER`: what changed from one run to another, or in the records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from harness.cli import options
from harness.errors import ExitCode, UsageError, plural


@click.command("diff", short_help="Show what changed from one run to another.")
@click.argument("before")
@click.argument("after")
@click.option(
    "--records",
    is_flag=True,
    help="BEFORE and AFTER are files that `harness golden digest` printed.",
)
@click.option(
    "--markdown",
    is_flag=True,
    help="Print Markdown, such as a comment on a pull request takes.",
)
@options.as_json
def command(*, before: str, after: str, records: bool, markdown: bool, json_: bool) -> int:
    """Compare the runs BEFORE and AFTER, case by case.

    A run is named by its number, as the reports print it, or by the path of its events.ndjson.
    Exits 1 when a case became worse: newly broken, broken otherwise, or no longer passed.

    With --records the records of two versions of scenarios or harness are compared, byte for byte;
    exits 1 when a case differs.
    """
    if markdown and (records or json_):
        other = "--records" if records else "--json"
        raise UsageError(f"--markdown and {other} cannot be combined", expected="one of them")
    if records:
        return _records(before, after, json_=json_)
    return _runs(before, after, json_=json_, markdown=markdown)


def _records(before: str, after: str, *, json_: bool) -> int:
    import orjson

    from harness.engine.catalogue.digests import differing

    first, second = _digests(before), _digests(after)
    found = differing(first, second)
    if json_:
        counts = {"before": len(first), "after": len(second)}
        click.echo(orjson.dumps({**counts, "differing": found}).decode())
    else:
        for case, parts in found.items():
            click.echo(f"{case}: {', '.join(parts)}")
        click.echo(f"{plural(len(first), 'case')} before, {len(second)} after: {len(found)} differ")
    return int(ExitCode.FINDINGS if found else ExitCode.PASS)


def _digests(name: str) -> dict[str, Mapping[str, str]]:
    from harness.engine.catalogue.digests import read_digests

    try:
        return read_digests(Path(name).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read digests from {name}: {error}",
            expected="a file that `harness golden digest` printed",
        ) from None


def _runs(before: str, after: str, *, json_: bool, markdown: bool) -> int:
    import orjson
    from rich.console import Console
    from rich.text import Text

    from harness.report.escapes import visible
    from harness.report.read import read_events
    from harness.report.run_diff import WORSE, changes, diff_json, diff_lines, diff_markdown

    first, second = (read_events(options.events_of(name)) for name in (before, after))
    found = changes(first, second)
    if json_:
        click.echo(orjson.dumps(diff_json(first, second, found)).decode())
    elif markdown:
        click.echo(diff_markdown(first, second, found), nl=False)
    else:
        console = Console(soft_wrap=True)
        for line in diff_lines(first, second, found):
            console.print(Text(visible(line)), highlight=False)
    is_worse = any(one.change in WORSE for one in found)
    return int(ExitCode.FINDINGS if is_worse else ExitCode.PASS)
