"""What can be seen of a consumer from outside: its connections, and the position it commits."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import psutil
from confluent_kafka import Consumer, KafkaException, TopicPartition

from harness.engine.deliver.topics import WARNINGS

ASK_TIMEOUT_S = 5.0


class Progress:
    """One consumer group on one broker, as others see it."""

    def __init__(
        self, client: Mapping[str, str], group: str, places: Sequence[tuple[str, int]]
    ) -> None:
        """Take a client's properties, the group of the job, and its topics' partitions."""
        self._client = client
        self._places = places
        # One that asks for the group's position without being a member of it.
        self._asker: Any = None
        self._group = group
        servers = client["bootstrap.servers"].split(",")
        self._ports = {int(server.rpartition(":")[2]) for server in servers}
        self._pids: tuple[int, ...] = ()
        self._connected_at: float | None = None
        self._position = 0
        self.commits = 0

    def connected_at(self, pids: Sequence[int]) -> float | None:
        """Return since when these processes (or their children) talk to the broker."""
        if tuple(pids) != self._pids:
            self._pids, self._connected_at = tuple(pids), None
        if self._connected_at is None and any(map(self._is_connected, pids)):
            self._connected_at = time.monotonic()
        return self._connected_at

    def look(self) -> int:
        """Ask for the committed position; return how often it was seen to grow."""
        position = self._asked()
        if position > self._position:
            self._position = position
            self.commits += 1
        return self.commits

    def _is_connected(self, pid: int) -> bool:
        try:
            parent = psutil.Process(pid)
            return any(
                there.raddr and there.raddr.port in self._ports
                for process in [parent, *parent.children(recursive=True)]
                for there in process.net_connections("tcp")
            )
        except psutil.Error:  # it has just ended
            return False

    def _asked(self) -> int:
        """Return the sum of the group's committed offsets, 0 as long as it has none."""
        if self._asker is None:
            conf = {"log_level": WARNINGS, "group.id": self._group}
            self._asker = Consumer({**self._client, **conf})
        wanted = [TopicPartition(*there) for there in self._places]
        try:
            found = self._asker.committed(wanted, ASK_TIMEOUT_S)
        except KafkaException:  # no coordinator yet
            return 0
        return sum(max(there.offset, 0) for there in found)
