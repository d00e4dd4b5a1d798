"""`harness bench`: figures beside their floors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import click
import orjson

from harness.bench.figure import Figure
from harness.cli import options
from harness.errors import UsageError


def _measures(events: int | None, share: float | None) -> dict[str, Callable[[], Iterator[Figure]]]:
    from harness.bench import certify, deliver, runs, scenarios, services, startup
    from harness.bench.encode import measure as encode
    from harness.bench.spark import catalogue
    from harness.bench.spark import measure as spark

    return {
        "startup": startup.measure,
        "encode": encode.measure,
        "deliver": deliver.measure,
        "services": services.measure,
        "run": runs.measure,
        "certify": certify.measure,
        "scenarios": scenarios.measure,
        "spark": partial(spark.measure, events or spark.EVENTS),
        "catalogue": partial(catalogue.measure, share or catalogue.SHARE),
    }


@click.command("bench", short_help="Measure speed and memory beside the floor.")
@click.argument("names", nargs=-1)
@click.option(
    "--events",
    type=click.IntRange(min=100_000),
    metavar="N",
    help="Messages and row changes of `spark` [200000].",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 100, min_open=True),
    metavar="PERCENT",
    help="How many of the cases `catalogue` reads one query each as well [3].",
)
@options.as_json
def command(
    names: tuple[str, ...],
    events: int | None,
    share: float | None,
    json_: bool,  # noqa: FBT001
) -> int:
    """Measure NAMES on this machine, now, or all.

    They are startup, encode, deliver, services, run, certify, scenarios, spark and
    catalogue.
    """
    measures = _measures(events, share)
    unknown = [name for name in names if name not in measures]
    if unknown:
        raise UsageError(f"no bench {unknown[0]!r}", expected="one of " + ", ".join(measures))
    figures: list[Figure] = []
    for name in names or tuple(measures):
        for figure in measures[name]():
            figures.append(figure)
            if not json_:
                click.echo(_line(figure))
    if json_:
        click.echo(orjson.dumps([figure.to_json() for figure in figures]).decode())
    return 0


def _line(figure: Figure) -> str:
    floor = "" if figure.floor is None else f"floor {figure.floor:.3f}, ratio {figure.ratio:.2f}"
    goal = "" if figure.goal is None else f"goal {figure.goal}"
    return f"{figure.name:40} {figure.value:10.3f} {figure.unit:3} {floor:32} {goal}".rstrip()
