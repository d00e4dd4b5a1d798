"""What a consumer fetched: a thin relay before the broker that counts what is handed out.

It is true for clients in any language, with or without a group and commits, because it looks at
Kafka's own answers. Messages are passed on as they are; only the port in the answers that name the
broker is this relay's, so that clients come back here. One thread serves all connections.
"""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Callable, Collection, Generator, Iterable
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from uuid import UUID

from harness.services.kafka_frames import (
    FETCH,
    LIST_OFFSETS,
    PORTS,
    Topic,
    asked_for,
    handed_out,
    ports,
)
from harness.services.service import Kafka

LOOPBACK = "127.0.0.1"
LARGEST = 256 << 20  # bytes of one message; what is larger is no Kafka
HEADER = struct.Struct(">hhi")  # API, version, correlation id
TIMEOUT_S = 30.0


class Fetches:
    """How far each partition was handed out, by topic (its name or id) and partition.

    After a restart of the client also from where it was asked for, for the first time since then.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._ends: dict[tuple[Topic, int], int] = {}
        self._before: dict[tuple[Topic, int], int] = {}
        self._asked: dict[tuple[Topic, int], int] = {}
        self._lock = threading.Lock()
        self.begun = threading.Event()  # a client has asked for messages, or where they end
        self.handed = threading.Event()  # a client was handed messages

    def ask(self, found: Iterable[tuple[Topic, int, int]]) -> None:
        """Keep the lowest offsets that requests ask for."""
        with self._lock:
            for topic, partition, offset in found:
                place = (topic, partition)
                self._asked[place] = min(offset, self._asked.get(place, offset))

    def restarted(self, topics: Collection[Topic]) -> None:
        """Take what was handed out of these topics by now for what was known before a restart.

        A topic is there by its name and by its id, as clients name it.
        """
        with self._lock:
            ends = {place: end for place, end in self._ends.items() if place[0] in topics}
            self._before |= ends
            self._asked = {at: one for at, one in self._asked.items() if at[0] not in topics}

    def again_from(self, name: str, identity: UUID | None, partition: int) -> int | None:
        """Return from where on a partition was asked for since the restart.

        None where nothing had been handed out before it; the end, where nothing was asked for.
        """
        named: list[Topic] = [name] if identity is None else [name, identity.bytes]
        with self._lock:
            before = max(self._before.get((topic, partition), 0) for topic in named)
            asked = [
                self._asked[topic, partition]
                for topic in named
                if (topic, partition) in self._asked
            ]
        return min(asked, default=before) if before else None

    def add(self, found: Iterable[tuple[Topic, int, int]]) -> None:
        """Count what a response hands out."""
        with self._lock:
            for topic, partition, end in found:
                place = (topic, partition)
                self._ends[place] = max(end, self._ends.get(place, 0))
                self.handed.set()

    def end(self, name: str, identity: UUID | None, partition: int) -> int:
        """Return the offset behind the last one that was handed out; 0 for none."""
        named: list[Topic] = [name] if identity is None else [name, identity.bytes]
        with self._lock:
            return max(self._ends.get((topic, partition), 0) for topic in named)

    def forget(self) -> None:
        """Count from the beginning, for another reading of the same topics."""
        with self._lock:
            self._ends.clear()
            self._before.clear()
            self._asked.clear()


class Connection:
    """One client's connection: what it asks, and what each answer is about."""

    def __init__(self, broker: tuple[str, int], own_port: int, fetches: Fetches) -> None:
        """Take where the broker is, and where we are."""
        self._broker = broker
        self._own_port = own_port
        self._fetches = fetches
        self._asked: dict[int, tuple[int, int]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay until either side ends."""
        writers = [writer]
        try:
            there, back = await asyncio.open_connection(*self._broker)
            writers.append(back)
            ways = [
                asyncio.ensure_future(_relay(reader, back, self._request)),
                asyncio.ensure_future(_relay(there, writer, self._response)),
            ]
            _, pending = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in pending:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # the broker is away, as the client would see without us; or the run is over
        finally:
            for one in writers:
                one.close()

    def _request(self, frame: bytearray) -> None:
        api, version, correlation = HEADER.unpack_from(frame)
        if api == FETCH or api in PORTS:
            self._asked[correlation] = (api, version)
        if api in {FETCH, LIST_OFFSETS}:
            self._fetches.begun.set()
        if api == FETCH:
            self._fetches.ask(asked_for(version, frame))

    def _response(self, frame: bytearray) -> None:
        api, version = self._asked.pop(int.from_bytes(frame[:4], "big", signed=True), (-1, 0))
        if api == FETCH:
            self._fetches.add(handed_out(version, frame))
        elif api in PORTS:
            for at in ports(api, version, frame):
                if int.from_bytes(frame[at : at + 4], "big") == self._broker[1]:
                    frame[at : at + 4] = self._own_port.to_bytes(4, "big")


async def _relay(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    look: Callable[[bytearray], None],
) -> None:
    """Pass messages on, each when it is whole; what is no message ends the connection."""
    with suppress(asyncio.IncompleteReadError, OSError, struct.error, IndexError, ValueError):
        while True:
            head = await reader.readexactly(4)
            size = int.from_bytes(head, "big", signed=True)
            if not 0 <= size <= LARGEST:
                return
            frame = bytearray(await reader.readexactly(size))
            look(frame)
            writer.write(head)
            writer.write(frame)
            await writer.drain()


@contextmanager
def counted(kafka: Kafka) -> Generator[tuple[Kafka, Fetches]]:
    """Yield the broker behind a relay of its own, and what is fetched through it.

    `kafka` is one broker on this machine without encryption.
    """
    host, _, port = kafka.bootstrap.rpartition(":")
    fetches = Fetches()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fetches", daemon=True)
    thread.start()
    try:
        server: Future[asyncio.Server] = asyncio.run_coroutine_threadsafe(
            _served((host, int(port)), fetches), loop
        )
        running = server.result(TIMEOUT_S)
        own = int(running.sockets[0].getsockname()[1])
        properties = {k: v for k, v in kafka.properties.items() if k != "bootstrap.servers"}
        try:
            yield replace(kafka, bootstrap=f"{LOOPBACK}:{own}", properties=properties), fetches
        finally:
            asyncio.run_coroutine_threadsafe(_ended(running), loop).result(TIMEOUT_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(TIMEOUT_S)
        loop.close()


async def _served(broker: tuple[str, int], fetches: Fetches) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = int(writer.get_extra_info("sockname")[1])
        await Connection(broker, own, fetches).serve(reader, writer)

    return await asyncio.start_server(serve, LOOPBACK, 0, limit=1 << 22, backlog=512)


async def _ended(server: asyncio.Server) -> None:
    """Close the server and what is connected."""
    server.close()
    tasks = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
