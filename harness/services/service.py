"""What a service is to those who use it: an address, and what it reports while it comes up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ServiceEvent:
    """A service reached a state: `fetching`, `preparing`, `starting`, `ready`, `stopped`.

    `continued` is one that somebody had halted by a signal.

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
    """A Kafka cluster; `bootstrap` is `host:port`, or several with commas between.

    `properties` is what else a client must be given, under librdkafka's names. A `shared` cluster
    outlives the run: what the run creates there, it must take away.
    """

    bootstrap: str
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    shared: bool = False

    @property
    def client(self) -> dict[str, str]:
        """Return a client's properties, under librdkafka's names."""
        plain = {"bootstrap.servers": self.bootstrap, "security.protocol": "PLAINTEXT"}
        return {**plain, **self.properties}

    def __str__(self) -> str:
        """Return the address to show to a person."""
        return self.bootstrap


@dataclass(frozen=True, slots=True)
class Registry:
    """A Confluent-compatible schema registry; `ca` is a file of certificates, "" for the usual."""

    url: str
    user: str = ""
    password: str = ""
    ca: str = ""

    def __str__(self) -> str:
        """Return the address to show to a person."""
        return self.url


@dataclass(frozen=True, slots=True)
class MariaDb:
    """A MySQL-compatible server (MariaDB unless set otherwise), and who we are there."""

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


Address = Kafka | Registry | MariaDb


class Up(Protocol):
    """A service that answers, wherever it comes from."""

    @property
    def address(self) -> Address:
        """Return where it is."""
        ...

    def check(self) -> None:
        """Raise SetupError when it is dead."""
        ...

    def stop(self) -> None:
        """End it, when it is ours to end."""
        ...
