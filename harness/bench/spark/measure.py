"""Decoding and whole runs on Spark, each beside its floor.

| figure | ours | floor |
| --- | --- | --- |
| decode | the public function of the protocol, aggregates of it | sum of the values' lengths |
| apply | read, decode, hold, apply, hand back | the same |
| delta | read, decode, hold, merge into Delta tables, hand back | the same |

Whole runs are measured over a fifth of the events first, so that what a session does once is done
by then.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from harness.bench.command import watched
from harness.bench.figure import Figure
from harness.bench.spark.fill import SETTINGS, Filled, Filler
from harness.engine.run import jobs
from harness.engine.run.preflight import ready
from harness.runner.commands import Whereabouts
from harness.runner.contract.job import Job
from harness.runner.run import Start
from harness.runner.targets import parse
from harness.services import start

EVENTS = 200_000
FEWER = 5  # whole runs are measured over a fifth of the events as well, to see how time grows
DEADLINE_S = 3600.0
THOUSAND = 1000
MICRO = 1_000_000
ROLES = {"java": "org.apache.spark.deploy.SparkSubmit", "python": "daemon pyspark.worker"}


def measure(events: int = EVENTS) -> Iterator[Figure]:
    """Yield what decoding and whole runs cost; `events` are the messages, and the row changes."""
    with tempfile.TemporaryDirectory() as directory:
        yield from _session(Path(directory), events)


def _session(directory: Path, events: int) -> Iterator[Figure]:
    named = ["kafka", "registry"]
    with (
        start(named, run_dir=directory / "services", on_event=lambda _: None) as services,
        ExitStack() as topics,
    ):
        filler = Filler(services, topics)
        registry = jobs.registry_job(services.registry)
        decode = {f"decode.{name}": filler.decoding(name, events) for name in SETTINGS}
        apply = {
            f"apply.{name}, {count // THOUSAND} k": filler.applying(name, count)
            for name in SETTINGS
            for count in (events // FEWER, events)
        }
        delta = {name.replace("apply", "delta", 1): filled for name, filled in apply.items()}
        listed: dict[str, str] = {}
        for number, (name, filled) in enumerate({**decode, **apply, **delta}.items()):
            place = directory / f"job-{number}"
            job = Job(
                work_dir=place / "work",
                out_dir=place / "out",
                kafka=filler.job(f"bench-{number}"),
                changefeeds=(filled.changefeed,),
                deadline_s=DEADLINE_S,
                registry=registry,
            )
            one = Start(place, job)
            one.prepare()
            listed[name] = str(one.job_file)
        options = directory / "options.json"
        output = directory / "found.ndjson"
        document = {
            "jobs": listed,
            "decode": list(decode),
            "delta": list(delta),
            "found": str(output),
        }
        options.write_text(json.dumps(document), encoding="utf-8")
        peak = _worked(options)
        lines: list[dict[str, Any]] = [orjson.loads(line) for line in output.open("rb")]
        found = {line["name"]: line for line in lines}
    for name, filled in decode.items():
        yield from _decode_figures(name, filled, found[name])
    yield from _whole_figures(apply, found, 0.4)
    yield from _whole_figures(delta, found, 0.25)
    for role, megabytes in peak.items():
        yield Figure(f"spark.memory.{role}", megabytes, "MB")


def _worked(options: Path) -> Mapping[str, float]:
    """Run the session's process; return the peaks of its processes' memory."""
    consumer = ready(parse("spark-delta", Whereabouts.here()), lambda _: None)
    argv = [sys.executable, "-m", "cdc_spark.conformance.bench", str(options)]
    return watched(argv, ROLES, {**os.environ, **consumer.environment}).peak_mb


def _decode_figures(name: str, filled: Filled, found: Mapping[str, Any]) -> Iterator[Figure]:
    goal = ">= 0.5 of Spark summing the values' lengths"
    ours, floor = found["ours"], found["floor"]
    speed = [filled.messages / one[0] / THOUSAND for one in (ours, floor)]
    yield Figure(f"spark.{name}", speed[0], "k/s", speed[1], goal)
    yield _a_core(name, filled, found)


def _a_core(name: str, filled: Filled, found: Mapping[str, Any]) -> Figure:
    """Return messages by processor time, which another's load on the machine hardly changes."""
    speed = [filled.messages / one[1] / THOUSAND for one in (found["ours"], found["floor"])]
    return Figure(f"spark.{name}: a core", speed[0], "k/s", speed[1], "holds on a busy machine")


def _whole_figures(
    runs: Mapping[str, Filled], found: Mapping[str, Any], ratio: float
) -> Iterator[Figure]:
    goal = f">= {ratio} of Spark summing the values' lengths"
    before: dict[str, float] = {}
    for name, filled in runs.items():
        ours, floor = found[name]["ours"], found[name]["floor"]
        speed = [filled.messages / one[0] / THOUSAND for one in (ours, floor)]
        yield Figure(f"spark.{name}", speed[0], "k/s", speed[1], goal)
        yield _a_core(name, filled, found[name])
        protocol = name.partition(",")[0]
        each = ours[1] * MICRO / filled.messages
        if protocol in before:
            yield Figure(
                f"spark.{name}: processor", each, "us", before[protocol], "linear: ratio about 1"
            )
        before[protocol] = each
        yield Figure(f"spark.{name}: driver", found[name]["driver_mb"], "MB", None, "flat")
