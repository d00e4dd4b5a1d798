"""`harness mutants`: wrong consumers and producers against the scenarios that are to catch them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from click.core import ParameterSource

from harness.cli import options
from harness.errors import ExitCode, ScenarioError, UsageError

if TYPE_CHECKING:
    from harness.engine.catalogue.selection import Selection
    from harness.engine.catalogue.workspace import Workspace
    from harness.engine.mutation.producers import ProducersRun
    from harness.engine.mutation.run import MutationRun
    from harness.mutants.producers.mutant import WrongProducer
    from harness.scenario.expand import Case

COMMAND_LINE = ParameterSource.COMMANDLINE
# What has no meaning on real services, by the parameter's name.
NOT_REAL = {
    "paths": "PATHS",
    "expression": "-k",
    "protocols": "--protocol",
    "clauses": "--clause",
    "seeds": "--seeds",
    "full": "--full",
    "teeth": "--teeth",
    "reference": "--reference",
}


@click.command("mutants", short_help="Prove that scenarios catch wrong consumers and producers.")
@options.paths
@options.keyword
@options.protocol
@click.option("--consumers", "side", flag_value="consumers", help="Only wrong consumers.")
@click.option("--producers", "side", flag_value="producers", help="Only wrong producers.")
@click.option(
    "--real",
    "side",
    flag_value="real",
    help="Only the wrong programs, on a real broker and registry; minutes.",
)
@click.option("--mutant", "names", multiple=True, metavar="NAME", help="Only this mutant.")
@click.option(
    "--clause",
    "clauses",
    multiple=True,
    metavar="ID",
    help="Only wrong producers that violate this clause, or one below it (`open.key`).",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How many deliveries of each case a consumer reads; 0 is the plain one.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Every consumer over every case, every producer over every case that cites its clause.",
)
@click.option(
    "--teeth",
    is_flag=True,
    help="List the scenarios that detect no mutant which a neighbour in their folder lets pass.",
)
@click.option("--reference", is_flag=True, help="Only the right consumer, which must pass.")
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (click hands options over by name)
    *,
    paths: tuple[Path, ...],
    expression: str | None,
    protocols: tuple[str, ...],
    side: str | None,
    names: tuple[str, ...],
    clauses: tuple[str, ...],
    seeds: int,
    full: bool,
    teeth: bool,
    reference: bool,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Run deliberately wrong consumers and producers over the scenarios, in memory.

    A wrong consumer differs from the reference consumer in one documented thing. It must fail a
    scenario that names it under `kills`, by a finding that points at that thing. By default it
    meets the scenarios that claim it and a sample of the others.

    A wrong producer has one patch, which violates one clause. It must be detected by a scenario
    that cites the clause: planned under the patch, an expectation does not hold, the decoder
    refuses its bytes, or a golden file differs. That proves the clause (`harness coverage`). Bytes
    that cannot be read at all prove nothing, unless the clause is about how bytes are read.

    A mutant that is not detected, a claim that does not hold, and a finding on the right consumer
    each end with exit code 1; so does, with --real, a wrong program that its cases let pass, or
    that other cases of the scenario fail; with --teeth a scenario without teeth of its own does.
    With PATHS or -k only mutants that those scenarios name or whose clause they cite run. Several
    scenarios cite one clause, each for its part: a wrong producer that another one detects is shown
    as ELSEWHERE, and fails nothing.
    """
    from harness.engine.catalogue.choose import load
    from harness.engine.catalogue.selection import Selection
    from harness.engine.catalogue.selection import chosen as found
    from harness.engine.mutation.claims import claim_problems

    space = options.space(scenarios, golden)
    if side == "real":
        return _real(space, names, json_=json_)
    _check_names(names)
    asked = Selection(tuple(map(str, paths)), expression, protocols)
    if teeth:
        return _teeth(space, asked, json_=json_)
    loaded = load(space, paths)
    problems = claim_problems(loaded)
    if problems:
        raise ScenarioError(problems)
    chosen = found(space, asked)
    narrowed = not asked.is_whole
    consumers = producers = None
    wrong = () if reference else _consumers(names, chosen, narrowed=narrowed)
    if side != "producers" and not clauses and (reference or wrong or not names):
        claimed = narrowed and not names
        consumers = _run_consumers(space, wrong, chosen, seeds, full=full, claimed=claimed)
    violating = () if reference else _producers(names, clauses, chosen, narrowed=narrowed)
    if side != "consumers" and violating:
        elsewhere = narrowed and not (names or clauses)
        producers = _run_producers(space, violating, chosen, full=full, elsewhere=elsewhere)
    if consumers and producers and not (narrowed or names):
        from harness.engine.mutation.proofs import keep

        keep(space, chosen, producers, consumers)
    _report(consumers, producers, json_=json_)
    sound = all(run.sound for run in (consumers, producers) if run is not None)
    return int(ExitCode.PASS if sound else ExitCode.FINDINGS)


def _real(space: Workspace, names: Sequence[str], *, json_: bool) -> int:
    """Run the wrong programs on real services; print which are detected."""
    from harness.engine.catalogue.selection import Selection, chosen
    from harness.engine.catalogue.workspace import new_run
    from harness.engine.mutation.real import run_real
    from harness.mutants.real import REAL
    from harness.report import real_lines

    here = click.get_current_context()
    given = {name for name in NOT_REAL if here.get_parameter_source(name) is COMMAND_LINE}
    if given:
        refused = [option for name, option in NOT_REAL.items() if name in given]
        raise UsageError(
            f"--real does not take {', '.join(refused)}", expected="at most --mutant and --json"
        )
    for name in names:
        if name not in REAL:
            raise UsageError(f"there is no wrong program {name!r}", expected=", ".join(REAL))
    rows = [row for row in REAL.values() if not names or row.name in names]
    _, run_dir = new_run(space.runs / "runs")
    run = run_real(space, rows, chosen(space, Selection()), run_dir)
    click.echo(
        orjson.dumps(real_lines.as_data(run)).decode()
        if json_
        else "\n".join(real_lines.lines(run))
    )
    return int(ExitCode.PASS if run.sound else ExitCode.FINDINGS)


def _teeth(space: Workspace, selection: Selection, *, json_: bool) -> int:
    """Print which scenarios add no teeth; those that are asked for have the others' company."""
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.selection import chosen
    from harness.engine.mutation import teeth
    from harness.report import teeth_lines

    asked = {case.scenario.id for case in chosen(space, selection)}
    found, unsound = teeth.teeth(space, selected(load(space), None), asked, cores())
    if json_:
        click.echo(orjson.dumps(teeth_lines.as_data(found, unsound)).decode())
    else:
        click.echo("\n".join(teeth_lines.lines(found, unsound)))
    sharp = not unsound and all(one.mutant for one in found)
    return int(ExitCode.PASS if sharp else ExitCode.FINDINGS)


def _report(consumers: MutationRun | None, producers: ProducersRun | None, *, json_: bool) -> None:
    from harness.report import mutation_matrix, producer_lines

    document: dict[str, Any] = {}
    lines: list[str] = []
    totals: list[str] = []
    if consumers is not None:
        document["consumers"] = mutation_matrix.as_data(consumers)
        *said, total = mutation_matrix.lines(consumers)
        lines, totals = [*lines, *said], [*totals, total]
    if producers is not None:
        document["producers"] = producer_lines.as_data(producers)
        *said, total = producer_lines.lines(producers)
        lines, totals = [*lines, *said], [*totals, total]
    click.echo(orjson.dumps(document).decode() if json_ else "\n".join([*lines, *totals]))


def _run_consumers(
    space: Workspace,
    names: Sequence[str],
    chosen: Sequence[Case],
    seeds: int,
    *,
    full: bool,
    claimed: bool,
) -> MutationRun:
    """Run the wrong consumers; with `claimed` each only in the protocols that it is claimed in."""
    from harness.engine.catalogue.parallel import cores
    from harness.engine.catalogue.plans import planned_only
    from harness.engine.mutation.run import SAMPLE, MutationOptions, run_mutants

    asked = MutationOptions(tuple(names), seeds, None if full else SAMPLE, cores())
    run = run_mutants(partial(planned_only, space, expectations=False), chosen, asked)
    return replace(run, results=tuple(one for one in run.results if one.claimed_by or not claimed))


def _run_producers(
    space: Workspace,
    wrong: Sequence[WrongProducer],
    chosen: Sequence[Case],
    *,
    full: bool,
    elsewhere: bool,
) -> ProducersRun:
    """Run the wrong producers; with `elsewhere` what chosen cases let pass meets the others."""
    from harness.engine.catalogue.choose import load, selected
    from harness.engine.catalogue.parallel import cores
    from harness.engine.mutation.producers import run_over_some

    others = selected(load(space), None) if elsewhere else ()
    return run_over_some(space, wrong, chosen, others, cores(), every=full)


def _check_names(names: Collection[str]) -> None:
    """Refuse a name that no mutant of either side has."""
    from harness.mutants.producers.table import PRODUCERS
    from harness.mutants.table import MUTANTS

    for name in names:
        if name not in MUTANTS and name not in PRODUCERS:
            raise UsageError(
                f"there is no mutant {name!r}", expected="a name in docs/reference/mutants.md"
            )


def _consumers(names: Sequence[str], chosen: Sequence[Case], *, narrowed: bool) -> Sequence[str]:
    """Return the wrong consumers that are asked for; of some scenarios those that they name."""
    from harness.mutants.table import MUTANTS

    if names:
        return [name for name in names if name in MUTANTS]
    if narrowed:
        return [*dict.fromkeys(name for case in chosen for name in case.scenario.kills)]
    return [*MUTANTS]


def _producers(
    names: Collection[str], clauses: Sequence[str], chosen: Sequence[Case], *, narrowed: bool
) -> Sequence[WrongProducer]:
    """Return the wrong producers that are asked for; of some scenarios those that they cite."""
    from harness.engine.catalogue.citing import covering_cases
    from harness.mutants.producers.table import PRODUCERS

    found = [one for one in PRODUCERS.values() if not names or one.name in names]
    if clauses:
        found = [
            one
            for one in found
            if any(f"{clause}.".startswith(f"{c}.") for clause in one.clauses for c in clauses)
        ]
    if narrowed and not names:
        covered = covering_cases(chosen)
        found = [one for one in found if any(clause in covered for clause in one.clauses)]
    if clauses and not found:
        raise UsageError(
            f"no wrong producer violates {' or '.join(clauses)}",
            expected="a clause that `harness coverage` calls proved, or how several begin",
        )
    return found
