"""`harness certify CONSUMER`: anybody's consumer, in one command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options, spark_options
from harness.model.level import Level

if TYPE_CHECKING:  # it brings the clauses along
    from harness.engine.catalogue.selection import Selection

# A key of harness.oracles.live.cases.PRODUCERS, and harness.oracles.live.producer.LIVE_FAULTS,
# repeated because `--help` imports nothing heavy.
PRODUCERS = ("debezium-mariadb",)
LIVE_FAULTS = (
    "connector-killed",
    "database-restarted",
    "binlog-purged",
    "history-lost",
    "history-recovered",
    "snapshot-broken-off",
)


@click.command("certify", short_help="Certify a consumer.")
@click.argument("consumer")
@options.selection
@options.last_failed
@options.fail_fast
@options.changefeed
@click.option(
    "--level",
    type=click.Choice([level.value for level in Level]),
    help="Certify one level [what its manifest claims, else materialise and stream together]; see"
    " docs/reference/levels.md.",
)
@click.option(
    "--live",
    metavar="FILE.yaml|debezium-mariadb",
    help="Level live: topics that a real producer has filled, or that one fills now, started for"
    " the run; see docs/guides/certify-live.md.",
)
@click.option(
    "--live-fault",
    "live_faults",
    multiple=True,
    type=click.Choice(LIVE_FAULTS),
    help="What befalls the producer of --live debezium-mariadb in the middle of each scenario.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1),
    metavar="N",
    help="Lay every case over N partitions; those that depend on their number are left out.",
)
@click.option(
    "--isolated",
    type=click.FloatRange(0, 100),
    is_flag=False,
    flag_value=100.0,
    default=0.0,
    metavar="PERCENT",
    help="Read a share of the packed cases alone as well, all of them without PERCENT.",
)
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="What draws the share of --isolated."
)
@options.expectations
@options.strict
@options.beyond
@options.sandbox
@spark_options.placed
@options.deadline
@options.reports
@options.services
@options.roots
@options.as_json
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    consumer: str,
    selection: Selection,
    again: bool,
    fail_fast: bool,
    changefeed: Path | None,
    level: str | None,
    live: str | None,
    live_faults: tuple[str, ...],
    partitions: int | None,
    isolated: float,
    seed: int,
    expectations: Path | None,
    strict: bool,
    beyond: bool,
    sandbox: bool,
    spark: Mapping[str, str],
    deadline: float,
    reports: Mapping[str, Path],
    overrides: Mapping[str, str],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,
) -> int:
    """Certify CONSUMER over all scenarios, or over those in PATHS.

    CONSUMER is `spark`, `spark-delta` or `reference` (bundled), `py:pkg.mod:fn` (a Python callable
    that takes the job), `exec:./command arguments` (any program; see
    docs/reference/consumer-contract.md), `image:NAME[:tag]` (a program in a container), or the path
    of a consumer.yaml, which declares what it can do and what is known to be wrong with it.
    `attach:consumer.yaml` is a system that runs already, and is not started.
    """
    if live is not None or level == Level.LIVE or live_faults:
        from harness.cli.live import LiveExecution, execute_live

        elsewhere = {
            "--last-failed": again,
            "--fail-fast": fail_fast,
            "--changefeed": changefeed,
            "--partitions": partitions,
            "--isolated": isolated,
            "--beyond": beyond,
            "--sandbox": sandbox,
        }
        named = [option for option, value in elsewhere.items() if value]
        execution = LiveExecution(consumer, live, level, deadline, reports, json_, overrides, spark)
        execution = replace(execution, expectations=expectations, strict=strict)
        execution = replace(execution, elsewhere=named, faults=live_faults)
        if live in PRODUCERS:
            from harness.cli.live_producer import execute_produced

            return execute_produced(execution, options.space(scenarios, golden), selection)
        return execute_live(replace(execution, elsewhere=[*selection.options, *named]))
    from harness.cli.execute import Execution, execute
    from harness.engine.run.isolation import Isolation

    space = options.space(scenarios, golden)
    source = options.source(overrides, space)
    args = Execution(space, consumer, selection, deadline, reports, json_, source, changefeed)
    args = replace(args, isolation=Isolation(isolated, seed), spark=spark, strict=strict)
    args = replace(args, level=None if level is None else Level(level), partitions=partitions)
    args = replace(args, expectations=expectations, beyond=beyond, again=again)
    return execute(replace(args, fail_fast=fail_fast, sandbox=sandbox))
