"""Whole runs: what one case costs cold, what one more costs, and how much memory it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from harness.bench.command import Ran, harness, watched
from harness.bench.figure import Figure
from harness.engine.catalogue.workspace import RUNS

ONE = "dml.no-net-change"
ROLES = {"spark-driver": "org.apache.spark.deploy.SparkSubmit"}


def measure() -> Iterator[Figure]:
    """Yield the cold single case, the marginal case and the peaks of memory, for Spark."""
    one, one_phases = _certify("-k", ONE)
    every, phases = _certify()
    cases = len(orjson.loads(every.stdout)["cases"])
    session = _session_seconds()
    yield Figure("run.cold-one-case", one.seconds, "s")
    yield Figure("run.spark-session", session, "s")
    # What is not the consumer's: services, planning, producing, judging, and Python's own start.
    own = one.seconds - one_phases["consume"]
    yield Figure("run.harness-share", own, "s", None, "< 3 s")
    # And with the query itself, whose first micro-batch also pays for Spark's cold code paths.
    yield Figure("run.beside-session", one.seconds - session, "s", None, "< 3 s, with the query")
    marginal = (phases["consume"] - one_phases["consume"]) / max(cases - 1, 1)
    yield Figure("run.marginal-case", marginal * 1000, "ms", None, "<= 60 ms on 2 cores")
    yield Figure("run.all-cases", every.seconds, "s")
    for role, megabytes in every.peak_mb.items():
        yield Figure(f"memory.{role}", megabytes, "MB")


def _certify(*arguments: str) -> tuple[Ran, Mapping[str, float]]:
    ran = watched(harness("certify", "spark", "--json", *arguments), ROLES)
    events = [orjson.loads(line) for line in _newest("events.ndjson").read_bytes().splitlines()]
    phases: dict[str, float] = {
        event["phase"]: event["seconds"] for event in events if event["event"] == "phase-finished"
    }
    return ran, phases


def _session_seconds() -> float:
    timings: dict[str, Any] = orjson.loads(_newest("timings.json").read_bytes())
    return float(timings["session_s"])


def _newest(name: str) -> Path:
    """Return the file of that name that was written last under the runs of this directory."""
    found = (Path.cwd() / RUNS / "runs").rglob(name)
    return max(found, key=lambda path: path.stat().st_mtime)
