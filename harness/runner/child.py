"""What the runner asks of a consumer that it started, be it a process or a container."""

from __future__ import annotations

from typing import Protocol


class Child(Protocol):
    """A started command: `harness.process.Guarded`, or `container.Contained`."""

    @property
    def pid(self) -> int:
        """Return its process id on this machine."""
        ...

    def poll(self) -> int | None:
        """Return the exit status as `subprocess` does (-9 for SIGKILL), None while it runs."""
        ...

    def wait(self, timeout_s: float, /) -> int:
        """Return the exit status; raises TimeoutError when it still runs after the timeout."""
        ...

    def signal(self, signum: int, /) -> None:
        """Send a signal to all of it; nothing happens when it has ended."""
        ...

    def stop(self, grace_s: float, /) -> int:
        """End it, with SIGKILL after the grace period, and leave nothing behind."""
        ...
