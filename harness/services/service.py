"""What a service is to those who use it: an address, and what it tells while it comes up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceEvent:
    """A service reached a state: `fetching`, `preparing`, `starting`, `ready`, `stopped`.

    `done` and `total` are bytes while fetching; `seconds` is how long a finished state took. Events
    come from several threads, one at a time.
    """

    service: str
    state: str
    detail: str = ""
    seconds: float | None = None
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Kafka:
    """A Kafka broker without authentication; `bootstrap` is `host:port`."""

    bootstrap: str

    def __str__(self) -> str:
        """Return the address to show to a person."""
        return self.bootstrap


@dataclass(frozen=True, slots=True)
class MariaDb:
    """A MariaDB server and a user who may do everything there."""

    host: str
    port: int
    user: str
    password: str

    @property
    def url(self) -> str:
        """Return the address as `--upstream` takes it."""
        return f"mysql://{self.user}:{self.password}@{self.host}:{self.port}/"

    def __str__(self) -> str:
        """Return the address to show to a person, without the password."""
        return f"{self.host}:{self.port}"
