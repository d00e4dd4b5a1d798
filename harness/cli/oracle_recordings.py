"""`harness oracle sql`, `record` and `compare`: streams that others record, beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, UsageError, plural

if TYPE_CHECKING:
    from harness.scenario.expand import Case


@click.command("sql", short_help="Print a case's SQL and settings, to run it on a cluster.")
@click.argument("case_id", metavar="CASE")
@options.roots
def sql(case_id: str, scenarios: Path | None, golden: Path | None) -> int:
    """Print what a cluster must run so that its stream can be compared with ours.

    Settings, databases and partitions come first, as comments; then the statements, each
    transaction in one. CASE is an id of `harness list`.
    """
    from harness.oracles.recordings.script import script

    for line in script(_case(case_id, scenarios, golden)):
        click.echo(line)
    return int(ExitCode.PASS)


@click.command("record", short_help="Dump topics that a real TiCDC or Debezium filled.")
@click.argument("case_id", metavar="CASE")
@click.option("--topic", "topics", multiple=True, required=True, help="A topic; may be repeated.")
@click.option("--origin", required=True, help="The program, its version and the day: for people.")
@click.option("--bootstrap", metavar="HOST:PORT", help="Where Kafka is; several with commas.")
@click.option("--registry", metavar="URL", help="A Confluent-compatible schema registry.")
@options.kafka_config
@click.option(
    "--output",
    required=True,
    metavar="FILE.ndjson",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The recording is added at the end of this file.",
)
@options.setting
@options.roots
def record(  # noqa: PLR0913, PLR0917  (one parameter an option)
    case_id: str,
    topics: tuple[str, ...],
    origin: str,
    bootstrap: str | None,
    registry: str | None,
    kafka_config: Path | None,
    output: Path,
    pairs: tuple[str, ...],
    scenarios: Path | None,
    golden: Path | None,
) -> int:
    """Write what topics hold, from their beginning on, as a recording of CASE.

    The topics must hold this case's stream alone. Messages that name schemas need --registry: the
    schemas are kept in the recording.
    """
    from harness.cli.produce import broker_settings
    from harness.engine.plan.case import names_schemas
    from harness.oracles.recordings.dump import dumped
    from harness.oracles.recordings.form import Recording, text
    from harness.services import HttpRegistry
    from harness.services.external import kafka as external_kafka
    from harness.services.external import registry as external_registry

    case = _case(case_id, scenarios, golden)
    resolved = broker_settings(bootstrap, registry, kafka_config, pairs)
    kafka = external_kafka.address(resolved)
    external_kafka.probe(kafka.client, resolved)
    schema_of = None
    if names_schemas(case):
        if not resolved.text("registry.url"):
            raise UsageError(
                f"the messages of {case.id} name schemas, and nothing says where a registry is",
                expected="--registry URL",
            )
        schema_of = HttpRegistry(external_registry.address(resolved)).schema
    messages = dumped(kafka.client, topics, schema_of)
    with output.open("ab") as out:
        for line in text(Recording(case.id, origin, messages)):
            out.write(line + b"\n")
    click.echo(f"{plural(len(messages), 'message')} of {case.id} in {output}")
    return int(ExitCode.PASS)


@click.command("compare", short_help="Compare recordings with our encoder.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@options.roots
@options.as_json
def compare(
    files: tuple[Path, ...],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Compare recordings, made by `harness oracle record`, with what our encoder makes.

    What two clusters cannot have in common (commit ts, schema ids, when resolved events are sent)
    is a freedom with a name; all else is compared byte for byte. Ends with one line,
    `equal E / compared C / total T`. Exits 1 when a recording differs.
    """
    from harness.engine.catalogue.choose import load, selected
    from harness.oracles.recordings.form import read
    from harness.oracles.recordings.judge import judged
    from harness.oracles.result import document, lines
    from harness.record.lock import load_lock

    space = options.space(scenarios, golden)
    recordings = [one for file in files for one in read(file)]
    cases = {case.id: case for case in selected(load(space), None)}
    result = judged(recordings, cases, lambda case: load_lock(case.scenario, space.golden))
    if json_:
        click.echo(orjson.dumps(document(result)).decode())
    else:
        for line in lines(result):
            click.echo(line)
    return int(ExitCode.PASS if result.passed else ExitCode.FINDINGS)


def _case(name: str, scenarios: Path | None, golden: Path | None) -> Case:
    """Return a case that is recorded undisturbed; UsageError for a name that is none's."""
    from harness.documents.nearest import did_you_mean
    from harness.engine.catalogue.choose import load, selected

    found = load(options.space(scenarios, golden))
    cases = {case.id: case for case in selected(found, None)}
    if name not in cases:
        raise UsageError(
            f"there is no case {name!r}",
            expected="a case of `harness list`",
            hint=did_you_mean(name, cases),
        )
    if cases[name].delivery is not None:
        raise UsageError(
            f"{name} is disturbed on its way, which no cluster does to order",
            expected="a case without a delivery",
        )
    return cases[name]
