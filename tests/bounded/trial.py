"""Tries a reader on many spoiled inputs: how many, which were defects, the slowest, the largest."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from random import Random

from tests.bounded.mutate import PIECES, spoiled
from tests.bounded.readers import Reader

RIGHT = 20  # right inputs that are tried as they are
KEPT = 20  # defects that are told apart by where they are raised


@dataclass(slots=True)
class Trial:
    """What came of the inputs of one reader; `defects` are inputs by the place that raised."""

    tried: int = 0
    read: int = 0
    slowest_s: float = 0.0
    slowest: bytes = b""
    largest: int = 0
    defects: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def one(self, reader: Reader, content: bytes) -> None:
        """Try one input."""
        began = time.process_time()
        try:
            self.read += reader.settles(content)
        except Exception as error:  # noqa: BLE001 - whatever a reader raises is what we look for
            place = _place(error)
            if place in self.defects or len(self.defects) < KEPT:
                known = self.defects.get(place, content)
                self.defects[place] = min(known, content, key=len)
        took = time.process_time() - began
        self.tried += 1
        self.largest = max(self.largest, len(content))
        if took > self.slowest_s:
            self.slowest_s, self.slowest = took, content

    def line(self, name: str) -> str:
        """Return the result as a line of a table."""
        slowest = f"{self.slowest_s * 1000:8.1f} ms of {len(self.slowest):7,} bytes"
        numbers = f"{self.tried:8,} {self.read:8,} {slowest} {self.largest:9,}"
        return f"{name:24}{numbers} {len(self.defects):3}"


def trial(name: str, reader: Reader, edited: int, seed: int) -> Trial:
    """Try right inputs, each piece alone, then so many edited inputs, drawn from a seed."""
    random = Random(f"{name} {seed}")
    seeds = reader.seeds()
    result = Trial()
    for content in (*seeds[:RIGHT], *PIECES):
        result.one(reader, content)
    for _ in range(edited):
        result.one(reader, spoiled(random, random.choice(seeds)))
    return result


def _place(error: Exception) -> str:
    """Return what was raised and by which line of ours, the innermost."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "/harness/" in one.filename or "/cdc_spark/" in one.filename]
    last = (ours or frames)[-1]
    where = last.filename.partition("/harness/")[2] or last.filename
    return f"{type(error).__name__} at {where}:{last.lineno}: {str(error)[:120]}"
