"""`--spark-master` and `--spark-conf`: where the bundled Spark consumer runs."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from harness.cli import options
from harness.errors import UsageError

MASTER, CONF = "HARNESS_SPARK_MASTER", "HARNESS_SPARK_CONF"
CONSUMER = "spark"
CONSUMERS = (CONSUMER, "spark-delta")
OPTIONS: tuple[options.Decorator, ...] = (
    click.option(
        "--spark-master",
        metavar="URL",
        help="Spark's master, for the consumer spark [two threads of its own Java].",
    ),
    click.option(
        "--spark-conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="Any of Spark's settings, for the consumer spark; may be repeated.",
    ),
)


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take both options; the command gets `spark`, what they add to the consumer's environment."""

    @functools.wraps(command)
    def collected(
        *,
        spark_master: str | None,
        spark_conf: tuple[str, ...],
        **values: Any,  # noqa: ANN401  (whatever click hands over)
    ) -> Any:  # noqa: ANN401
        return command(spark=environment(spark_master, spark_conf), **values)

    decorated: Callable[..., Any] = collected
    for option in reversed(OPTIONS):
        decorated = option(decorated)
    return decorated


def environment(master: str | None, pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the options as the consumer's environment; raises UsageError for what is no pair."""
    told = options.told(pairs, "--spark-conf")
    return {
        **({MASTER: master} if master else {}),
        **({CONF: json.dumps(told)} if told else {}),
    }


def refuse_elsewhere(consumer: str, spark: Mapping[str, str]) -> None:
    """Raise UsageError where the options are given for a consumer that is not ours on Spark."""
    if spark and consumer not in CONSUMERS:
        raise UsageError(
            f"--spark-master and --spark-conf say where the consumer {CONSUMER} runs",
            expected=f"no such option for {consumer}",
        )
