"""`harness check`: everything that can be wrong with the files, at once, without any service."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, Problem, ScenarioError


@click.command("check", short_help="Check scenario files, locks and goldens.")
@options.paths
@options.changefeed
@options.roots
@options.as_json
def command(
    paths: tuple[Path, ...],
    changefeed: Path | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Check scenario files, their locks and their goldens; all problems at once, no services.

    PATHS are scenario files or directories; all scenarios without any. With --changefeed they are
    planned under that file: its own mistakes are problems, and what it changes about the scenarios
    is listed in notes; locks are checked, goldens are not.
    """
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.plans import checked, orphan_goldens, stale_goldens
    from harness.engine.mutation.claims import unknown_claims

    space = options.space(scenarios, golden)
    problems: tuple[Problem, ...] = ()
    counts = {"scenarios": 0, "cases": 0, "records": 0}
    try:
        loaded = load(space, paths)
        chosen = selected(loaded, None)
        counts.update(scenarios=len(loaded), cases=len(chosen))
        if changefeed is not None:
            planned = options.laid_under(space, chosen, changefeed, None).plans
            counts["cases"] = len(planned)
            counts["records"] = sum(len(plan.delivered) for plan in planned)
        else:
            counts["records"], found = checked(space, chosen, cores())
            problems = (*found, *unknown_claims(loaded), *stale_goldens(space, loaded))
            problems += () if paths else orphan_goldens(space, loaded)
    except ScenarioError as error:
        problems = (*error.problems, *problems)
    if json_:
        listed = [
            {
                "file": p.location.path,
                "line": p.location.line,
                "column": p.location.column,
                "what": p.what,
                "expected": p.expected,
                "hint": p.hint,
            }
            for p in problems
        ]
        click.echo(orjson.dumps({**counts, "problems": listed}).decode())
    else:
        for problem in problems:
            click.echo(str(problem), err=True)
        text = (
            f"{counts['scenarios']} scenarios, {counts['cases']} cases, {counts['records']} records"
        )
        click.echo(f"{text}: {len(problems)} problems" if problems else f"{text}: no problems")
    return int(ExitCode.USAGE if problems else ExitCode.PASS)
