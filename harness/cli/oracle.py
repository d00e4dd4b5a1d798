"""`harness oracle`: vendors' own programs over the catalogue, their records beside ours."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click
import orjson

from harness.cli import options
from harness.cli import oracle_recordings as recordings
from harness.engine.catalogue.workspace import new_run
from harness.errors import ExitCode, SetupError, UsageError, plural

if TYPE_CHECKING:  # imported when a command needs it
    from harness.engine.catalogue.selection import Selection
    from harness.engine.catalogue.workspace import Workspace
    from harness.oracles.result import OracleResult
    from harness.services.service import ServiceEvent

# harness.oracles.vitess.lock.DEFAULT, repeated because `--help` imports nothing heavy.
DEFAULT = "3.3.1.Final"


_keep = click.option(
    "--keep",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the result as JSON, from which the pages are made.",
)


@click.group("oracle", short_help="Run vendors' own programs over the catalogue.")
def command() -> None:
    """Run vendors' own programs over the catalogue and compare their records with ours.

    Unlike the vectors of `harness truth`, which were recorded once, an oracle is asked again
    whenever anybody doubts, and about any release. What it needs is fetched when it is first asked,
    and verified each time; Docker is not needed.
    """


@command.command("vitess")
@options.selection
@click.option(
    "--version",
    default=DEFAULT,
    show_default=True,
    metavar="X",
    help="Release of Debezium's Vitess connector.",
)
@_keep
@click.option(
    "--restarts",
    is_flag=True,
    help="Stop connectors and start them again as well, where a case is about offsets or stops.",
)
@options.roots
@options.as_json
def vitess(  # noqa: PLR0913, PLR0917 - an argument for each option
    selection: Selection,
    version: str,
    restarts: bool,  # noqa: FBT001
    keep: Path | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Run Debezium's Vitess connector in Kafka Connect, against a server that plays VTGate.

    The server streams what our source simulator made of each scenario, so that connector and
    encoder are given the same. Records are compared by topic, partition, key, value, headers and
    their order in a partition; what no encoder could reproduce is a freedom with a name.

    Ends with one line, `equal E / compared C / total T`. Exits 1 when a difference has no named
    reason, 3 when Java, a package or a jar is missing. Needs Java 17 or later and
    `pip install 'cdc-conformance[oracles]'`; the first run fetches 230 MB. All cases take some ten
    minutes on two cores.
    """
    from harness.engine.catalogue.selection import chosen as found
    from harness.oracles.result import RESTARTS
    from harness.record.lock import load_lock

    try:
        from harness.oracles.vitess.oracle import OracleOptions, ask
    except ImportError as error:
        raise SetupError(
            f"the oracle's server needs a package that is not installed: {error.name}",
            hint="pip install 'cdc-conformance[oracles]'",
        ) from error

    space = options.space(scenarios, golden)
    chosen = found(space, selection)
    cases = [case for case in chosen if case.protocol == "vitess"]
    if not cases:
        raise UsageError(
            "none of the chosen cases is of the protocol vitess",
            hint="choose by -k vitess, or leave the choice out",
        )
    run, run_dir = new_run(space.runs / "runs")
    with _Progress() as progress:
        asked = OracleOptions(
            version, run_dir, progress.fetched, progress.advanced, os.environ, restarts
        )
        result = ask(cases, lambda case: load_lock(case.scenario, space.golden), asked)
    result = replace(result, chosen=f"{RESTARTS if restarts else ''}{selection.text}")
    return _finished(result, keep, f"run {run}: logs in {run_dir}", as_json=json_)


@command.command("debezium-mariadb")
@options.selection
@_keep
@options.roots
@options.as_json
def debezium_mariadb(
    selection: Selection,
    keep: Path | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Run Debezium's MariaDB connector in Kafka Connect beside a MariaDB that runs the SQL.

    Each chosen scenario's SQL is run once, whatever its matrix; connectors in several profiles of
    settings follow the database's log. Records are compared by topic, partition, key, value,
    headers and their order in a partition; what no encoder could reproduce is a freedom with a
    name. Scenarios with a step under `emit` are not played.

    Ends with one line, `equal E / compared C / total T`. Exits 1 when a difference has no named
    reason, 3 when Java or a jar is missing. Needs Java 17 or later and
    `pip install 'cdc-conformance[upstream]'`. All scenarios take some two minutes on two cores.
    """
    return _follow("MARIADB", selection, keep, options.space(scenarios, golden), as_json=json_)


@command.command("debezium-mysql")
@options.selection
@_keep
@options.roots
@options.as_json
def debezium_mysql(
    selection: Selection,
    keep: Path | None,
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Run Debezium's MySQL connector beside a MariaDB that runs the SQL, as `debezium-mariadb`.

    It follows a MariaDB as well, but for its GTIDs: records are compared with those of our dialect
    `mysql`, and which are a scenario's is known by how far the topics were filled.
    """
    return _follow("MYSQL", selection, keep, options.space(scenarios, golden), as_json=json_)


def _follow(
    connector: str, selection: Selection, keep: Path | None, space: Workspace, *, as_json: bool
) -> int:
    from harness.database import driver
    from harness.engine.catalogue.selection import chosen as found

    driver.connector()
    from harness.oracles.mariadb import configuration
    from harness.oracles.mariadb.oracle import OracleOptions, ask
    from harness.protocols.mysql import MYSQL
    from harness.record.lock import load_lock

    wanted = {case.scenario.id: case.scenario for case in found(space, selection)}
    run, run_dir = new_run(space.runs / "runs")
    with _Progress() as progress:
        asked = OracleOptions(
            MYSQL,
            run_dir,
            progress.fetched,
            progress.advanced,
            os.environ,
            getattr(configuration, connector),
        )
        result = ask(list(wanted.values()), lambda one: load_lock(one, space.golden), asked)
    result = replace(result, chosen=selection.text)
    return _finished(result, keep, f"run {run}: logs in {run_dir}", as_json=as_json)


def _finished(result: OracleResult, keep: Path | None, where: str, *, as_json: bool) -> int:
    """Keep a result, say it and where its logs are, and return the exit code."""
    from harness.oracles.result import document, lines, write_result

    if keep is not None:
        write_result(result, keep)
    if as_json:
        click.echo(orjson.dumps(document(result)).decode())
    else:
        for line in lines(result):
            click.echo(line)
    click.echo(where, err=True)
    return int(ExitCode.PASS if result.passed else ExitCode.FINDINGS)


command.add_command(recordings.compare)
command.add_command(recordings.record)
command.add_command(recordings.sql)


class _Progress:
    """One line on a terminal that says how far the run has come; nothing anywhere else."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._say("")

    def fetched(self, event: ServiceEvent) -> None:
        """Show what a service or a download has come to."""
        size = f" {event.done / 1e6:.0f} of {event.total / 1e6:.0f} MB" if event.total else ""
        self._say(f"{event.service} {event.state} {event.detail}{size}")

    def advanced(self, done: int, total: int) -> None:
        """Show how many plays are over."""
        self._say(f"{done} of {plural(total, 'stream')} played")

    def _say(self, text: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)
