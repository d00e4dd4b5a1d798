"""`harness coverage`: which scenarios cover which clauses, and how the last run ended."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode
from harness.protocols import PROTOCOLS
from harness.spec import SHARED

LAYERS = (*PROTOCOLS, *sorted(SHARED))
LEVELS = ("must", "should", "may")


@click.command("coverage", short_help="Show which scenarios cover which clauses.")
@click.option(
    "--protocol",
    "layers",
    multiple=True,
    type=click.Choice(LAYERS),
    help="Only clauses of this protocol, or of this layer that protocols share; may be repeated.",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(LEVELS),
    help="Only clauses of this level; may be repeated.",
)
@click.option("--missing", is_flag=True, help="List only the clauses without a scenario.")
@click.option("--unproved", is_flag=True, help="List only those that no mutant or test proves.")
@click.option(
    "--documents",
    is_flag=True,
    help="Go down the source documents instead: each statement with its lines and clauses.",
)
@click.option(
    "--events",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="RUN.ndjson",
    help="Verdicts of this run; may be repeated, later ones count [the last run here].",
)
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (click hands options over by name)
    *,
    layers: tuple[str, ...],
    levels: tuple[str, ...],
    missing: bool,
    unproved: bool,
    documents: bool,
    files: tuple[Path, ...],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Show for each clause the scenarios that cover it, whether it is proved, and its last verdict.

    A clause is proved when a mutant that violates it is detected by a scenario that cites it; the
    mutants run unless .harness/proofs.json is of just these files. The last run is the newest in
    .harness/runs that has judged a case. Exit code 1 when a MUST clause has no scenario, fewer than
    95 % of the SHOULD clauses have one, or a MUST clause is not proved; verdicts of a
    run do not change it. With `--documents` nothing is judged: the exit code is 0.
    """
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.workspace import kept_runs
    from harness.engine.mutation.proofs import proofs
    from harness.report import coverage_text
    from harness.report.coverage import Status, coverage, last_verdicts, verdicts_of
    from harness.report.read import read_events
    from harness.spec import Level

    if documents:
        return _documents(json_=json_)
    space = options.space(scenarios, golden)
    cases = selected(load(space), None)
    read = (read_events(file) for file in files)
    verdicts = verdicts_of(read) if files else last_verdicts(kept_runs(space.here))
    wanted = tuple(Level(level.upper()) for level in levels)
    found = coverage(cases, verdicts, layers, wanted, proofs(space, cases))
    listed = tuple(
        one
        for one in found
        if (not missing or one.status is Status.MISSING) and (not unproved or one.neither)
    )
    if json_:
        document = coverage_text.as_data(found, verdicts)
        names = {one.clause.id for one in listed}
        document["clauses"] = [row for row in document["clauses"] if row["clause"] in names]
        click.echo(orjson.dumps(document).decode())
    else:
        click.echo("\n".join(coverage_text.lines(listed, found, verdicts)))
    complaints = tuple(coverage_text.complaints(found))
    for line in complaints:
        click.echo(line, err=True)
    return int(ExitCode.FINDINGS if complaints else ExitCode.PASS)


def _documents(*, json_: bool) -> int:
    """Print the source documents line by line."""
    from dataclasses import asdict

    from harness.protocols.clauses import CLAUSES
    from harness.report.coverage_text import document_lines
    from harness.spec.source_documents import source_documents

    those = source_documents()
    if json_:
        click.echo(orjson.dumps([asdict(document) for document in those]).decode())
    else:
        click.echo("\n".join(document_lines(those, CLAUSES)))
    return int(ExitCode.PASS)
