"""`harness verify`: a consumer's output of any size against the expected state of a workload."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from harness.cli import options
from harness.cli.load import spark_options, workload
from harness.errors import ExitCode, UsageError, plural

if TYPE_CHECKING:  # imported when the command runs
    from harness.load.compare import Compared, Sample

FORMATS = ("parquet", "delta", "json", "jdbc")


@click.command("verify", short_help="Compare a consumer's output with a workload's expected state.")
@click.option(
    "--spark",
    "output",
    required=True,
    metavar="OUTPUT",
    help="The output, as Spark reads it: a directory or URI with a table each, or a JDBC address.",
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="parquet", show_default=True
)
@click.option("--expected", metavar="DIR", help="What `harness load --expected DIR` wrote.")
@workload
@click.option(
    "--named",
    default="{schema}.{table}",
    show_default=True,
    metavar="PATTERN",
    help="What a table is called in the output.",
)
@click.option(
    "--option",
    "reader",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of Spark's reader, such as user=me; may be repeated.",
)
@click.option(
    "--jar",
    "jars",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A jar that the format needs, such as a JDBC driver (not Delta's); may be repeated.",
)
@click.option("--samples", type=click.IntRange(0, 1000), default=5, show_default=True)
@spark_options
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    output: str,
    format_: str,
    expected: str | None,
    spec_file: Path | None,
    protocol: str | None,
    events: int | None,
    tables: int | None,
    partitions: int | None,
    seed: int | None,
    named: str,
    reader: tuple[str, ...],
    jars: tuple[Path, ...],
    samples: int,
    spark_master: str,
    spark_conf: tuple[str, ...],
    json_: bool,  # noqa: FBT001
) -> int:
    """Compare each table of an output with the expected state, by key, on Spark.

    The expected state is read from --expected, or computed anew from the workload's --spec. Prints
    for each table how many keys are missing, extra, repeated or different, with samples and both
    values. Exit code 0 when all rows are there and right, 1 when not.
    """
    flags = {
        "protocol": protocol,
        "events": events,
        "tables": tables,
        "partitions": partitions,
        "seed": seed,
    }
    given = {name: one for name, one in flags.items() if one is not None}
    _one_source(expected, spec_file, given)

    from harness.load import job
    from harness.load import spec as specs
    from harness.load.compare import compare
    from harness.load.outputs import Output, needs
    from harness.load.session import Master, session
    from harness.load.surviving_tables import left_tables

    spec = specs.load(spec_file, given)
    there = Output(output, format_, named, options.name_values(reader, "--option"))
    groups, conf = needs(format_, options.name_values(spark_conf, "--spark-conf"), jars)
    with (
        tempfile.TemporaryDirectory(prefix="harness-verify-") as scratch,
        session(Master(spark_master, conf), groups, Path(scratch), jars) as spark,
    ):
        if expected is None:
            frames = job.expected(spark, spec)
        else:
            spec, frames = job.read_expected(spark, expected)
        results: list[Compared] = []
        for table in left_tables(spec):
            found = there.read(spark, table.name)
            try:
                results.append(compare(table, frames[table.name], found, samples))
            except Exception as error:
                raise job.failed(error, f"{table.name} could not be compared") from error
            if not json_:
                click.echo("\n".join(_lines(results[-1], absent=found is None)))
    same = all(one.same for one in results)
    if json_:
        click.echo(orjson.dumps(_document(results, same=same)).decode())
    else:
        click.echo("all rows are there and right" if same else "the output differs")
    return int(ExitCode.PASS if same else ExitCode.FINDINGS)


def _one_source(expected: str | None, file: Path | None, given: Mapping[str, Any]) -> None:
    """Raise UsageError unless exactly one thing says what to expect."""
    if expected is None and file is None and not given:
        raise UsageError(
            "nothing says what to expect",
            expected="--expected DIR, or the workload: --spec FILE or its flags",
        )
    if expected is not None and (file is not None or given):
        raise UsageError(
            f"{expected} says what to expect, and so do the workload's flags",
            expected="one of them",
            hint=f"{expected} holds its own spec",
        )


def _lines(one: Compared, *, absent: bool) -> Iterator[str]:
    wrong = ", ".join(f"{count} {state}" for state, count in one.states.items() if count)
    rows = f"{plural(one.expected, 'row')} expected, {one.output} in the output"
    yield f"{one.table}: {rows}: {'no such table there' if absent else wrong or 'same'}"
    if one.lacking:
        yield f"    columns that the output lacks: {', '.join(one.lacking)}"
    if one.unknown:
        yield f"    columns of the output's own: {', '.join(one.unknown)}"
    for sample in one.samples:
        yield f"    {sample.state:10}{_keyed(sample.key)}"
        for name, (wanted, got) in sample.columns.items():
            yield f"              {name} is {_shown(got)}, expected {_shown(wanted)}"


def _keyed(key: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name}={_shown(value)}" for name, value in key.items())


def _shown(value: str | None) -> str:
    return "NULL" if value is None else value


def _document(results: Sequence[Compared], *, same: bool) -> dict[str, Any]:
    return {
        "same": same,
        "tables": [
            {
                "table": one.table,
                "expected": one.expected,
                "output": one.output,
                **one.states,
                "lacking": one.lacking,
                "unknown": one.unknown,
                "samples": [_sample(sample) for sample in one.samples],
            }
            for one in results
        ],
    }


def _sample(sample: Sample) -> dict[str, Any]:
    columns = {
        name: {"expected": wanted, "output": got} for name, (wanted, got) in sample.columns.items()
    }
    return {"state": sample.state, "key": sample.key, "columns": columns}
