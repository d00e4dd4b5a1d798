"""`--spark`, `--spark-master`, `--spark-remote`, `--spark-conf`: where the Spark consumer runs."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from harness.cli import options
from harness.errors import UsageError

MASTER, REMOTE = "HARNESS_SPARK_MASTER", "HARNESS_SPARK_REMOTE"
CONF, RELEASE = "HARNESS_SPARK_CONF", "HARNESS_SPARK_RELEASE"
CONSUMER = "spark"
CONSUMERS = (CONSUMER, "spark-delta")
OPTIONS: tuple[options.Decorator, ...] = (
    click.option(
        "--spark",
        "spark_release",
        metavar="VERSION",
        help="The release of Spark, for the consumer spark [that of the installed PySpark].",
    ),
    click.option(
        "--spark-master",
        metavar="URL",
        help="Spark's master, for the consumer spark [two threads of its own Java].",
    ),
    click.option(
        "--spark-remote",
        metavar="URL",
        help="A server of Spark Connect (sc://host:port), instead of a Spark of our own.",
    ),
    click.option(
        "--spark-conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="Any of Spark's settings, for the consumer spark; may be repeated.",
    ),
)


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take the options; the command gets `spark`, what they add to the consumer's environment."""

    @functools.wraps(command)
    def collected(
        *,
        spark_release: str | None,
        spark_master: str | None,
        spark_remote: str | None,
        spark_conf: tuple[str, ...],
        **values: Any,  # noqa: ANN401  (whatever click hands over)
    ) -> Any:  # noqa: ANN401
        found = environment(spark_master, spark_remote, spark_conf, spark_release)
        return command(spark=found, **values)

    decorated: Callable[..., Any] = collected
    for option in reversed(OPTIONS):
        decorated = option(decorated)
    return decorated


def environment(
    master: str | None,
    remote: str | None,
    pairs: tuple[str, ...],
    release: str | None = None,
) -> dict[str, str]:
    """Return the options as the consumer's environment; raises UsageError for what cannot be."""
    if release and remote:
        raise UsageError(
            f"--spark {release} on a server of Spark Connect, which has its own release",
            expected="--spark or --spark-remote",
        )
    if master and remote:
        raise UsageError(
            "--spark-master and --spark-remote both say where Spark runs", expected="one of them"
        )
    if remote and not remote.startswith("sc://"):
        raise UsageError(f"--spark-remote {remote!r}", expected="sc://host:port of a server")
    if release:
        from harness.services import sparks

        sparks.known(release)
    given = options.name_values(pairs, "--spark-conf")
    return {
        **({RELEASE: release} if release else {}),
        **({MASTER: master} if master else {}),
        **({REMOTE: remote} if remote else {}),
        **({CONF: json.dumps(given)} if given else {}),
    }


def words(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options that an environment was made of; secrets of Spark's are not repeated."""
    from harness.engine.run.conditions import hidden

    named = {"--spark": RELEASE, "--spark-master": MASTER, "--spark-remote": REMOTE}
    pairs = json.loads(environment.get(CONF, "{}")).items()
    placed = [(option, environment[name]) for option, name in named.items() if name in environment]
    conf = [("--spark-conf", f"{name}={hidden(name, value)}") for name, value in pairs]
    return tuple(word for pair in (*placed, *conf) for word in pair)


def refuse_elsewhere(consumer: str, spark: Mapping[str, str]) -> None:
    """Raise UsageError where the options are given for a consumer that is not ours on Spark."""
    if spark and consumer not in CONSUMERS:
        raise UsageError(
            "--spark, --spark-master, --spark-remote and --spark-conf say where the consumer"
            f" {CONSUMER} runs",
            expected=f"no such option for {consumer}",
        )
