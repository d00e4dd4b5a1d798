"""Which of two rows of a key is the older one, where they say it of themselves.

| the row has | the log | place in it |
| --- | --- | --- |
| epoch and rank (Vitess, ordered metadata) | the shard | epoch, rank, order in the transaction |
| `gtid` (MariaDB `0-1-7`, MySQL `UUID:7`) | domain, or server and tag | the last number |
| `file` and `pos` alone | server and name of the files | number of the file, `pos`, `row` |

Places of different logs say nothing of each other; nor do those of one transaction: MariaDB 11.4
writes its events without a place. A log that was begun anew (`RESET MASTER`) has lower places and
later times, so only what is not later either is older. Rows that a snapshot read have no place.

Source: Debezium reference documentation 3.3, Vitess connector, §Ordered transaction metadata,
MariaDB connector, §Data change events (`source`); MariaDB Knowledge Base, Global Transaction ID;
MySQL 8.4 Reference Manual, §19.1.3.1 GTID Format and Storage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from cdc_spark.events import Event

_STREAMED = (None, "false")
_SECOND, _WITHIN = 1000, 31  # `since` is a second, and in so many bits a place within it
_GTID = re.compile(r"(?:(\d+)-\d+-|([0-9a-fA-F-]{36}(?::\w+)?):)(\d+)", re.ASCII)
_FILE = re.compile(r"(.*)\.(\d+)", re.DOTALL | re.ASCII)


class Age(NamedTuple):
    """A row's place in its log, and when it was written; `time` is 0 where places decide alone."""

    log: str
    epoch: int
    rank: int
    order: int
    time: int = 0

    def before(self, other: Age) -> bool:
        """Return whether a row is older than another of its log."""
        return self.log == other.log and self[:4] < other[:4] and self.time <= other.time

    def dump(self) -> list[Any]:
        """Return the age as JSON has it: a rank has no bounds, and numbers of JSON do."""
        return [self.log, self.epoch, str(self.rank), self.order, self.time]

    @classmethod
    def load(cls, fields: list[Any]) -> Age:
        """Return the age that `dump` gave, of an earlier version's state too."""
        log, epoch, rank, *rest = fields
        return cls(log, epoch, int(rank), *rest)


def dated(event: Event, block: Mapping[str, Any], age: Age | None) -> Event:
    """Return a row's event whose payload has `since`, where the time of its log is coarse.

    It is greater of a newer row, in whatever partition: a table has the columns of its newest row
    (`apply.shape`), and MariaDB's times are those of a second.
    """
    if "file" not in block:
        return event
    number = since(event.ts, 0 if age is None else age.rank)
    return event._replace(payload=f'{event.payload[:-1]},"since":{number}}}')


def since(ts: Any, rank: Any) -> Any:  # noqa: ANN401 - whole numbers, or arrays of them
    """Return a number that is greater of a newer row, by its time and its place within that."""
    return (ts // _SECOND << _WITHIN) + (rank & ((1 << _WITHIN) - 1))


def file_of(name: str | None) -> tuple[str, int] | None:
    """Return the name that a log's files share, and the number of this one; None where none has."""
    found = _FILE.fullmatch(name or "")
    return found and (found[1], int(found[2]))


def age_of(block: Mapping[str, Any], time: int) -> Age | None:
    """Return the age of a row by what orders it (`events.ordered`); None where nothing does."""
    if block.get("epoch") is not None and block.get("rank") is not None:
        return Age(block["shard"], block["epoch"], int(block["rank"]), block["n"])
    if block.get("snapshot") not in _STREAMED:
        return None
    if block.get("gtid"):
        found = _GTID.fullmatch(block["gtid"])
        return found and Age(found[1] or found[2], 0, int(found[3]), 0, time)
    named = file_of(block.get("file"))
    place, row = block.get("pos"), block.get("row")
    if named is None or type(place) is not int or place <= 0:
        return None
    log = f"{block.get('server_id')} {named[0]}"
    return Age(log, named[1], place, row if type(row) is int else 0, time)
