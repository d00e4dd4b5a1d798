"""`harness list`: what there is to run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from harness.cli import options
from harness.errors import plural
from harness.model.standing import Standing

if TYPE_CHECKING:  # it brings the clauses along
    from harness.engine.catalogue.selection import Selection


@click.command("list", short_help="List scenarios and cases.")
@options.selection
@options.last_failed
@options.roots
@options.as_json
def command(
    *,
    selection: Selection,
    again: bool,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """List the scenarios with their titles, and the cases with who demands what they rest on.

    A case is `document` where documents demand all that it rests on, `program` where the vendor's
    program is all that says some of it, `beyond` where nobody promises its delivery.
    """
    from harness.engine.catalogue.selection import chosen as found
    from harness.scenario.standing import case_standing

    space = options.space(scenarios, golden)
    chosen = found(space, options.narrowed_to_failed(space, selection, again=again))
    if json_:
        rows = [
            {
                "case": case.id,
                "scenario": case.scenario.id,
                "title": case.scenario.title,
                "file": case.scenario.file,
                "protocol": case.protocol,
                "dialect": case.dialect,
                "profile": case.profile,
                "partitions": case.partitions,
                "delivery": case.delivery,
                "standing": case_standing(case).value,
                "clauses": list(case.scenario.clauses),
                "tags": list(case.scenario.tags),
            }
            for case in chosen
        ]
        click.echo(orjson.dumps(rows).decode())
        return 0
    last = ""
    counts: Counter[Standing] = Counter()
    for case in chosen:
        if case.scenario.id != last:
            last = case.scenario.id
            click.echo(f"{last}  {click.style(case.scenario.title, dim=True)}")
        standing = case_standing(case)
        counts[standing] += 1
        click.echo(f"    {case.id}  {click.style(standing.value, dim=True)}")
    ids = {case.scenario.id for case in chosen}
    click.echo(f"{plural(len(ids), 'scenario')}, {plural(len(chosen), 'case')}")
    click.echo(", ".join(f"{standing.value} {counts[standing]}" for standing in Standing))
    return 0
