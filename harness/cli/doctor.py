"""`harness doctor`: what a run needs, line by line, and how to get what is missing."""

from __future__ import annotations

from collections.abc import Mapping

import click

from harness.cli import options
from harness.errors import ExitCode

MARKS = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}


@click.command("doctor", short_help="Show what is missing for a run, and how to get it.")
@options.services
@options.as_json
def command(overrides: Mapping[str, str], json_: bool) -> int:  # noqa: FBT001
    """Look at everything that a run needs, and say how to get what is missing.

    Exit code 0 when a run with these settings can start, else 3. Lines marked `note` are about what
    only some runs need: Spark, containers, a cache that fills itself on the first run.
    """
    import orjson

    from harness.authoring import doctor
    from harness.cli.main import FIRST_STEPS

    space = options.space(None, None)
    findings = doctor.examine(options.source(overrides, space), space.here)
    fit = not any(one.state == "missing" for one in findings)
    if json_:
        rows = [
            {"name": one.name, "state": one.state, "what": one.what, "hint": one.hint}
            for one in findings
        ]
        click.echo(orjson.dumps({"fit": fit, "findings": rows}).decode())
    else:
        for one in findings:
            click.echo(f"{MARKS[one.state]}  {one.name:22} {one.what}".replace("\n", f"\n{'':32}"))
            if one.hint and one.state != "ok":
                click.echo(f"{'':32}{one.hint}")
        click.echo("a run can start" if fit else "a run cannot start: see what is MISSING")
        for words, why in FIRST_STEPS[1:] if fit else ():
            click.echo(f"    {words:45}{why}")
    return int(ExitCode.PASS if fit else ExitCode.ENVIRONMENT)
