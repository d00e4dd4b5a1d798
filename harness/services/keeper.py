"""The keeper of a warm set: `python -m harness.services.keeper DIRECTORY IDLE_HOURS NAME…`.

It starts the services, writes where they are, and waits: for SIGTERM, for its state file to vanish
or to become another's, for a service to die, or for nobody to have come by for `IDLE_HOURS` (0: it
does not mind).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from harness.errors import HarnessError
from harness.services import warm
from harness.services.running import Services, start
from harness.services.service import Address, Kafka

LOOK_AROUND_S = 1.0
HOUR_S = 3600.0


def main(arguments: Sequence[str]) -> int:
    """Keep the services until there is a reason to end; return the exit code."""
    directory, idle_hours, names = Path(arguments[0]), float(arguments[1]), arguments[2:]
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: ended.set())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        data = directory / "data"
        with start(names, run_dir=data, on_event=lambda _: None, lasting=True) as services:
            state = warm.State(
                os.getpid(),
                psutil.Process().create_time(),
                warm.made_from(),
                idle_hours,
                {name: _shared(services.address(name)) for name in names},
            )
            (directory / warm.USED).touch()
            warm.write(directory, state)
            _keep(directory, state, services, ended)
    except HarnessError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit_code)
    finally:
        state_now = warm.read(directory)
        if state_now is not None and state_now.pid == os.getpid():
            (directory / warm.STATE).unlink(missing_ok=True)
    return 0


def _shared(address: Address) -> Address:
    """Say that a broker outlives a run, so that runs take their topics away."""
    return replace(address, shared=True) if isinstance(address, Kafka) else address


def _keep(directory: Path, state: warm.State, services: Services, ended: threading.Event) -> None:
    while not ended.wait(LOOK_AROUND_S):
        services.check()
        now = warm.read(directory)
        if now is None or now.pid != state.pid:
            return
        if state.idle_hours and _idle_s(directory) > state.idle_hours * HOUR_S:
            sys.stderr.write(f"ended: no run for {state.idle_hours:g} hours\n")
            return


def _idle_s(directory: Path) -> float:
    try:
        return time.time() - (directory / warm.USED).stat().st_mtime
    except OSError:  # it was removed, and we are about to be
        return 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
