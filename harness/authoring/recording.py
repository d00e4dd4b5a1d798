"""Recording: SQL on a real database, once; then the goldens that follow from it.

The lock is written by `harness.record`, whole or not at all. Goldens follow from lock and
scenario; when the author's expectations do not hold, all stays as it was, and the message says what
the database did instead.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engine.catalogue import golden
from harness.engine.catalogue.plans import golden_differences
from harness.engine.catalogue.workspace import Workspace
from harness.engine.run.preflight import service_changed
from harness.errors import Problem, ScenarioError
from harness.model.events import ServiceChanged
from harness.record.lock import lock_path
from harness.record.recorder import record
from harness.record.server import Upstream
from harness.scenario.document import Scenario
from harness.services import Source, start


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a recording wrote for one scenario; empty when everything was as it is."""

    scenario: Scenario
    written: tuple[Path, ...]
    problems: tuple[Problem, ...] = ()


@contextmanager
def embedded_upstream(
    run_dir: Path, on_event: Callable[[ServiceChanged], None], source: Source | None = None
) -> Generator[Upstream]:
    """Start the database for a recording, or find the one that `source` knows of."""
    source = source or Source()
    with start(
        ["mariadb"],
        run_dir=run_dir,
        on_event=lambda event: on_event(service_changed(event)),
        settings=source.settings,
        warm=source.warm,
    ) as services:
        server = services.mariadb
        with services.blamed():
            yield Upstream(server.host, server.port, server.user, server.password)


def record_all(
    space: Workspace,
    scenarios: Sequence[Scenario],
    upstream: Upstream,
    on_recorded: Callable[[Recorded], None],
) -> tuple[Recorded, ...]:
    """Record scenarios one after another; a scenario's problems do not stop the others."""
    results: list[Recorded] = []
    for scenario in scenarios:
        one = _record(space, scenario, upstream)
        on_recorded(one)
        results.append(one)
    return tuple(results)


def _record(space: Workspace, scenario: Scenario, upstream: Upstream) -> Recorded:
    lock = lock_path(scenario, space.golden)
    before = lock.read_bytes() if lock.is_file() else None
    try:
        record(scenario, upstream, space.golden)
    except ScenarioError as error:
        return Recorded(scenario, (), error.problems)
    written: list[Path] = [] if lock.read_bytes() == before else [lock]
    try:
        found = golden_differences(space, (scenario,), expectations=True)
    except ScenarioError as error:
        _as_before(lock, before, space.golden)
        hint = (
            "nothing was recorded; correct the SQL, or the expectation: rows that are named here"
            " and right may be pasted there"
        )
        return Recorded(scenario, (), tuple(replace(one, hint=hint) for one in error.problems))
    return Recorded(scenario, (*written, *golden.accept(found)))


def _as_before(lock: Path, before: bytes | None, root: Path) -> None:
    """Put a lock back as it was; without one, take its empty directories away as well."""
    if before is not None:
        lock.write_bytes(before)
        return
    lock.unlink()
    for home in lock.parents:
        if home == root.parent or any(home.iterdir()):
            break
        home.rmdir()
