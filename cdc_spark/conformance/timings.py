"""Where the time of a run went, for the bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdc_spark.conformance import source
from cdc_spark.conformance.job import Job


class Stopwatch:
    """Laps by name, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start now, by a monotonic clock."""
        self._clock = clock
        self.started = self._last = clock()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Give the time since the last lap a name."""
        now = self._clock()
        self.laps[name] = now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Return the time from the start to the last lap."""
        return self._last - self.started


def report(job: Job, batches: Sequence[Mapping[str, Any]], watch: Stopwatch) -> dict[str, Any]:
    """Return the times of a run in seconds; state and decoding share the stream's time.

    Spark sums the time of stateful updates over its tasks, which run side by side: each has a
    partition of the state.
    """
    state_ms = sum(
        (operator["allUpdatesTimeMs"] + operator["commitTimeMs"])
        / max(operator["numShufflePartitions"], 1)
        for batch in batches
        for operator in batch["stateOperators"]
    )
    state = state_ms / 1000
    adding = sum(batch["durationMs"].get("addBatch", 0) for batch in batches) / 1000
    return {
        "changefeeds": len(job.changefeeds),
        "partitions": sum(len(parts) for parts in source.offsets(job).values()),
        "messages": sum(batch["numInputRows"] for batch in batches),
        "batches": len(batches),
        "session_s": round(watch.laps.get("session", 0.0), 3),
        "stream_s": round(watch.laps.get("stream", 0.0), 3),
        "read_decode_s": round(max(0.0, adding - state), 3),
        "state_s": round(state, 3),
        "results_s": round(watch.laps.get("results", 0.0), 3),
        "total_s": round(watch.total, 3),
    }
