"""A batch of messages -> a block of events: by columns where possible, else row by row.

The decoder of a protocol (its `events`) says what a message means. A template reads many messages
at once and gives for each what the decoder would give, or leaves it; each message is read whole by
one of the two. Templates are learnt from messages, and kept when they read the one that they come
from.

| | |
| --- | --- |
| fewer than `LEAST` messages | row by row: to ask Arrow forty times costs more |
| a message that fits a known template | by columns; what was used last is tried first |
| a message that fits none | a template is learnt from it, `LEARNT` times a batch at most |
| all others | row by row |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from cdc_spark.events import Event
from cdc_spark.untyped import ArrowBatch, Column, np, pa
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.blocks import PLACES
from cdc_spark.vectorised.images import Columns

LEAST = 64
LEARNT = 16
KNOWN = 64
Numbers = Any  # numpy.ndarray of int64
RowByRow = Callable[[int], Sequence[Event]]  # a message's number in the batch -> its events


class Side(NamedTuple):
    """Events of one kind: of which of the frames read (None: of all), and their place in each."""

    which: Column | None
    place: int
    columns: Columns


Sides = tuple[Column, Sequence[Side]]  # which frames were read, by their places, and their events


class MessageTemplate(Protocol):
    """What frames of one table have in common, and what differs."""

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which of these frames it reads, and their events."""
        ...


class Frames(NamedTuple):
    """One key and value per change, with the message's number and the change's number within it."""

    messages: Numbers
    numbers: Numbers
    keys: Column
    values: Column


Cut = Callable[[Column, Column], Frames | None]  # keys and values of messages -> frames
Learn = Callable[[Any, Any], MessageTemplate | None]  # a frame's key and value -> its template


@dataclass(slots=True)
class VectorisedReader:
    """Reads the messages of one protocol by columns, with the templates learnt so far."""

    cut: Cut
    learn: Learn
    least: int = LEAST
    strict: bool = False
    known: list[MessageTemplate] = field(default_factory=list[MessageTemplate])

    def read(
        self, keys: Column, values: Column, numbers: Numbers, row_by_row: RowByRow
    ) -> ArrowBatch:
        """Return the events of messages; `numbers` are theirs in the batch."""
        frames = self.cut(keys, values) if len(numbers) >= self.least else None
        if frames is None:
            return blocks.block_of((number, row_by_row(number)) for number in numbers.tolist())
        try:
            found_blocks, unread = self._by_templates(frames, numbers)
        except Exception:
            if self.strict:
                raise
            found_blocks, unread = (
                [],
                np.arange(len(frames.messages)),
            )  # our defect; row by row is right
        read = np.zeros(len(numbers), bool)
        read[frames.messages] = True
        read[frames.messages[unread]] = False
        if len(unread):
            found_blocks = [
                _of(one, read[np.searchsorted(numbers, _messages(one))]) for one in found_blocks
            ]
        rest = numbers[~read].tolist()
        found_blocks.append(blocks.block_of((number, row_by_row(number)) for number in rest))
        return blocks.together(found_blocks)

    def _by_templates(self, frames: Frames, numbers: Numbers) -> tuple[list[ArrowBatch], Numbers]:
        """Return the blocks that templates read, and which frames none of them reads."""
        found_blocks: list[ArrowBatch] = []
        unread = np.arange(len(frames.messages))
        orders = (numbers[frames.messages] << PLACES) + 2 * frames.numbers
        for template in list(self.known):
            if not len(unread):
                break
            unread = self._read(template, frames, unread, orders, found_blocks)
        passed = 0
        for _ in range(LEARNT):
            if passed >= len(unread):
                break
            learnt = self._learnt(frames, unread[passed : passed + 1])
            if learnt is None:
                passed += 1
            else:
                unread = self._read(learnt, frames, unread, orders, found_blocks)
        return found_blocks, unread

    def _learnt(self, frames: Frames, one: Numbers) -> MessageTemplate | None:
        """Return the template of a frame; None when it has none that reads it."""
        place = int(one[0])
        template = self.learn(frames.keys[place].as_py(), frames.values[place].as_py())
        if template is None or not len(_read_by(template, frames, one)[0]):
            return None
        return template

    def _read(
        self,
        template: MessageTemplate,
        frames: Frames,
        unread: Numbers,
        orders: Numbers,
        found_blocks: list[ArrowBatch],
    ) -> Numbers:
        """Let a template read what is unread; return what is unread then."""
        places, sides = _read_by(template, frames, unread)
        if not len(places):
            return unread
        self._use(template)
        found = unread[places.to_numpy()]
        for which, place, columns in sides:
            chosen = found if which is None else found[which.to_numpy()]
            found_blocks.append(
                blocks.from_columns({**columns, "order": pa.array(orders[chosen] + place)})
            )
        return np.delete(unread, places.to_numpy())

    def _use(self, template: MessageTemplate) -> None:
        """Let a template be the first that is tried; the one longest unused makes room."""
        if self.known and self.known[0] is template:
            return
        self.known = [template, *(one for one in self.known if one is not template)][:KNOWN]


def _read_by(template: MessageTemplate, frames: Frames, unread: Numbers) -> Sides:
    if len(unread) == len(frames.messages):
        return template.read(frames.keys, frames.values)
    which = pa.array(unread)
    return template.read(frames.keys.take(which), frames.values.take(which))


def _messages(block: ArrowBatch) -> Numbers:
    return block["order"].to_numpy() >> PLACES


def _of(block: ArrowBatch, kept: Numbers) -> ArrowBatch:
    return block if kept.all() else block.filter(pa.array(kept))
