"""A database, and a Connect worker whose connectors follow it into Kafka; what may befall them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from confluent_kafka import TopicPartition

from harness.errors import SetupError, plural
from harness.oracles.jars import OnEvent
from harness.oracles.mariadb.configuration import Configure, Connector, history
from harness.oracles.mariadb.run import (
    COPYING,
    MARKS,
    NO_MORE,
    STREAMING_S,
    Stand,
    filled,
    mark,
    marking,
    until_copying,
    worker_files,
)
from harness.oracles.topics import Topics, consumed
from harness.oracles.worker import WorkerFiles, working
from harness.record.server import Server, SqlError, Upstream
from harness.services import Services
from harness.sources.mysql.simulator import BROKEN_OFF, SECOND

ZONE: Final = "UTC"
POLL_S: Final = 0.05
STORED_S: Final = 30.0
CAUGHT_UP_S: Final = 180.0  # a connector that lost its server waits before it tries again
COPIED: Final = f"{MARKS}.marks"
# A copy ends with the table of markers, which sorts last: there it waits until it is broken off.
WAITS: Final = 600
# Rows are read at the second at which those of the log are written, and not years after them.
AT: Final = "driver.sessionVariables"
AGAIN: Final[Mapping[str, str]] = {**COPYING, AT: f"timestamp={SECOND}"}
HELD: Final[Mapping[str, str]] = {
    **COPYING,
    AT: f"timestamp={BROKEN_OFF}",
    "snapshot.select.statement.overrides": COPIED,
    f"snapshot.select.statement.overrides.{COPIED}": (
        f"SELECT * FROM {COPIED} WHERE SLEEP({WAITS}) = 0"  # noqa: S608 - our own name
    ),
}
COPYISTS: Final = (
    "SELECT id FROM information_schema.processlist"  # noqa: S608 - our own number
    f" WHERE info LIKE '%WHERE SLEEP({WAITS})%' AND id <> CONNECTION_ID()"
)
READERS: Final = "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"
NUMBER: Final = re.compile(rb'"after":\{"n":(\d+)\}')


@dataclass(slots=True)
class Producer:
    """What fills the topics. `stand` is another one after each restart of a part of it."""

    services: Services
    files: WorkerFiles
    directory: Path
    env: Mapping[str, str]
    stand: Stand
    worker: ExitStack
    sessions: ExitStack

    def kill_connectors(self) -> None:
        """Kill the worker with SIGKILL, once the connectors have stored a place to go on from."""
        deadline, waiting = time.monotonic() + STORED_S, threading.Event()
        names = list(self.stand.connectors.values())
        while not all(map(self.stand.worker.offsets, names)) and not self.stand.failed():
            if time.monotonic() > deadline:
                raise self.stand.worker.unusable("no connector stores a place to go on from")
            waiting.wait(POLL_S)
        self.stand.worker.kill()
        self.worker.close()

    def restart_connectors(self, more: Mapping[str, str] = NO_MORE) -> None:
        """Start the worker and its connectors again, each from the place that is stored for it.

        `more` is put into their configurations.
        """
        bootstrap = self.services.kafka.bootstrap
        again = working(self.files, self.directory / "worker", bootstrap, ZONE, self.env)
        worker = self.worker.enter_context(again)
        self.stand = replace(self.stand, worker=worker)
        for play, name in self.stand.connectors.items():
            self.stand.create(play, name, more)

    def begin_copies(self) -> None:
        """Start connectors that copy what is there, and wait until they have sent all rows of it.

        Each holds two rows back, and is still within its copy. One that fails is left alone.
        """
        stand = self.stand
        mark(stand)
        for play, name in stand.connectors.items():
            stand.create(play, name, HELD)
        deadline, waiting = time.monotonic() + STREAMING_S, threading.Event()
        while len(stand.server.rows(COPYISTS)) < len(stand.connectors) and not stand.failed():
            if time.monotonic() > deadline:
                raise stand.worker.unusable(f"no connector copies within {STREAMING_S:g} s")
            waiting.wait(POLL_S)
        filled(stand, stand.connectors.values())

    def break_copies_off(self) -> None:
        """Kill the connectors in their copies, and what of these the server still does."""
        self.kill_connectors()
        server, waiting = self.stand.server, threading.Event()
        while threads := server.rows(COPYISTS):
            self.services.check()
            for (thread,) in threads:
                with suppress(SqlError):  # it may be gone by now
                    server.run(f"KILL {(thread or b'').decode()}")
            waiting.wait(POLL_S)

    def copy_again(self) -> None:
        """Start the connectors again, and wait until each has chosen what it copies."""
        stand = self.stand
        stand.server.run(f"TRUNCATE TABLE {COPIED}")
        before = stand.topics.ends(stand.connectors.values())
        self.restart_connectors(AGAIN)
        until_copying(self.stand, before)

    def lose_history(self) -> None:
        """Remove what the connectors, which do not run, know of the tables' shapes."""
        for name in self.stand.connectors.values():
            history(self.stand.directory, name).unlink()

    def restart_database(self) -> None:
        """End the server and start it again on its data; connectors have to find it again."""
        self.services.halt("mariadb")
        self.services.revive("mariadb")
        server = Server(self.stand.server.upstream)
        self.sessions.callback(server.close)
        self.stand = replace(self.stand, server=server)

    def purge_log(self) -> None:
        """Remove all of the server's log but a new and empty last file."""
        server, waiting = self.stand.server, threading.Event()
        server.run("FLUSH BINARY LOGS")
        deadline = time.monotonic() + STORED_S
        while len(logs := server.rows("SHOW BINARY LOGS")) > 1:
            if time.monotonic() > deadline:
                raise SetupError(
                    f"the database keeps {plural(len(logs), 'file')} of its log",
                    expected="one, since the others are to be purged",
                    hint="run again: a session that reads them holds them",
                )
            # What a killed connector was sent last keeps its file in use.
            for (thread,) in server.rows(READERS):
                with suppress(SqlError):  # it may be gone by now
                    server.run(f"KILL {(thread or b'').decode()}")
            server.run(f"PURGE BINARY LOGS TO '{(logs[-1][0] or b'').decode()}'")
            waiting.wait(POLL_S)

    def caught_up(self) -> Mapping[str, str]:
        """Wait until each connector has sent all, or has failed; return why, by their plays.

        A marker is known by its number: an older one may be sent again.
        """
        stand = self.stand
        mark(stand)
        number = int(stand.server.value(f"SELECT MAX(n) FROM {MARKS}.marks"))  # noqa: S608
        deadline, waiting = time.monotonic() + CAUGHT_UP_S, threading.Event()
        failed: Mapping[str, str] = {}
        silent = dict(stand.connectors)
        while silent:
            self.services.check()
            failed = stand.failed()
            silent = {
                play: name
                for play, name in silent.items()
                if play not in failed and self._last_mark(name) < number
            }
            if silent and time.monotonic() > deadline:
                raise stand.worker.unusable(f"a connector is silent for {CAUGHT_UP_S:g} s")
            waiting.wait(POLL_S if silent else 0)
        return failed

    def _last_mark(self, name: str) -> int:
        """Return the number of the last marker that a connector has sent."""
        place = TopicPartition(f"{name}.{MARKS}.marks", 0)
        # Listed, so that a topic which came after the last listing is known.
        ends = self.stand.topics.ends([name])[name]
        found = consumed(self.services.kafka.client, {place: ends.get(place, 0)})
        numbers = [NUMBER.search(one.value or b"") for one in found[-1:]]
        return max((int(one[1]) for one in numbers if one), default=0)


@contextmanager
def producing(
    services: Services,
    directory: Path,
    env: Mapping[str, str],
    on_event: OnEvent,
    followed: tuple[Connector, Configure],
) -> Generator[Producer]:
    """Yield a producer over running services; it follows nothing yet."""
    address = services.mariadb
    upstream = Upstream(address.host, address.port, address.user, address.password)
    connector, configure = followed
    files = worker_files(connector, on_event, env)
    with marking(upstream) as server, ExitStack() as sessions, ExitStack() as worker:
        bootstrap = services.kafka.bootstrap
        running = worker.enter_context(working(files, directory / "worker", bootstrap, ZONE, env))
        stand = Stand(server, running, Topics(services.kafka.client), directory, configure)
        yield Producer(services, files, directory, env, stand, worker, sessions)


@dataclass(frozen=True, slots=True)
class LiveFault:
    """What befalls the producer in the middle of a scenario's steps.

    `strike` is done after the first half of them, `recover` after the second. Of one that `loses`,
    the second half never reaches the topics, and the connector has to fail; it says why. One that
    `restates` has the connector tell again what made the tables, which nobody predicts. One that
    `copies` has the connector start with a copy, behind a first part of the steps; it is struck
    there, and recovers in the middle of the rest.
    """

    says: str
    strike: Callable[[Producer], None]
    recover: Callable[[Producer], None] = lambda _: None
    loses: str = ""
    restates: bool = False
    copies: bool = False


def _purged(producer: Producer) -> None:
    producer.purge_log()
    producer.restart_connectors()


def _without_history(producer: Producer) -> None:
    producer.lose_history()
    producer.restart_connectors()


def _recovering(producer: Producer) -> None:
    producer.kill_connectors()
    producer.lose_history()
    producer.restart_connectors({"snapshot.mode": "recovery"})


LIVE_FAULTS: Final[Mapping[str, LiveFault]] = {
    "connector-killed": LiveFault(
        "The connector is killed; the rest is written while it is down, and it is started again.",
        Producer.kill_connectors,
        Producer.restart_connectors,
    ),
    "database-restarted": LiveFault(
        "The database is ended and started again under the connector.", Producer.restart_database
    ),
    "binlog-purged": LiveFault(
        "The connector is killed, the rest is written and purged from the log before it is back.",
        Producer.kill_connectors,
        _purged,
        loses="what it had not read was purged from the log",
    ),
    "history-lost": LiveFault(
        "The connector is killed, and its schema history is gone when it is back.",
        Producer.kill_connectors,
        _without_history,
        loses="its schema history was gone",
    ),
    "history-recovered": LiveFault(
        "The connector is killed, its schema history is lost, and it is started again in the mode "
        "`recovery`, which reads the tables as they are.",
        _recovering,
        restates=True,
    ),
    "snapshot-broken-off": LiveFault(
        "The connector starts with a copy of what is there, is killed in the middle of it, and "
        "begins it anew when more has been written.",
        Producer.break_copies_off,
        Producer.copy_again,
        copies=True,
    ),
}
