"""How far each shard's binary log has come: one GTID set a shard, one VGTID over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from harness.errors import UsageError
from harness.model.vstream import ShardGtid

# The first server's uuid; each further shard's primary counts on from it.
_FIRST_SERVER = 0xAAAAAAAA
_STEP = 0x11111111
_TAIL = "0000-11ec-8e20-0242ac110004"
_NO_STARTS: Final[Mapping[str, str]] = MappingProxyType({})


class Position:
    """The GTID progress of one keyspace's shards, one transaction or DDL at a time."""

    def __init__(
        self, keyspace: str, shards: tuple[str, ...], starts: Mapping[str, str] = _NO_STARTS
    ) -> None:
        """Start before the first transaction of every shard.

        `starts` has the GTID sets behind which a connector follows some of them. Raises UsageError
        for one that is in no shard's log.
        """
        self._keyspace = keyspace
        self._counts: dict[str, int] = {}
        self._servers: dict[str, str] = {}
        # Of each shard the primaries that it had before, and how far each has written.
        self._past: dict[str, Mapping[str, int]] = {}
        self._given = 0
        self._starts: Mapping[str, int] = {}
        self.reshard(shards)
        self._starts = {shard: self._start(shard, gtid) for shard, gtid in starts.items()}

    def reshard(self, shards: tuple[str, ...]) -> None:
        """Follow other shards: those that stay keep their progress, new ones have new primaries."""
        self._servers = {shard: self._servers.get(shard) or self._primary() for shard in shards}
        self._counts = {shard: self._counts.get(shard, 0) for shard in shards}
        self._past = {shard: self._past.get(shard, {}) for shard in shards}
        self._starts = {shard: at for shard, at in self._starts.items() if shard in shards}

    def fail_over(self, *, lost: bool) -> None:
        """Give each shard another primary; its GTID set has the hosts before unless they are lost.

        Its first transaction is the journal of the change, so its own host stands at 1 by then.
        """
        for shard, server in self._servers.items():
            known = {} if lost else {**self._past[shard], server: self._number(shard)}
            self._past[shard] = known
        self._starts = {}
        self._servers = {shard: self._primary() for shard in self._servers}
        self._counts = dict.fromkeys(self._counts, 0)

    def _primary(self) -> str:
        number = (_FIRST_SERVER + self._given * _STEP) % (1 << 32)
        self._given += 1
        return f"{number:08x}-{_TAIL}"

    def advance(self, shard: str) -> tuple[ShardGtid, ...]:
        """Count one more commit on a shard; return the position behind it, over all shards.

        A shard that has committed nothing yet stands before its first transaction, which Vitess
        writes as a set that ends at 1: real primaries have logged their own set-up.
        """
        self._counts[shard] += 1
        return self.standing()

    def passed(self, shard: str) -> bool:
        """Count one more commit if it lies before the stream's start; return whether it does."""
        if self._counts[shard] + 1 >= self._starts.get(shard, 0):
            return False
        self._counts[shard] += 1
        return True

    def _start(self, shard: str, gtid: str) -> int:
        """Return the number that a GTID set ends at; UsageError for one of no shard's log."""
        log = f"MySQL56/{self._servers.get(shard)}:1-"
        number = gtid.removeprefix(log)
        if shard not in self._servers or number == gtid or not number.isdecimal():
            raise UsageError(
                f"`vitess.vgtid` starts shard {shard!r} at {gtid!r}, which is in no log that the "
                "connector follows",
                expected=", ".join(f"{name}: {gtid}" for name, gtid in self._logs()),
                hint="a shard's log is at 1-1 first; each DDL and each transaction counts 1",
            )
        return int(number)

    def _logs(self) -> Iterator[tuple[str, str]]:
        for shard, server in self._servers.items():
            yield shard, f"MySQL56/{server}:1-N"

    def standing(self) -> tuple[ShardGtid, ...]:
        """Return the position over all shards as it stands."""
        return tuple(ShardGtid(self._keyspace, name, self._set(name)) for name in self._counts)

    def _set(self, shard: str) -> str:
        """Return a shard's GTID set as Vitess writes it: its hosts sorted, one interval each."""
        hosts = {**self._past[shard], self._servers[shard]: self._number(shard)}
        return "MySQL56/" + ",".join(f"{host}:1-{hosts[host]}" for host in sorted(hosts))

    def _number(self, shard: str) -> int:
        return max(self._counts[shard] + 1, self._starts.get(shard, 0))
