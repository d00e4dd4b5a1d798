"""`harness check`: everything that can be wrong with the files, at once, without any service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import orjson

from harness.cli import options
from harness.engine.catalogue.workspace import Workspace, orphan_goldens
from harness.errors import ExitCode, Problem, ScenarioError, plural


class _Found(NamedTuple):
    """What a check found; `sound` are cases and messages of each sound scenario."""

    scenarios: int
    cases: int
    records: int
    problems: tuple[Problem, ...]
    sound: Mapping[str, tuple[int, int]]


@click.command("check", short_help="Check scenario files, locks and goldens.")
@options.paths
@options.changefeed
@click.option("--no-cache", is_flag=True, help="Check what an earlier check found sound as well.")
@options.roots
@options.as_json
def command(
    paths: tuple[Path, ...],
    changefeed: Path | None,
    no_cache: bool,  # noqa: FBT001
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Check scenario files, their locks and their goldens; all problems at once, no services.

    PATHS are scenario files or directories; all scenarios without any. With --changefeed they are
    planned under that file: its own mistakes are problems, and what it changes about the scenarios
    is listed in notes; locks are checked, goldens are not. What is sound is remembered by content
    in .harness/sound.json, and not planned again while neither its files nor the harness change.
    """
    space = options.space(scenarios, golden)
    try:
        if changefeed is not None:
            found = _under(space, paths, changefeed)
        else:
            found = _checked(space, paths) if no_cache else _remembered(space, paths)
            orphans = () if paths else orphan_goldens(space)
            found = found._replace(problems=(*found.problems, *orphans))
    except ScenarioError as error:
        found = _Found(0, 0, 0, error.problems, {})
    return _report(found, json_=json_)


def _under(space: Workspace, paths: Sequence[Path], changefeed: Path) -> _Found:
    """Plan the scenarios under a changefeed file."""
    from harness.engine.catalogue.choose import load, selected

    loaded = load(space, paths)
    chosen = selected(loaded, None)
    try:
        planned = options.laid_under(space, chosen, changefeed, None).plans
    except ScenarioError as error:
        return _Found(len(loaded), len(chosen), 0, error.problems, {})
    records = sum(len(plan.delivered) for plan in planned)
    return _Found(len(loaded), len(planned), records, (), {})


def _checked(space: Workspace, paths: Sequence[Path]) -> _Found:
    """Check the scenarios in the paths, all without any."""
    from collections import Counter

    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.plans import checked, stale_goldens
    from harness.engine.mutation.claims import claim_problems

    loaded = load(space, paths)
    chosen = selected(loaded, None)
    cases = Counter(case.scenario.id for case in chosen)
    planned = checked(space, chosen, cores())
    claims = {one.id: claim_problems([one]) for one in loaded}
    stale = {one.id: stale_goldens(space, [one]) for one in loaded}
    found = ({name: its for name, (_, its) in planned.items()}, claims, stale)
    return _Found(
        len(loaded),
        len(chosen),
        sum(records for records, _ in planned.values()),
        tuple(problem for part in found for its in part.values() for problem in its),
        {
            one.path: (cases[one.id], planned[one.id][0] if one.id in planned else 0)
            for one in loaded
            if not any(part.get(one.id) for part in found)
        },
    )


def _remembered(space: Workspace, paths: Sequence[Path]) -> _Found:
    """Check the scenarios of which anything changed since they were found sound."""
    from harness.engine.catalogue import sound

    files = sound.files(space, paths)
    if not files:
        return _checked(space, paths)
    known = sound.unchanged(space, files)
    rest = {name: file for name, file in files.items() if name not in known}
    found = _Found(0, 0, 0, (), {})
    if rest:
        digests = sound.digests(space, rest)
        found = _checked(space, tuple(rest.values()))
        # What was written meanwhile is not what was checked.
        after = sound.digests(space, rest)
        sound.remember(
            space,
            {
                name: sound.Sound(digests[name], *counts)
                for name, counts in found.sound.items()
                if name in digests and digests[name] == after.get(name)
            },
        )
    return found._replace(
        scenarios=found.scenarios + len(known),
        cases=found.cases + sum(one.cases for one in known.values()),
        records=found.records + sum(one.records for one in known.values()),
    )


def _report(found: _Found, *, json_: bool) -> int:
    counts = {"scenarios": found.scenarios, "cases": found.cases, "records": found.records}
    if json_:
        problems = [
            {
                "file": p.location.path,
                "line": p.location.line,
                "column": p.location.column,
                "what": p.what,
                "expected": p.expected,
                "hint": p.hint,
            }
            for p in found.problems
        ]
        click.echo(orjson.dumps({**counts, "problems": problems}).decode())
    else:
        for problem in found.problems:
            click.echo(str(problem), err=True)
        text = ", ".join(plural(count, name.removesuffix("s")) for name, count in counts.items())
        said = f"{plural(len(found.problems), 'problem')}" if found.problems else "no problems"
        click.echo(f"{text}: {said}")
    return int(ExitCode.USAGE if found.problems else ExitCode.PASS)
