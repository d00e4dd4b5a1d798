"""The vendor's own messages, read by our decoder: the rows that went in must come out.

What of a row is on the wire follows from the settings (TiCDC codec notes §2.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.codecs.open.settings import OpenSettings
from harness.contracts import BoundCodec
from harness.errors import DecodingError, plural
from harness.model.change import Op
from harness.model.decoded import DecodedEvent, EventKind, settled
from harness.model.source_events import RowEvent
from harness.model.values import Row, Value
from harness.truth.open_messages import RECORD_OVERHEAD, Place
from harness.truth.result import Difference, Vector

Image = dict[str, Value]
_KINDS = {Op.INSERT: EventKind.INSERT, Op.UPDATE: EventKind.UPDATE, Op.DELETE: EventKind.DELETE}


@dataclass(frozen=True, slots=True)
class Read:
    """One decoded event, and where its message stands in the vector."""

    where: str
    place: Place
    event: DecodedEvent


def read_messages(
    wire: BoundCodec, settings: OpenSettings, vector: Vector
) -> tuple[list[Read], list[Difference]]:
    """Return the decoded events in order, and what is wrong with the messages themselves."""
    # The texts beside the bytes are those of the bytes: compressed values are none.
    parts = ("key", "value") if settings.compression == "none" else ("key",)
    found: list[Read] = []
    wrong: list[Difference] = []
    for number, described in enumerate(vector["events"]):
        if "key_hex" not in described:
            continue
        where = f"events[{number}]"
        key, value = (bytes.fromhex(described[part]) for part in ("key_hex", "value_hex"))
        try:
            events = wire.decode(key, value)
        except DecodingError as error:
            wrong.append(Difference(f"{where}, read", f"refused: {error.what}", "a message"))
            continue
        wrong += _figures(where, described, len(key) + len(value), events)
        wrong += _frames(where, described, parts, events)
        place = (described["topic"], described["partition"])
        found += [Read(f"{where} event {n}, read", place, e) for n, e in enumerate(events)]
    return found, wrong


def _figures(
    where: str, described: Vector, size: int, events: Sequence[DecodedEvent]
) -> Iterator[Difference]:
    """Yield where the message's own figures are not the vector's."""
    # DDL and resolved events count no rows.
    facts: dict[str, tuple[object, object]] = {
        "rows": (len(events), max(described.get("rows", 1), 1)),
        "producer_length": (size + RECORD_OVERHEAD, described.get("producer_length")),
        "version": (1, described.get("version")),
    }
    for name, (ours, theirs) in facts.items():
        if theirs is not None and ours != theirs:
            yield Difference(f"{where}.{name}", str(ours), str(theirs))


def _frames(
    where: str, described: Vector, parts: Sequence[str], events: Sequence[DecodedEvent]
) -> Iterator[Difference]:
    """Yield where the texts of a message's events are not the vector's."""
    frames: Sequence[Vector] = described.get("frames") or ()
    for number, (event, frame) in enumerate(zip(events, frames, strict=False)):
        texts = {"key": event.key_text, "value": event.value_text}
        for part in parts:
            if isinstance(frame.get(part), str) and texts[part] != frame[part]:
                yield Difference(f"{where}.frames[{number}].{part}", texts[part], frame[part])


def row_differences(
    settings: OpenSettings, rows: Sequence[RowEvent], found: Sequence[Read]
) -> Iterator[Difference]:
    """Yield where the decoded events are not the rows that went in, partition by partition."""
    expected: dict[Place, list[RowEvent]] = defaultdict(list)
    for row in rows:
        expected[row.topic, row.partition].append(row)
    came: dict[Place, list[Read]] = defaultdict(list)
    for read in found:
        came[read.place].append(read)
    for place in sorted({*expected, *came}, key=str):
        wanted, reads = expected[place], came[place]
        if len(wanted) != len(reads):
            topic, partition = place
            where = f"{topic}/{partition}, read"
            yield Difference(
                where, f"{plural(len(wanted), 'row')} went in", f"{len(reads)} came out"
            )
        for row, read in zip(wanted, reads, strict=False):
            yield from _one(settings, row, read)


def _one(settings: OpenSettings, row: RowEvent, read: Read) -> Iterator[Difference]:
    event = read.event
    part = _Part(settings, row, handle_only=event.handle_only)
    kinds = {n: row.table.table.columns[n].kind for n in row.table.emitted}
    names = {row.table.table.columns[n].name: kind for n, kind in kinds.items()}
    facts: dict[str, tuple[object, object]] = {
        "kind": (part.kind(), event.kind),
        "commit_ts": (row.commit_ts, event.commit_ts),
        "table": (str(row.table.table.id), f"{event.schema}.{event.table}"),
        "row_id": (row.row_id or None, event.row_id),
        "before": (part.before(), _settled(names, event.before)),
        "after": (part.after(), _settled(names, event.after)),
        "handle": (sorted(part.handle()), sorted(event.handle)),
    }
    for name, (went_in, came_out) in facts.items():
        if went_in != came_out:
            yield Difference(f"{read.where}: {name}", f"read {came_out}", f"given {went_in}")


def _settled(names: Mapping[str, Any], image: Mapping[str, Value] | None) -> Image | None:
    if image is None:
        return None
    return {
        name: settled(names[name], value) if name in names else value
        for name, value in image.items()
    }


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a row is on the wire."""

    settings: OpenSettings
    row: RowEvent
    handle_only: bool

    def kind(self) -> EventKind:
        if self.row.op is not Op.DELETE and self.before() is None:
            # Without `p` an update looks like an insert; of a handle alone nothing changes.
            reduced = self.handle_only and self.settings.only_updated
            carries_old_value = self.settings.output_old_value and not reduced
            return EventKind.INSERT if carries_old_value else EventKind.UPSERT
        return _KINDS[self.row.op]

    def before(self) -> Image | None:
        before, after = self.row.before, self.row.after
        if before is None:
            return None
        if self.row.op is Op.DELETE:
            return self._image(before, handle_only=self.settings.delete_only_handle)
        if not self.settings.output_old_value:
            return None
        image = self._image(before)
        if self.settings.only_updated and after is not None:
            new = self._image(after)
            image = {name: value for name, value in image.items() if value != new[name]}
        return image or None

    def after(self) -> Image | None:
        return self._image(self.row.after) if self.row.after is not None else None

    def handle(self) -> list[str]:
        columns = self.row.table.table.columns
        return [columns[n].name for n in self.row.table.handle]

    def _image(self, row: Row, *, handle_only: bool = False) -> Image:
        table = self.row.table
        shown = table.handle if handle_only or self.handle_only else table.emitted
        return {table.table.columns[n].name: row[n] for n in shown}
