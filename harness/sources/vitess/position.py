"""How far each shard's binary log has come: one GTID set a shard, one VGTID over all of them."""

from __future__ import annotations

from harness.model.vstream import ShardGtid

# The first server's uuid; each further shard's primary counts on from it.
_FIRST_SERVER = 0xAAAAAAAA
_STEP = 0x11111111
_TAIL = "0000-11ec-8e20-0242ac110004"


class Position:
    """The GTID progress of one keyspace's shards, one transaction or DDL at a time."""

    def __init__(self, keyspace: str, shards: tuple[str, ...]) -> None:
        """Start before the first transaction of every shard."""
        self._keyspace = keyspace
        self._counts: dict[str, int] = {}
        self._servers: dict[str, str] = {}
        self._given = 0
        self.reshard(shards)

    def reshard(self, shards: tuple[str, ...]) -> None:
        """Follow other shards: those that stay keep their progress, new ones have new primaries."""
        self._servers = {shard: self._servers.get(shard) or self._primary() for shard in shards}
        self._counts = {shard: self._counts.get(shard, 0) for shard in shards}

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

    def standing(self) -> tuple[ShardGtid, ...]:
        """Return the position over all shards as it stands."""
        return tuple(
            ShardGtid(self._keyspace, name, f"MySQL56/{self._servers[name]}:1-{count + 1}")
            for name, count in self._counts.items()
        )
