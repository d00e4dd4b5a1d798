"""One look at a micro-batch: what the driver has to know of it before anything is written.

A row is reported only where it changes how rows are written: another key, another shape, a
column that was not there. So what reaches the driver grows with tables and DDL, not with rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark import rows
from cdc_spark.delta.marks import FORM, LAST, Name, Shaped
from cdc_spark.events import Kind
from cdc_spark.set_aside import unpacked
from cdc_spark.untyped import ArrowBatch


@dataclass(slots=True)
class _Seen:
    key: list[str] | None = None
    names: set[str] = field(default_factory=set[str])
    known: bool = False


@dataclass(slots=True)
class Scan:
    """Applied changes, sorted by changefeed and seq -> marks, both of shape `rows.APPLIED`."""

    shaped: Shaped

    def marks(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the marks of a partition."""
        changes = (change for batch in batches for change in rows.tuples(batch))
        found = list(_marks(dict(self.shaped), changes))
        yield rows.batch_of(rows.APPLIED, found)


def _marks(
    shapes: dict[Name, tuple[bytes, int]], changes: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    forms: dict[Name, _Seen] = {}
    last: dict[Name, tuple[Any, ...]] = {}
    for change in changes:
        feed, seq, kind, ts, schema, table, payload, *place = change
        if kind not in (Kind.DELETE, Kind.UPSERT):
            if kind == Kind.DDL:  # only the driver knows its table: report all forms again
                forms = {name: seen for name, seen in forms.items() if name[0] != feed}
            if kind == Kind.ERROR:  # what was in the message does not go to the driver
                yield (*change[:6], unpacked(payload)[0], *place)
            else:
                yield change
            continue
        name = (feed, schema.lower(), table.lower())
        event = orjson.loads(payload)
        seen = forms.setdefault(name, _Seen())
        since = event.get("since", int(ts))
        shape = _newer(shapes, name, event.get("shape"), since)
        columns = set(event["after"] or ())
        if not seen.known or shape is not None or seen.key != event["key"] or columns - seen.names:
            seen.key, seen.known = event["key"], True
            seen.names |= columns
            names = sorted(seen.names)
            form = {"key": event["key"], "shape": shape, "names": names, "since": since}
            text = orjson.dumps(form).decode()
            yield (feed, seq, FORM, ts, schema, table, text, *place)
        last[name] = (feed, seq, LAST, str(shapes.get(name, (b"", 0))[1]), schema, table, "")
    yield from ((*one, 0, 0, 0) for one in last.values())


def _newer(
    shapes: dict[Name, tuple[bytes, int]], name: Name, shape: list[Any] | None, ts: int
) -> list[Any] | None:
    """Return the shape that a row gives its table; None where it changes nothing.

    The rules are those of `apply.shape`.
    """
    if shape is None:
        return None
    text = orjson.dumps(shape)
    known = shapes.get(name)
    if known is not None and known[0] == text:
        shapes[name] = (text, max(known[1], ts))
        return None
    if known is not None and ts and ts < known[1]:
        return None
    shapes[name] = (text, ts)
    return shape
