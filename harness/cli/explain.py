"""`harness explain`: why something exists, and who gets it wrong."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import completion, options


@click.command("explain", short_help="Explain a clause, case, setting or finding.")
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.names
)
@options.roots
def command(names: tuple[str, ...], scenarios: Path | None, golden: Path | None) -> int:
    """Explain each NAME: a clause, case, scenario, setting, kind of finding, verdict or mutant.

    Prints why it exists, its source and who demands it (document, program or beyond), which record
    decides, what right and wrong consumers do, and which known products fail it. Wrong consumers
    are tried in memory while you wait; no services. An unknown name is answered with those that
    are like it.
    """
    from harness.engine.catalogue.choose import load
    from harness.report.explain.catalogue import ScenarioCatalogue
    from harness.report.explain.names import explained

    space = options.space(scenarios, golden)
    catalogue = ScenarioCatalogue(space, load(space))
    for number, name in enumerate(names):
        lines = list(explained(catalogue, name))
        if number:
            click.echo()
        for line in lines:
            click.echo(line)
    return 0
