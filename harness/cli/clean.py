"""`harness clean`: takes away what runs left in this directory."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import plural

KEPT = ("runs", "watch")
# What checks remember by content; the next check, `mutants` or `coverage` makes it again.
REMEMBERED = ("sound.json", "proofs.json", "bug.txt")


@click.command("clean", short_help="Remove what earlier runs left here.")
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Leave the newest N runs as they are.",
)
@click.option("--all", "everything", is_flag=True, help="Also what checks remember by content.")
def command(keep: int, everything: bool) -> int:  # noqa: FBT001
    """Remove what earlier runs left in .harness of this directory.

    Without it each run leaves the newest 20 whole, and of 200 more the events alone, of which
    reports are made. Runs that are going on, what `harness fuzz` has found and a warm set of
    services stay; `harness services down` ends that.
    """
    from harness.engine.catalogue.kept_runs import remove_old
    from harness.engine.catalogue.workspace import RUNS

    home = Path.cwd() / RUNS
    removed = [remove_old(home / name, keep, 0) for name in KEPT]
    forgotten = [home / name for name in REMEMBERED if everything and (home / name).is_file()]
    size = sum(one.size for one in removed) + sum(file.stat().st_size for file in forgotten)
    for file in forgotten:
        file.unlink()
    runs = sum(one.runs for one in removed)
    click.echo(f"removed {plural(runs, 'run')} of {home}, {size / 1e6:.1f} MB")
    return 0
