"""`harness mutants`: wrong consumers against the scenarios that are to catch them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, ScenarioError, UsageError


@click.command("mutants", short_help="Prove that scenarios catch wrong consumers.")
@options.paths
@options.keyword
@click.option("--mutant", "names", multiple=True, metavar="NAME", help="Only this mutant.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How many deliveries of each case are read; 0 is the plain one.",
)
@click.option("--full", is_flag=True, help="Every mutant over every case, not over a sample.")
@click.option("--reference", is_flag=True, help="Only the right consumer, which must pass.")
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (click hands options over by name)
    *,
    paths: tuple[Path, ...],
    expression: str | None,
    names: tuple[str, ...],
    seeds: int,
    full: bool,
    reference: bool,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Run deliberately wrong consumers, and the right one, over the scenarios, in memory.

    Each mutant differs from the reference consumer in one documented thing. It must fail a scenario
    that names it under `kills`, by a finding that points at that thing; a mutant that survives, one
    that only fails otherwise, a claim that does not hold, and a finding on the right consumer each
    end with exit code 1. By default a mutant meets the scenarios that claim it and a sample of the
    others; --full is the whole matrix. With PATHS or -k only mutants that those scenarios name run.
    """
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.plans import planned_only
    from harness.engine.mutation.claims import unknown_claims
    from harness.engine.mutation.run import SAMPLE, MutationOptions, run_mutants
    from harness.mutants.table import MUTANTS
    from harness.report.mutation_matrix import as_data, lines

    for name in names:
        if name not in MUTANTS:
            raise UsageError(
                f"there is no mutant {name!r}", expected="a name in docs/reference/mutants.md"
            )
    space = options.space(scenarios, golden)
    loaded = load(space, paths)
    problems = unknown_claims(loaded)
    if problems:
        raise ScenarioError(problems)
    chosen = selected(loaded, expression)
    wanted = names or tuple(MUTANTS)
    if not names and (paths or expression):
        wanted = tuple(dict.fromkeys(name for case in chosen for name in case.scenario.kills))
    chosen_mutants = () if reference else wanted
    asked = MutationOptions(chosen_mutants, seeds, None if full else SAMPLE, cores())
    found = run_mutants(partial(planned_only, space, expectations=False), chosen, asked)
    if json_:
        click.echo(orjson.dumps(as_data(found)).decode())
    else:
        for line in lines(found):
            click.echo(line)
    return int(ExitCode.PASS if found.sound else ExitCode.FINDINGS)
