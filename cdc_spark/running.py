"""The session of this run, ours or a server's, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from cdc_spark import class_archive, place, remote, session, sinks
from cdc_spark.errors import UsageError
from cdc_spark.job import Job
from cdc_spark.untyped import Session


@dataclass(frozen=True, slots=True)
class Running:
    """A session, and what is to be called last of all."""

    spark: Session
    end: Callable[[], None]


def begin(job: Job, environment: Mapping[str, str]) -> Running:
    """Start Spark, or connect to it; raises SetupError, and UsageError for settings that clash."""
    url = remote.address(environment)
    if url:
        return _connected(url, environment)
    jar_files = session.jars(environment)
    archive = class_archive.find(environment, jar_files)
    spark = session.start(job, jar_files, archive)
    return Running(spark, partial(session.stop, spark, job, archive))


def _connected(url: str, environment: Mapping[str, str]) -> Running:
    if environment.get(place.MASTER):
        raise UsageError(
            f"{place.MASTER} and {remote.VARIABLE} are both set",
            expected="a master to start Spark on, or a server that has started it",
        )
    delta = sinks.chosen(environment) == sinks.DELTA
    wished = {**session.SETTINGS, **sinks.settings(environment)}
    ours = {name: value for name, value in wished.items() if name not in sinks.AT_START}
    spark = remote.start(url, ours, place.told(environment), delta=delta)
    return Running(spark, spark.stop)
