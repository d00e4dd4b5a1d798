"""`harness golden`: what goldens say beside what the files give now, and the way to accept it.

Goldens are derived from scenario and lock, so neither command needs a service.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from harness.cli import options
from harness.engine.catalogue.workspace import BUNDLE, Workspace, in_ci
from harness.errors import ExitCode, UsageError


@click.group("golden", short_help="Compare or accept golden files.")
def command() -> None:
    """Compare or accept golden files: the records and tables that follow from a scenario."""


@command.command("diff")
@options.paths
@options.roots
def diff(paths: tuple[Path, ...], scenarios: Path | None, golden: Path | None) -> int:
    """Show how goldens differ from what the files give now, for all scenarios or those in PATHS.

    `-` is the golden file, `+` what scenario and lock give now. Exits 1 when anything differs.
    """
    from rich.console import Console

    from harness.engine.catalogue.choose import load
    from harness.engine.catalogue.plans import golden_differences
    from harness.report.golden_diff import difference_lines

    space = options.space(scenarios, golden)
    found = golden_differences(space, load(space, paths), expectations=False)
    console = Console(soft_wrap=True)
    for difference in found:
        for line in difference_lines(difference):
            console.print(line)
        console.print()
    click.echo(_counted(len(found), "differs", "differ"))
    return int(ExitCode.FINDINGS if found else ExitCode.PASS)


@command.command("accept")
@options.paths
@options.roots
def accept(paths: tuple[Path, ...], scenarios: Path | None, golden: Path | None) -> int:
    """Write goldens as the files give them now, and remove stale ones, for all scenarios or PATHS.

    Look at `harness golden diff` first, and review what git shows afterwards. Recorded changes are
    never touched; what an author expects must hold; and where CI is set this is refused.
    """
    from harness.engine.catalogue import golden as goldens
    from harness.engine.catalogue.choose import load
    from harness.engine.catalogue.plans import golden_differences

    space = options.space(scenarios, golden)
    may_write(space, os.environ)
    found = golden_differences(space, load(space, paths), expectations=True)
    gone = {difference.path for difference in found if difference.now is None}
    for path in goldens.accept(found):
        click.echo(f"{'removed' if path in gone else 'wrote  '} {path}")
    click.echo(_counted(len(found), "changed", "changed"))
    return 0


@command.command("digest")
@options.paths
@options.roots
def digest(paths: tuple[Path, ...], scenarios: Path | None, golden: Path | None) -> int:
    """Print digests of records and tables, a line of JSON a case, for `harness diff --records`.

    A case has digests of its records as they are encoded and as they are sent: of topics,
    partitions, keys, values, headers, timestamps, schemas and origins; and of the expected tables.
    """
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.digests import digest_line
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.plans import digested

    space = options.space(scenarios, golden)
    found = digested(space, selected(load(space, paths), None), cores())
    for case, its_digests in found.items():
        click.echo(digest_line(case, its_digests))
    return 0


def may_write(space: Workspace, environment: Mapping[str, str]) -> None:
    """Refuse to accept where nobody reviews, or into the installed package."""
    if in_ci(environment):
        raise UsageError(
            "goldens are not accepted where CI is set: nobody would review them",
            hint="run `harness golden accept` on your machine, review the difference, commit it",
        )
    if space.golden.resolve().is_relative_to(BUNDLE):
        raise UsageError(
            f"{space.golden} belongs to the installed package",
            expected="goldens of your own, in ./golden or where --golden says",
        )


def _counted(count: int, one: str, many: str) -> str:
    return {0: f"no golden file {one}", 1: f"1 golden file {one}"}.get(
        count, f"{count} golden files {many}"
    )
