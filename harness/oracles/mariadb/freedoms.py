"""What a server's log and a connector's past decide: free, as long as it is consistent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import orjson

from harness.codecs.connect.java import hash_order
from harness.oracles.compare import Difference, Message, Place
from harness.oracles.freedoms import COLLECTION_ORDER, COPY_TIME, LOG_POSITION, SECOND_NS

# Of a row that is read before the log: the database's clock, in seconds.
READ: Final = re.compile(
    rb'"ts_ms":(\d+)(?=,"snapshot":"(?:true|first|last|\w+_in_data_collection)")'
)
# The last name after `source`: a column may be called `file` or `pos` as well.
LOGGED: Final = re.compile(
    rb'"gtid":(?:"0-1-(\d+)"|null),"file":"([^"]*)","pos":(-?\d+),"row":(\d+),"thread":'
)
PART: Final = "log position"
COLLECTIONS: Final = re.compile(rb'"data_collections":\[(.+)\],"ts_ms":')
BETWEEN: Final = b"},{"
NAMED: Final = re.compile(rb'"data_collection":"((?:[^"\\]|\\.)*)"')
CAPACITIES: Final = (16, 32, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class LogPosition:
    """File and position of the source block: theirs are the server's, ours are made up."""

    name: str = LOG_POSITION

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with the place that theirs has, all else of the block ours."""
        mine, yours = (LOGGED.search(one.value or b"") for one in (ours, theirs))
        if ours.value is None or mine is None or yours is None:
            return ours
        begin, end = mine.start(2), mine.end(3)
        place = yours[0][yours.start(2) - yours.start() : yours.end(3) - yours.start()]
        return replace(ours, value=ours.value[:begin] + place + ours.value[end:])


@dataclass(frozen=True, slots=True)
class CopyTime:
    """When a row was read that was there before: theirs is the server's second, within the run."""

    began_ns: int
    ended_ns: int
    name: str = COPY_TIME

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with the second that theirs was read at."""
        mine, yours = (READ.search(one.value or b"") for one in (ours, theirs))
        if ours.value is None or mine is None or yours is None:
            return ours
        second, own = int(yours[1]) // 1000, int(mine[1]) // 1000
        in_run = self.began_ns // SECOND_NS <= second <= self.ended_ns // SECOND_NS
        if not in_run or int(yours[1]) % 1000 or int(mine[1]) % 1000:
            return ours
        value = READ.sub(b'"ts_ms":%d' % (second * 1000), ours.value, count=1)
        old, new = (
            b'"ts_us":%d,"ts_ns":%d' % (one * 1_000_000, one * SECOND_NS) for one in (own, second)
        )
        return replace(ours, value=value.replace(old, new, 1))


@dataclass(frozen=True, slots=True)
class CollectionOrder:
    """The order of a transaction's tables: that of a HashMap, of whatever size it has by then."""

    name: str = COLLECTION_ORDER

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with its tables as theirs has them, if a HashMap can."""
        mine, yours = (COLLECTIONS.search(one.value or b"") for one in (ours, theirs))
        if ours.value is None or mine is None or yours is None or mine[1] == yours[1]:
            return ours
        entries = mine[1].strip(b"{}").split(BETWEEN)
        for capacity in CAPACITIES:
            found = {_name(entry): entry for entry in entries}
            listed = BETWEEN.join(found[name] for name in hash_order(found, capacity))
            if b"{" + listed + b"}" == yours[1]:
                begin, end = mine.span(1)
                return replace(ours, value=ours.value[:begin] + yours[1] + ours.value[end:])
        return ours


def _name(entry: bytes) -> str:
    found = NAMED.search(entry)
    return str(orjson.loads(b'"' + found[1] + b'"')) if found else ""


def inconsistent(messages: Iterable[Message]) -> Iterator[Difference]:
    """Yield where a connector's own places contradict each other.

    GTIDs never fall in a partition. MariaDB 11.4 writes the events of a transaction without their
    place in the log, so that a row's position is minus its event's size; that of a DDL rises, and
    its row is that of the last event before.
    """
    last: dict[Place, re.Match[bytes]] = {}
    count: dict[Place, int] = {}
    for one in messages:
        number = count[one.place] = count.get(one.place, -1) + 1
        found = LOGGED.search(one.value or b"")
        if found is None:
            continue
        before = last.get(one.place)
        # What is read before the log has no GTID, and one place for all.
        if before is not None and before[1] and found[1]:
            for why in _against(before, found):
                yield Difference(*one.place, number, PART, why, found[0].decode())
        last[one.place] = found


def _against(before: re.Match[bytes], now: re.Match[bytes]) -> Iterator[str]:
    gtids, places, rows = ((int(before[at] or 0), int(now[at] or 0)) for at in (1, 3, 4))
    if gtids[0] > gtids[1]:
        yield "a GTID that does not fall"
    if places[1] < 0 < rows[1]:
        if places[0] != places[1]:
            yield "one position for all rows of an event"
        if rows[1] - rows[0] not in {0, 1}:  # a key's change is two records of one row
            yield "rows of an event counted without a gap"
    if before[2] == now[2] and min(places) > 0 and places[0] > places[1]:
        yield "a position that does not fall in a file"
