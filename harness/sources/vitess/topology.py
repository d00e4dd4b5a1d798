"""Keyspace and shards: which rows live where.

A shard is named by its range of keyspace ids, `-80` and `80-`; an unsharded keyspace has one, `0`
(or `-`). Ranges are half-open, written as hexadecimal prefixes, padded with zeros on the right.

Source: Vitess documentation, §Concepts: shard, keyspace id; go/vt/key/key.go `ParseShardingSpec`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.errors import UsageError
from harness.model.columns import Column
from harness.model.table import TableId
from harness.model.values import Value
from harness.sources.vitess.vindex import VINDEXES

UNSHARDED = ("0", "-")
_RANGE = re.compile(r"([0-9a-f]*)-([0-9a-f]*)\Z")
WIDTH = 8  # the bytes of a keyspace id that ranges are compared by


@dataclass(frozen=True, slots=True)
class Vindex:
    """A table's primary vindex: the column it reads and the function, by Vitess's name."""

    column: str
    type: str


@dataclass(frozen=True, slots=True)
class Topology:
    """One keyspace: its shards in the order of their ranges, and how rows find theirs.

    `resharded` has the topology that there is after a transaction, by its name. `copied_after`
    names the transaction after which a connector starts that copies what is there; `copies` says
    whether it starts with a copy at all, be it of nothing. `followed` are the shards that the
    connector follows (`vitess.shard`), none for all; `stops_at_reshard` says whether a stream
    stops where its shards change. `tasks` counts the tasks with streams of their own, 0 where all
    is one stream. `starts` has the GTID set behind which a shard's stream begins (`vitess.vgtid`).
    After the transactions in `failovers` shards have new primaries; the value says whether the
    hosts before are lost. `lasting` has the seconds from a transaction's first statement to its
    COMMIT, by its name, where they differ. `listed` says which tables `table.include.list` names,
    None without one.
    """

    keyspace: str
    shards: tuple[str, ...] = ("0",)
    vindexes: Mapping[TableId, Vindex] = field(default_factory=lambda: MappingProxyType({}))
    resharded: Mapping[str, Topology] = field(default_factory=lambda: MappingProxyType({}))
    failovers: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    lasting: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    copied_after: str | None = None
    followed: tuple[str, ...] = ()
    copies: bool = False
    stops_at_reshard: bool = False
    tasks: int = 0
    starts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    listed: Callable[[str], bool] | None = None

    @property
    def streamed(self) -> tuple[str, ...]:
        """Return the shards that the connector follows: all of them unless it names some."""
        return tuple(shard for shard in self.shards if not self.followed or shard in self.followed)

    @property
    def sharded(self) -> bool:
        """Return whether there is more than one shard."""
        return len(self.shards) > 1

    def shard_of(self, table: TableId, column: Column, value: Value) -> str:
        """Return the shard that holds a row whose vindex column has this value."""
        keyspace_id = VINDEXES[self.vindexes[table].type](column, value)
        return next(shard for shard in self.shards if _holds(shard, keyspace_id))


def topology(keyspace: str, shards: Sequence[str], vindexes: Mapping[TableId, Vindex]) -> Topology:
    """Return a checked topology; UsageError for shards that leave a gap or overlap."""
    names = tuple(shards) or ("0",)
    for table, vindex in vindexes.items():
        if vindex.type not in VINDEXES:
            raise UsageError(
                f"unknown vindex {vindex.type!r} of {table}",
                expected="one of " + ", ".join(VINDEXES),
            )
    if len(names) == 1:
        if names[0] not in UNSHARDED:
            raise UsageError(
                f"the one shard of keyspace {keyspace} is called {names[0]!r}",
                expected="`0` or `-` for an unsharded keyspace, else shards that cover every range",
            )
        return Topology(keyspace, names, MappingProxyType(dict(vindexes)))
    ordered = sorted(names, key=lambda shard: _bounds(shard)[0])
    _covers(ordered)
    return Topology(keyspace, tuple(ordered), MappingProxyType(dict(vindexes)))


def overlap(one: str, other: str) -> bool:
    """Return whether two shards hold keyspace ids in common."""
    if one in UNSHARDED or other in UNSHARDED:
        return True
    (low, high), (lower, upper) = _bounds(one), _bounds(other)
    return (upper is None or low < upper) and (high is None or lower < high)


def _covers(shards: Sequence[str]) -> None:
    """Ask that ranges meet end to end, from the first keyspace id to the last."""
    reached = bytes(WIDTH)
    for number, shard in enumerate(shards):
        low, high = _bounds(shard)
        last = number == len(shards) - 1
        if low != reached or (high is None) != last:
            raise UsageError(
                f"`keyspace.shards` {', '.join(shards)} do not cover every keyspace id exactly"
                " once",
                expected="ranges that meet end to end, such as -80 and 80-",
            )
        reached = high or reached


def _holds(shard: str, keyspace_id: bytes) -> bool:
    if shard in UNSHARDED:
        return True
    low, high = _bounds(shard)
    padded = keyspace_id.ljust(WIDTH, b"\0")
    return low <= padded and (high is None or padded < high)


def _bounds(shard: str) -> tuple[bytes, bytes | None]:
    """Return the first keyspace id of a range and the first one behind it, None for no end."""
    found = _RANGE.match(shard)
    parts = found.groups() if found else ()
    if len(parts) != 2 or any(len(part) % 2 or len(part) > 2 * WIDTH for part in parts):
        raise UsageError(
            f"{shard!r} names no shard",
            expected="two hexadecimal prefixes of whole bytes around a hyphen: -40, 40-80, 80-",
        )
    low, high = (bytes.fromhex(part).ljust(WIDTH, b"\0") for part in parts)
    return low, high if parts[1] else None
