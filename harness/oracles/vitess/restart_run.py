"""Restarts, in batches: started, stopped at their places, looked at, started again, compared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from harness.errors import plural
from harness.oracles.freedoms import UNACKNOWLEDGED
from harness.oracles.vitess.configuration import configuration
from harness.oracles.vitess.restarts import Restart, from_stored, stored_form
from harness.oracles.vitess.run import (
    BATCH,
    BATCH_S,
    BROKEN,
    POLL_S,
    SETTLE_S,
    Ends,
    PlayResult,
    Span,
    Stand,
    at_once,
    check_any_started,
    check_served,
    judge,
    patience,
    sent,
)
from harness.oracles.vitess.vtgate import Script

# A transform that fails at a record without a value, and the predicate that keeps it to these.
FAILING: Final = "oracleFails"
TOMBSTONE: Final = "oracleTombstone"
TRANSFORM: Final = "org.apache.kafka.connect.transforms.ValueToKey"
PREDICATE: Final = "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"


@dataclass(slots=True)
class RestartResult:
    """What came of a restart: the play's result, and what differs beside its records.

    `lost` says that transport broke before the stop: what is stored and asked then says nothing.
    """

    restart: Restart
    result: PlayResult
    freedoms: set[str] = field(default_factory=set[str])
    beside: list[str] = field(default_factory=list[str])
    lost: bool = False

    @property
    def equal(self) -> bool:
        """Return whether the connector stored, asked and sent what ours does."""
        return self.result.equal and not self.beside

    @property
    def broken(self) -> bool:
        """Return whether transport broke, which says nothing."""
        return self.lost or self.result.broken


def restarted(stand: Stand, planned: Sequence[Restart]) -> Iterator[RestartResult]:
    """Run restarts in batches; yield each with what came of it."""
    for start in range(0, len(planned), BATCH):
        yield from _Batch(stand, planned[start : start + BATCH]).run()


class _Batch:
    """Restarts side by side."""

    def __init__(self, stand: Stand, planned: Sequence[Restart]) -> None:
        self.stand = stand
        self.planned = {one.play.name: one for one in planned}
        self.found = {
            name: RestartResult(one, PlayResult(one.play)) for name, one in self.planned.items()
        }
        self.scripts = {name: _script(one) for name, one in self.planned.items()}
        self.ports: dict[str, int] = {}

    def run(self) -> Iterator[RestartResult]:
        began = time.time_ns()
        try:
            self._each(self._create)
            check_any_started(self.stand, [one.result for one in self.found.values()])
            self._look(self._wait(self._is_cut))
            self._each(self._stop)
            self._each(self._go_on)
            ends = self._wait(self._is_over)
            for name, cause in self._failures().items():
                self.found[name].result.failed = cause
            for name in self.planned:
                self.stand.worker.delete(name)
        finally:
            self.stand.gates.stop()
        span = Span(began, time.time_ns())
        for name, one in self.found.items():
            judge(self.stand, one.result, ends[name], span)
            one.result.comparison.freedoms |= one.freedoms
            self._compare_asked(name)
            yield one
        self.stand.topics.remove(place for each in ends.values() for place in each)

    def _each(self, action: Callable[[str], None]) -> None:
        at_once(action, [n for n, one in self.found.items() if not one.result.refused])

    def _create(self, name: str) -> None:
        self.ports[name] = self.stand.gates.play(self.scripts[name])
        config = self._config(name)
        if self.planned[name].fails:
            config = failing(config)
        self.found[name].result.refused = self.stand.worker.create(name, config) or ""

    def _config(self, name: str) -> dict[str, str]:
        settings = self.planned[name].play.settings
        return configuration(settings, name, self.ports[name], self.stand.registry)

    def _look(self, ends: Mapping[str, Ends]) -> None:
        """Look at what came of each connector before its stop."""
        failed = self._failures()
        for name, one in self.found.items():
            cause = failed.get(name, "")
            cut = bool(cause) if one.restart.fails else self._is_sent(name, ends[name])
            # A connector may also wait for ever for the rest of what is no message.
            one.lost = bool(BROKEN.search(cause)) or not (cut or cause or one.result.refused)
            if one.lost or (cause and not one.restart.fails):
                count, awaited = sent(one.restart.play, ends[name]), one.restart.awaited
                one.beside.append(
                    f"before the stop: {count} of {plural(awaited, 'message')}; {cause[:400]}"
                )

    def _stop(self, name: str) -> None:
        """Stop a connector, and compare what is stored with ours."""
        theirs = self.stand.worker.stored(name, self._config(name))
        planned = self.planned[name]
        ours = stored_form(planned.stored)
        if planned.fails and theirs != ours:
            earlier = from_stored(planned, theirs)
            if earlier is not None:
                self.planned[name], ours = earlier, stored_form(earlier.stored)
                result, lost = PlayResult(earlier.play), self.found[name].lost
                self.found[name] = RestartResult(earlier, result, {UNACKNOWLEDGED}, lost=lost)
        self.found[name].beside += _differing("stored", ours, theirs)

    def _go_on(self, name: str) -> None:
        self.scripts[name].stopped = True
        self.found[name].result.refused = self.stand.worker.create(name, self._config(name)) or ""

    def _compare_asked(self, name: str) -> None:
        """Compare the positions that the restarted tasks asked for with ours."""
        ours = {
            ",".join(one.shard for one in position.shards): {
                one.shard: one.gtid for one in position.shards
            }
            for position in self.planned[name].asked
        }
        theirs = {",".join(asked): asked for asked in self.scripts[name].asked}
        self.found[name].beside += _differing("asked", ours, theirs)

    def _is_cut(self, name: str, ends: Ends) -> bool:
        one = self.planned[name]
        if one.fails:
            return name in self._failures()
        return self._is_sent(name, ends)

    def _is_sent(self, name: str, ends: Ends) -> bool:
        one = self.planned[name]
        return self.scripts[name].all_sent and sent(one.play, ends) >= one.awaited

    def _is_over(self, name: str, ends: Ends) -> bool:
        one = self.planned[name].play
        opened = len(self.scripts[name].asked) >= len(self.planned[name].asked)
        return opened and sent(one, ends) >= one.awaited

    def _failures(self) -> Mapping[str, str]:
        failed = {
            name: failure.cause
            for name, failure in self.stand.worker.failures().items()
            if name in self.found
        }
        for name, cause in failed.items():
            check_served(self.stand, name, self.ports[name], cause)
        return failed

    def _wait(self, is_over: Callable[[str, Ends], bool]) -> Mapping[str, Ends]:
        """Wait until every restart is so far and nothing moves; return the partitions' ends."""
        waiting, began = threading.Event(), time.monotonic()
        moved, before = began, -1
        idle = patience(one.play for one in self.planned.values())
        while True:
            waiting.wait(POLL_S)
            ends = self.stand.topics.ends(self.found)
            now = time.monotonic()
            total = sum(sent(one.play, ends[name]) for name, one in self.planned.items())
            total += sum(len(one.sent) + len(one.asked) for one in self.scripts.values())
            if total != before:
                moved, before = now, total
            quiet = now - moved
            whole = quiet > SETTLE_S and all(
                one.result.refused or is_over(name, ends[name]) for name, one in self.found.items()
            )
            if whole or quiet > idle or now - began > BATCH_S:
                return ends


def failing(config: Mapping[str, str]) -> dict[str, str]:
    """Return a configuration whose task fails at its first tombstone, as at a broken transform.

    Connect stores what was sent before the failure, which may be half a transaction.
    """
    listed = {key: config.get(key, "") for key in ("transforms", "predicates")}
    return {
        **config,
        "transforms": ",".join(filter(None, (FAILING, listed["transforms"]))),
        f"transforms.{FAILING}.type": TRANSFORM,
        f"transforms.{FAILING}.fields": "none",
        f"transforms.{FAILING}.predicate": TOMBSTONE,
        "predicates": ",".join(filter(None, (TOMBSTONE, listed["predicates"]))),
        f"predicates.{TOMBSTONE}.type": PREDICATE,
    }


def _script(one: Restart) -> Script:
    script = one.play.script()
    script.whole, script.responses = script.responses, one.first
    return script


def _differing(what: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*ours, *theirs}):
        if ours.get(name) != theirs.get(name):
            yield f"{what} {name}: ours {ours.get(name)} | theirs {theirs.get(name)}"
