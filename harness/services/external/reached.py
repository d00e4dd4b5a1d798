"""A service that somebody else runs: it is asked now and then whether it still answers."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.errors import SetupError
from harness.services.service import Address

CONNECT_TIMEOUT_S = 3.0
ASK_EVERY_S = 0.5  # the runner asks many times a second; a server need not hear each of them


@dataclass(slots=True)
class Reached:
    """A service behind one or more `(host, port)`; one that takes a connection is enough."""

    name: str
    address: Address
    places: Sequence[tuple[str, int]]
    _asked: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def check(self) -> None:
        """Raise SetupError when no place takes a connection any more."""
        with self._lock:
            if time.monotonic() - self._asked < ASK_EVERY_S:
                return
            problems = [problem for place in self.places if (problem := refusal(*place))]
            if len(problems) == len(self.places):
                raise SetupError(
                    f"{self.name} at {self.address} stopped answering: {problems[0]}",
                    hint="nothing was judged; look at that server, then run again",
                )
            self._asked = time.monotonic()

    def stop(self) -> None:
        """Leave it as it is."""


def refusal(host: str, port: int, timeout_s: float = CONNECT_TIMEOUT_S) -> str:
    """Return why nothing takes a connection there, "" when something does."""
    try:
        socket.create_connection((host, port), timeout=timeout_s).close()
    except OSError as error:
        return f"{host}:{port}: {error}"
    return ""
