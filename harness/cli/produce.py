"""`harness produce`: a scenario's records in topics of your own, for whatever reads them there."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click
import orjson

from harness.cli import options
from harness.errors import UsageError, plural

if TYPE_CHECKING:  # imported when the command runs: they bring Kafka's client along
    from harness.contracts import SchemaRegistry
    from harness.engine.catalogue.selection import Selection
    from harness.engine.catalogue.workspace import Workspace
    from harness.engine.plan.case import Plan
    from harness.services import Kafka, Settings

RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/s)?")
INTERRUPTED = 130


@click.command("produce", short_help="Fill topics of your own with a scenario's records.")
@options.selection
@click.option("--bootstrap", metavar="HOST:PORT", help="Where Kafka is; several with commas.")
@click.option("--registry", metavar="URL", help="A Confluent-compatible schema registry.")
@options.kafka_config
@click.option(
    "--topic-prefix",
    default="",
    help="What goes before the canonical topics' names; {scenario} stands for a scenario's id.",
)
@click.option("--rate", metavar="N/s", help="Records a second [as fast as it goes].")
@click.option(
    "--delivery",
    metavar="NAME",
    help="The delivery variant; `plain` is the undisturbed one [plain, where there is a choice].",
)
@click.option(
    "--create-topics/--no-create-topics", default=True, help="Whether missing topics are made."
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 1000),
    help="Partitions of the topics, also where the scenario's matrix has no such number.",
)
@click.option(
    "--large-messages",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where claim checks, and the rows of handle keys that are sent alone, are stored.",
)
@options.changefeed
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting of docs/reference/settings.md, such as registry.user; may be repeated.",
)
@options.roots
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    selection: Selection,
    bootstrap: str | None,
    registry: str | None,
    kafka_config: Path | None,
    topic_prefix: str,
    rate: str | None,
    delivery: str | None,
    create_topics: bool,  # noqa: FBT001
    partitions: int | None,
    large_messages: Path | None,
    changefeed: Path | None,
    pairs: tuple[str, ...],
    scenarios: Path | None,
    golden: Path | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Send one case of each scenario in PATHS to topics of your own; no consumer is needed.

    The records are those of `harness preview`, under their canonical topic names. Where a scenario
    has several cases, -k, --delivery and --partitions choose one. Topics are made where missing,
    and keep what is in them unless `--set topics.retention-ms=default` is given: records carry
    times that may be long ago. They are filled from their end on, and never deleted. Prints which
    offsets of which partition were filled, and a command that reads them. After Ctrl-C it says what
    was sent, and exits 130.
    """
    from harness.engine.deliver.production import Production, ProductionOptions
    from harness.engine.deliver.topics import TopicOptions
    from harness.report.production import Reader, document, lines

    if selection.is_whole:
        raise UsageError(
            "say what to produce",
            expected="PATHS (files, directories or ids), or -k, --protocol or --clause",
            hint="`harness list` shows the cases",
        )
    pace = _rate(rate)
    space = options.space(scenarios, golden)
    planned = _plans(space, selection, (delivery, partitions), changefeed)
    resolved = broker_settings(bootstrap, registry, kafka_config, pairs)
    kafka, schemas = _reached(resolved, planned)
    made = TopicOptions.of(resolved)
    wanted = ProductionOptions(
        kafka,
        topic_prefix,
        pace,
        create_topics,
        made.replication,
        large_messages,
        forever=made.forever,
    )
    production = Production(wanted, planned)
    for note in production.prepare(schemas):
        click.echo(f"note: {note}", err=True)
    named = resolved.text("registry.url") if schemas is not None else ""
    reader = Reader(kafka.bootstrap, kafka_config, named)
    try:
        with _Progress(production.total) as line:
            production.send(line.at)
    finally:
        account = production.account()
        consume = {one.case: tuple(reader.commands(one)) for one in account.filled}
        if json_:
            click.echo(orjson.dumps(document(account, consume)).decode())
        else:
            for text in lines(account, consume):
                click.echo(text)
    return INTERRUPTED if account.interrupted else 0


def _rate(text: str | None) -> float | None:
    """Return records a second; UsageError for what is not a rate."""
    if text is None:
        return None
    found = RATE.fullmatch(text)
    if found is None or float(found[1]) == 0:
        raise UsageError(
            f"--rate {text} is not a rate", expected="records a second above zero, as 500/s"
        )
    return float(found[1])


def _plans(
    space: Workspace,
    selection: Selection,
    narrowed: tuple[str | None, int | None],
    changefeed: Path | None,
) -> Sequence[Plan]:
    """Return the plans of one case of each scenario."""
    from harness.engine.catalogue.plans import planned_only
    from harness.engine.catalogue.selection import chosen
    from harness.engine.plan.one_case import one_each

    cases = one_each(chosen(space, selection), *narrowed)
    if changefeed is None:
        return planned_only(space, cases, expectations=False)
    return options.laid_under(space, cases, changefeed).plans


def broker_settings(
    bootstrap: str | None, registry: str | None, file: Path | None, pairs: Sequence[str]
) -> Settings:
    """Return the settings of a cluster; UsageError where nothing says where Kafka is."""
    from harness.services import settings

    found = settings(options.cluster(bootstrap, registry, file, pairs))
    if not found.text("kafka.bootstrap.servers"):
        raise UsageError(
            "nothing says where Kafka is",
            expected="--bootstrap HOST:PORT",
            hint="or bootstrap.servers in --kafka-config, or HARNESS_KAFKA_BOOTSTRAP_SERVERS",
        )
    return found


def _reached(resolved: Settings, planned: Sequence[Plan]) -> tuple[Kafka, SchemaRegistry | None]:
    """Return the cluster, and the registry where a case names schemas, once they answered."""
    from harness.engine.plan.case import names_schemas
    from harness.services import HttpRegistry
    from harness.services.external import kafka as external_kafka
    from harness.services.external import registry as external_registry

    named = [plan.case.id for plan in planned if names_schemas(plan.case)]
    if named and not resolved.text("registry.url"):
        raise UsageError(
            f"the records of {named[0]} name schemas, and nothing says where a registry is",
            expected="--registry URL",
            hint="or HARNESS_REGISTRY_URL; -k can choose a case without schemas",
        )
    kafka = external_kafka.address(resolved)
    external_kafka.probe(kafka.client, resolved)
    if not named:
        return kafka, None
    registry = external_registry.address(resolved)
    external_registry.probe(registry)
    return kafka, HttpRegistry(registry)


class _Progress:
    """One line on a terminal that counts; nothing anywhere else."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)

    def at(self, sent: int) -> None:
        """Show how many records were handed over."""
        if self._shown:
            click.echo(f"\r\x1b[K{sent}/{plural(self._total, 'record')}", err=True, nl=False)
