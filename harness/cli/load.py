"""`harness load`: a workload of any size into Kafka, made on Spark's executors."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import orjson

from harness.cli import options
from harness.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs: they bring Kafka's client along
    from harness.contracts import SchemaRegistry
    from harness.load.encoding import Encoding
    from harness.load.session import Master
    from harness.load.spec import Spec
    from harness.services import Kafka, Services

RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/s)?")


def workload(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--spec FILE` and the flags that are laid over it."""
    flags = (
        click.option("--seed", type=int, help="Another seed makes another workload [1]."),
        click.option("--partitions", type=int, help="Partitions of each topic [4]."),
        click.option("--tables", type=int, help="Tables, of three shapes in turn [3]."),
        click.option("--events", type=int, metavar="N", help="Row changes in all [100000]."),
        click.option("--protocol", help="Of what the rows are messages [open]."),
        click.option(
            "--spec",
            "spec_file",
            type=click.Path(path_type=Path, dir_okay=False),
            help="A YAML file that says what to make; the flags go before it.",
        ),
    )
    for flag in flags:
        command = flag(command)
    return command


def spark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take where Spark runs; the command gets `spark_master` and `spark_conf`."""
    master = click.option(
        "--spark-master",
        metavar="URL",
        default="local[*]",
        show_default=True,
        help="Spark's master.",
    )
    conf = click.option(
        "--spark-conf", multiple=True, metavar="KEY=VALUE", help="Any of Spark's settings."
    )
    return master(conf(command))


@click.command("load", short_help="Fill topics with a workload of any size, made on Spark.")
@workload
@click.option("--bootstrap", metavar="HOST:PORT", help="Where Kafka is [an embedded one, to try].")
@click.option("--registry", metavar="URL", help="A Confluent-compatible schema registry.")
@options.kafka_config
@click.option("--topic-prefix", default="", help="What goes before the canonical topics' names.")
@click.option("--rate", metavar="N/s", help="Events a second in all [as fast as it goes].")
@click.option(
    "--tasks", type=click.IntRange(1), help="Tasks that share the partitions [one a core]."
)
@click.option(
    "--expected", metavar="DIR", help="Write the expected state here as well, as Parquet."
)
@click.option(
    "--producer",
    multiple=True,
    metavar="KEY=VALUE",
    help="A property of Kafka's Java producer, such as compression.type=lz4; may be repeated.",
)
@spark_options
@click.option("--dry-run", is_flag=True, help="Only show what would be made.")
@options.as_json
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    spec_file: Path | None,
    protocol: str | None,
    events: int | None,
    tables: int | None,
    partitions: int | None,
    seed: int | None,
    bootstrap: str | None,
    registry: str | None,
    kafka_config: Path | None,
    topic_prefix: str,
    rate: str | None,
    tasks: int | None,
    expected: str | None,
    producer: tuple[str, ...],
    spark_master: str,
    spark_conf: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001
    json_: bool,  # noqa: FBT001
) -> int:
    """Make a workload and write it to Kafka with Spark's own sink.

    The same spec gives the same bytes, whatever the number of tasks. Topics are made where missing;
    one that holds records already is refused. With --expected, the tables that a consumer must
    reach are computed from the generator and written as Parquet; `harness verify` compares.
    """
    from harness.load import spec as specs
    from harness.load.session import Master, installed

    flags = {
        "protocol": protocol,
        "events": events,
        "tables": tables,
        "partitions": partitions,
        "seed": seed,
    }
    spec = specs.load(spec_file, {name: one for name, one in flags.items() if one is not None})
    pace = _rate(rate)
    master = Master(spark_master, options.name_values(spark_conf, "--spark-conf"))
    if dry_run:
        from harness.load.encoding import prepared

        _print(planned(prepared(spec, topic_prefix)), json_=json_)
        return 0
    installed()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-load-")))
        services = stack.enter_context(_services(spec, bootstrap, registry, kafka_config, scratch))
        place = _Place(
            services.kafka, _schemas(services), options.name_values(producer, "--producer")
        )
        how = _How(master, scratch, topic_prefix, pace, tasks, expected)
        _print(_loaded(spec, place, how), json_=json_)
    return 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the messages go."""

    kafka: Kafka
    schemas: SchemaRegistry | None
    producer: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _How:
    """How they are made."""

    master: Master
    scratch: Path
    prefix: str
    rate: float | None
    tasks: int | None
    expected: str | None


def _loaded(spec: Spec, place: _Place, how: _How) -> dict[str, Any]:
    from harness.load import job, topics
    from harness.load.encoding import prepared
    from harness.load.session import session
    from harness.load.watch import watched

    encoding = prepared(spec, how.prefix, place.schemas)
    made = topics.prepare(place.kafka, encoding.topics, spec.partitions)
    with session(how.master, ("spark",), how.scratch) as spark, watched() as peaks:
        options_ = job.LoadOptions(encoding, place.kafka, how.tasks, how.rate, place.producer)
        loaded = job.load(spark, options_)
        if how.expected is not None:
            tables = job.expected(spark, spec, how.tasks)
            job.write_expected(spark, spec, tables, how.expected)
    given = {
        **planned(encoding),
        "topics made": list(made),
        "bootstrap": place.kafka.bootstrap,
        "records": loaded.records,
        "end offsets": {name: list(ends) for name, ends in loaded.ends.items()},
        "seconds": round(loaded.seconds, 1),
        "events a second": round(spec.events / loaded.seconds),
    }
    if how.master.local:
        given["peak MB"] = {role: round(peak) for role, peak in peaks.items()}
    return given


def planned(encoding: Encoding) -> dict[str, Any]:
    """Return what a workload is, as data: the spec, its topics, its clock and its statements."""
    import msgspec

    from harness.load import clock

    spec = encoding.spec
    return {
        **msgspec.structs.asdict(spec),
        "settings": dict(spec.effective_settings),
        "topics": list(encoding.topics),
        "events by partition": clock.shares(spec.events, spec.partitions, spec.skew_partitions),
        "seconds of the stream": clock.slices(spec),
        "statements": [one.sql for one in clock.statements(spec)],
    }


@contextmanager
def _services(
    spec: Spec, bootstrap: str | None, registry: str | None, file: Path | None, scratch: Path
) -> Generator[Services]:
    """Yield Kafka, and a registry where the records name schemas: given, warm, or embedded."""
    from harness.protocols import PROTOCOLS
    from harness.services import start

    given = options.cluster(bootstrap, registry, file)
    source = options.source(given, options.space(None, None))
    wanted = ["kafka"]
    if PROTOCOLS[spec.protocol].codec.needs_registry(spec.effective_settings):
        wanted.append("registry")
    for name in wanted:
        if source.settings.backend(name) != "external" and name not in source.warm:
            click.echo(
                f"note: {name} is an embedded one, and gone afterwards; `harness services up`"
                " keeps one",
                err=True,
            )
    with start(
        wanted,
        run_dir=scratch / "services",
        on_event=lambda _: None,
        settings=source.settings,
        warm=source.warm,
    ) as services:
        yield services


def _schemas(services: Services) -> SchemaRegistry | None:
    from harness.services import HttpRegistry

    return HttpRegistry(services.registry) if services.has("registry") else None


def _rate(text: str | None) -> float | None:
    """Return events a second; UsageError for what is not a rate."""
    if text is None:
        return None
    found = RATE.fullmatch(text)
    if found is None or float(found[1]) == 0:
        raise UsageError(f"--rate {text} is not a rate", expected="events a second, as 500/s")
    return float(found[1])


def _print(given: Mapping[str, Any], *, json_: bool) -> None:
    if json_:
        click.echo(orjson.dumps(given).decode())
        return
    for name, value in given.items():
        if isinstance(value, list | tuple) and value and isinstance(value[0], str):
            click.echo(f"{name}:")
            for line in cast("Sequence[str]", value):
                click.echo(f"    {line}")
        elif isinstance(value, dict):
            inner = ", ".join(f"{key} {one}" for key, one in cast("dict[str, Any]", value).items())
            click.echo(f"{name}: {inner or 'none'}")
        else:
            click.echo(f"{name}: {value}")
