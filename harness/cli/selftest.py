"""`harness selftest`: what this machine and its faults do to a run, tried for some minutes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, UsageError, plural

DIRECTORY = "selftest"  # below .harness


@click.command("selftest", short_help="Try whether runs survive faults of this machine.")
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=10,
    show_default=True,
    metavar="N",
    help="Begin new trials for so long; the last one is finished.",
)
@click.option("--seed", type=int, metavar="N", help="Draw as that run did [a new one].")
@click.option(
    "--fault", "names", multiple=True, metavar="NAME", help="Only this one; may be repeated [all]."
)
@click.option("--list", "listed", is_flag=True, help="List the faults and try none.")
@options.as_json
def command(
    minutes: float,
    seed: int | None,
    names: tuple[str, ...],
    listed: bool,  # noqa: FBT001
    json_: bool,  # noqa: FBT001
) -> int:
    """Do to runs of the harness what may befall them, and check that they survive.

    Services, their keeper and their guardian are killed and halted, the run is ended by signals,
    the disk is full, handles run out, the clock is set, paths are odd. Whatever happens, a run must
    end in time with the right exit code, blame no consumer, leave nothing running or half written,
    and the next run must work. Prints how many faults were survived of those tried; exits 1 if any
    was not. With --json, `samples` has memory, handles and processes of each minute.
    """
    from harness.engine.catalogue.workspace import runs
    from harness.selftest.draw import Draw, Tried
    from harness.selftest.faults import FAULTS
    from harness.selftest.series import sampled

    known = {one.name: one for one in FAULTS}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no fault {name!r}", expected="one of `selftest --list`")
    if listed:
        for one in FAULTS:
            click.echo(f"{one.name:16}  {one.title}")
        return 0
    seed = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    home = runs(Path.cwd()) / DIRECTORY
    draw = Draw([known[name] for name in names or known], minutes * 60, seed, home)
    found: list[Tried] = []
    with sampled() as samples:
        for trial in draw.trials():
            found.append(trial)
            _say(trial, to_stderr=json_)
    left_out = draw.left_out()
    for name, why in left_out.items():
        click.echo(f"not tried: {known[name].title}: {why}", err=json_)
    tried = [one for one in found if one.did]
    survived = sum(one.survived for one in tried)
    failed = [one for one in found if not one.survived]
    if json_:
        click.echo(orjson.dumps(_document(seed, found, left_out, samples)).decode())
    missed = (
        f", {plural(len(found) - len(tried), 'moment')} missed" if len(tried) < len(found) else ""
    )
    first, *_, last = samples
    kept = f"{plural(last.own_handles - first.own_handles, 'handle')} more than at the start"
    said = f"survived {survived} / tried {len(tried)}{missed}, {kept} (--seed {seed})"
    click.echo(said, err=json_)
    return int(ExitCode.FINDINGS if failed else ExitCode.PASS)


def _say(one: Any, *, to_stderr: bool) -> None:  # noqa: ANN401 - imported when it is called
    state = "survived" if one.survived else "FAILED"
    if one.survived and not one.did:
        state = "missed"
    what = f"{one.fault.title}: {one.did or 'the run was over before its moment'}"
    click.echo(f"{one.seconds:7.1f} s  {state:8}  {what}", err=to_stderr)
    for problem in one.problems:
        click.echo(f"             {problem}", err=to_stderr)
    if one.problems:
        click.echo(f"             kept in {one.directory}", err=to_stderr)


def _document(
    seed: int,
    found: Sequence[Any],
    left_out: Any,  # noqa: ANN401 - as above
    samples: Sequence[Any],
) -> dict[str, Any]:
    tried = [one for one in found if one.did]
    return {
        "seed": seed,
        "tried": len(tried),
        "survived": sum(one.survived for one in tried),
        "missed": len(found) - len(tried),
        "not_tried": dict(left_out),
        "trials": [
            {
                "fault": one.fault.name,
                "did": one.did,
                "seconds": round(one.seconds, 1),
                "problems": list(one.problems),
            }
            for one in found
        ],
        "samples": [asdict(one) for one in samples],
    }
