"""A batch of messages -> a block of events: the quick way where it leads, the long way elsewhere.

Law: what a message means, its protocol's decoder says (the long way). A layout reads many messages
at once and tells of each what the decoder would, or leaves it alone; a message is told whole by one
of the two. Layouts are learnt from messages, and kept when they read the one that they come from.

| | |
| --- | --- |
| fewer than `LEAST` messages | the long way: to ask Arrow forty times costs more |
| a layout that is known | the quick way; what was used last is tried first |
| a message of no known layout | its layout is learnt, `LEARNT` times a batch at most |
| what is left | the long way |
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
Long = Callable[[int], Sequence[Event]]  # a message's number in the batch -> its events


class Side(NamedTuple):
    """Events of one kind: of which of the frames read (None: of all), and their place in each."""

    which: Column | None
    place: int
    columns: Columns


Sides = tuple[Column, Sequence[Side]]  # which frames were read, by their places, and their events


class Layout(Protocol):
    """Frames of one table and form."""

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which of these frames it reads, and the events that they tell."""
        ...


class Frames(NamedTuple):
    """Keys and values that tell one change each: of which message, and the how manieth there."""

    messages: Numbers
    numbers: Numbers
    keys: Column
    values: Column


Cut = Callable[[Column, Column], Frames | None]  # keys and values of messages -> frames
Learn = Callable[[Any, Any], Layout | None]  # a frame's key and value -> its layout


@dataclass(slots=True)
class Quick:
    """The quick way of one protocol, with the layouts that it has met."""

    cut: Cut
    learn: Learn
    least: int = LEAST
    strict: bool = False
    known: list[Layout] = field(default_factory=list[Layout])

    def read(self, keys: Column, values: Column, numbers: Numbers, long: Long) -> ArrowBatch:
        """Return the events of messages; `numbers` are theirs in the batch."""
        frames = self.cut(keys, values) if len(numbers) >= self.least else None
        if frames is None:
            return blocks.block_of((number, long(number)) for number in numbers.tolist())
        try:
            told, left = self._told(frames, numbers)
        except Exception:
            if self.strict:
                raise
            told, left = [], np.arange(len(frames.messages))  # our defect; the long way is right
        read = np.zeros(len(numbers), bool)
        read[frames.messages] = True
        read[frames.messages[left]] = False
        if len(left):
            told = [_of(one, read[np.searchsorted(numbers, _messages(one))]) for one in told]
        rest = numbers[~read].tolist()
        told.append(blocks.block_of((number, long(number)) for number in rest))
        return blocks.together(told)

    def _told(self, frames: Frames, numbers: Numbers) -> tuple[list[ArrowBatch], Numbers]:
        """Return the blocks that layouts give, and which frames none of them reads."""
        told: list[ArrowBatch] = []
        left = np.arange(len(frames.messages))
        orders = (numbers[frames.messages] << PLACES) + 2 * frames.numbers
        for layout in list(self.known):
            if not len(left):
                break
            left = self._read(layout, frames, left, orders, told)
        passed = 0
        for _ in range(LEARNT):
            if passed >= len(left):
                break
            learnt = self._learnt(frames, left[passed : passed + 1])
            if learnt is None:
                passed += 1
            else:
                left = self._read(learnt, frames, left, orders, told)
        return told, left

    def _learnt(self, frames: Frames, one: Numbers) -> Layout | None:
        """Return the layout of a frame; None when it has none that reads it."""
        place = int(one[0])
        layout = self.learn(frames.keys[place].as_py(), frames.values[place].as_py())
        if layout is None or not len(_layout_read(layout, frames, one)[0]):
            return None
        return layout

    def _read(
        self,
        layout: Layout,
        frames: Frames,
        left: Numbers,
        orders: Numbers,
        told: list[ArrowBatch],
    ) -> Numbers:
        """Let a layout read what is left; return what is left then."""
        places, sides = _layout_read(layout, frames, left)
        if not len(places):
            return left
        self._use(layout)
        found = left[places.to_numpy()]
        for which, place, columns in sides:
            chosen = found if which is None else found[which.to_numpy()]
            told.append(blocks.told({**columns, "order": pa.array(orders[chosen] + place)}))
        return np.delete(left, places.to_numpy())

    def _use(self, layout: Layout) -> None:
        """Let a layout be the first that is tried; the one longest unused makes room."""
        if self.known and self.known[0] is layout:
            return
        self.known = [layout, *(one for one in self.known if one is not layout)][:KNOWN]


def _layout_read(layout: Layout, frames: Frames, left: Numbers) -> Sides:
    if len(left) == len(frames.messages):
        return layout.read(frames.keys, frames.values)
    which = pa.array(left)
    return layout.read(frames.keys.take(which), frames.values.take(which))


def _messages(block: ArrowBatch) -> Numbers:
    return block["order"].to_numpy() >> PLACES


def _of(block: ArrowBatch, kept: Numbers) -> ArrowBatch:
    return block if kept.all() else block.filter(pa.array(kept))
