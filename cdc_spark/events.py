"""What a message says, in words that all protocols share.

An event says what happened and who it is. Two deliveries with one `(ts, kind, identity)` are
the same event, sent twice; rows whose protocol gives them no identity have none ("").
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import orjson

Plain = int | float | str | list[str] | None


class Kind(IntEnum):
    """What an event is; at one commit ts events apply in this order.

    A DDL follows the rows of its own ts: those were still encoded with the schema before it (tiflow
    c7b2588 cdc/entry/mounter.go:160). BEGIN and END bound a transaction of Debezium's. PENDING is
    not on the wire: it holds the rows that take effect if nothing more comes
    (`ordering.transactions`). A TOMBSTONE says that compaction may forget a key; where compaction
    has removed its delete, it is the delete.
    """

    DELETE = 0
    UPSERT = 1
    DDL = 2
    RESOLVED = 3
    ERROR = 4
    BEGIN = 5
    END = 6
    PENDING = 7
    TOMBSTONE = 8


class Images(NamedTuple):
    """The rows of an event as JSON texts, None where the wire has none; the key's columns in order.

    `change` is `insert` or `update` where the message has a word for it, "" elsewhere.
    """

    before: str | None
    after: str | None
    key: Sequence[str]
    change: str = ""


class Event(NamedTuple):
    """One event; a tuple, because millions of them are made.

    `payload` is JSON: for rows `{"before", "after", "key", "rid"}`, for DDL `{"q", "t"}`; for an
    ERROR it is the text of what is wrong with the message. `key` names the columns of the handle
    key in order, none for a table without one. Streams of rows alone add `shape` (`apply.shape`).
    `ts` is 0 where the message carries no time of its own. `transaction` is JSON where the message
    has one (`debezium.events`), "" elsewhere. `images` are the payload's parts as they
    were written, so that whoever wants them apart need not read the payload again; they do not
    travel between Spark's operations. `position` is JSON where the message says where in a log its
    row stands.
    """

    kind: Kind
    ts: int = 0
    schema: str = ""
    table: str = ""
    identity: str = ""
    payload: str = ""
    transaction: str = ""
    images: Images | None = None
    position: str = ""


def json_text(value: object) -> str:
    """Return a value as JSON."""
    return orjson.dumps(value).decode()


def payload_of(images: Images, rest: str = '"rid":null') -> str:
    """Return the payload of a row's event; `rest` are its other members as JSON."""
    before, after, key, _ = images
    return (
        f'{{"before":{"null" if before is None else before},'
        f'"after":{"null" if after is None else after},"key":{json_text(key)},{rest}}}'
    )


def ordered(event: Event) -> Event:
    """Return an event whose transaction says where its row stands, too: what orders rows."""
    if not event.position:
        return event
    block = event.transaction
    both = f"{block[:-1]},{event.position[1:]}" if block else event.position
    return event._replace(transaction=both)
