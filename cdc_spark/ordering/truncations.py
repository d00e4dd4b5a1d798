"""TRUNCATE among rows: it has no key, so in a topic of several partitions its place says nothing.

Its place in the log does. Rows of its table that are older go, and what comes of them later is
dropped; newer ones stay. It waits for rows that wait themselves and are older. Keys that were
forgotten (`retention_h`) stay where it came behind newer rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.debezium.events import TRUNCATED
from cdc_spark.events import Event, Kind
from cdc_spark.ordering.ages import Age
from cdc_spark.ordering.hold import Arrival, arrival_of, fields_of

TRUNCATED_HERE = (
    "a TRUNCATE, which the connector's settings rule out: without `skipped.operations` none among"
    " the changefeed's settings several tasks order its rows, and none of them knows all"
)


@dataclass(slots=True)
class Truncations:
    """The last TRUNCATE of each table, those that wait, and the key columns that tables have."""

    last: dict[str, Age] = field(default_factory=dict[str, Age])
    waiting: list[tuple[Arrival, Age | None]] = field(
        default_factory=list[tuple[Arrival, Age | None]]
    )
    handles: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def removed(self, event: Event, age: Age | None) -> bool:
        """Return whether a row had gone before it came."""
        last = self.last.get(_table(event))
        return last is not None and age is not None and age.before(last)

    def saw(self, event: Event) -> None:
        """Take note of a row's key columns, by which it can be deleted."""
        if event.identity and _table(event) not in self.handles:
            self.handles[_table(event)] = orjson.loads(event.payload)["key"]

    def due(
        self, held: Iterable[tuple[str, Age | None]], ages: Mapping[str, Age]
    ) -> Iterator[Arrival]:
        """Yield what TRUNCATE does once no older row waits; `held` are waiting rows' tables.

        `ages` are those of all keys: where none of the table is newer, the statement does it.
        """
        older = list(held)
        for arrival, age in [*self.waiting]:
            name = _table(arrival.event)
            if any(table == name and not _behind(at, age) for table, at in older):
                continue
            self.waiting.remove((arrival, age))
            if age is not None:
                self.last[name] = age
            own = {who: at for who, at in ages.items() if _of(who) == name}
            if not any(_behind(at, age) for at in own.values()):
                yield arrival
                continue
            for who, at in own.items():
                if not _behind(at, age):
                    yield arrival._replace(event=self._deletion(arrival.event, who))

    def _deletion(self, event: Event, identity: str) -> Event:
        handle = self.handles[_table(event)]
        before = dict(zip(handle, orjson.loads(identity)[2:], strict=True))
        body = {"before": before, "after": None, "key": handle, "rid": None}
        payload = orjson.dumps({**body, "undated": True, "tombstone": True}).decode()
        return event._replace(kind=Kind.DELETE, identity=identity, payload=payload)

    def dump(self) -> dict[str, Any]:
        """Return the state as JSON has it; `load` is the way back."""
        return {
            "last": {name: age.dump() for name, age in self.last.items()},
            "waiting": [[fields_of(one), age and age.dump()] for one, age in self.waiting],
            "handles": self.handles,
        }

    @classmethod
    def load(cls, document: dict[str, Any]) -> Truncations:
        """Return the state that `dump` gave."""
        return cls(
            {name: Age.load(fields) for name, fields in document["last"].items()},
            [(arrival_of(one), age and Age.load(age)) for one, age in document["waiting"]],
            document["handles"],
        )


def is_truncation(event: Event) -> bool:
    """Return whether a statement is a TRUNCATE that stood among rows."""
    return event.kind is Kind.DDL and is_truncated(event.payload)


def is_truncated(payload: str) -> bool:
    """Return whether the payload of a statement is that of a TRUNCATE that stood among rows."""
    return bool(orjson.loads(payload)["t"] == TRUNCATED)


def _behind(row: Age | None, truncation: Age | None) -> bool:
    return row is not None and truncation is not None and truncation.before(row)


def _table(event: Event) -> str:
    return orjson.dumps([event.schema, event.table]).decode()


def _of(identity: str) -> str:
    return orjson.dumps(orjson.loads(identity)[:2]).decode()
