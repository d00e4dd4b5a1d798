"""The texts of alike rows: constants with places for values, put together by columns.

The constants of all rows lie in one list, each column's texts are put between them, one join makes
the bytes. Line feeds separate the texts, for no raw one occurs within JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from harness.codecs.debezium_vitess.vectorised.columns import CellPrinter


@dataclass(frozen=True, slots=True)
class CellSlot:
    """A field of an image: which of the rows' columns it is, and how that is printed."""

    ordinal: int
    printed: CellPrinter


@dataclass(frozen=True, slots=True)
class RowTemplate:
    """What rows of one kind have in common: a constant before each place, and what fills it.

    `places` are numbers of `slots`, for a key's field may stand in the value as well.
    """

    constants: tuple[bytes, ...]
    places: tuple[int, ...]
    slots: tuple[CellSlot, ...]

    def texts(self, columns: Sequence[Sequence[bytes | None]], tail: bytes) -> list[bytes]:
        """Return the rows' texts, one after the other; `tail` ends each row.

        Raises NeedsStructs for a cell that only structs and converters print, or refuse.
        """
        constants = [*self.constants, tail]
        written: list[Sequence[bytes]] = []
        for number, slot in enumerate(self.slots):
            printed, cells = slot.printed, columns[slot.ordinal]
            # Most cells are neither empty nor NULL, and the former is found faster.
            if all(cells) or None not in cells:
                written.append(printed.write(cast("Sequence[bytes]", cells)))
            else:
                written.append(printed.with_nulls(cells))
                if printed.quoted:
                    self._unquote(constants, number)
        width = len(constants) + len(self.places)
        parts = [b""] * width
        parts[::2] = constants
        parts *= len(columns[0])
        for place, number in enumerate(self.places):
            parts[place * 2 + 1 :: width] = written[number]
        texts = b"".join(parts).split(b"\n")
        texts.pop()
        return texts

    def _unquote(self, constants: list[bytes], number: int) -> None:
        """Take the quotes away around the places of a slot whose texts bring their own."""
        for place, filled in enumerate(self.places):
            if filled == number:
                constants[place] = constants[place][:-1]
                constants[place + 1] = constants[place + 1][1:]


class RowTemplateBuilder:
    """A template that is being put together from left to right."""

    def __init__(self) -> None:
        """Start empty."""
        self._constants = [b""]
        self._places: list[int] = []
        self._slots: list[CellSlot] = []

    def text(self, text: bytes) -> None:
        """Add constant text."""
        self._constants[-1] += text

    def struct(self, fields: Sequence[tuple[bytes, int, CellPrinter]]) -> None:
        """Add a struct: the fields' printed names, their columns, how those are printed."""
        begin = b"{"
        for name, ordinal, printed in fields:
            quote = b'"' if printed.quoted else b""
            self.text(begin + name + b":" + quote)
            slot = CellSlot(ordinal, printed)
            if slot not in self._slots:
                self._slots.append(slot)
            self._places.append(self._slots.index(slot))
            self._constants.append(quote)
            begin = b","
        self.text(b"}" if fields else b"{}")

    def template(self) -> tuple[RowTemplate, bytes]:
        """Return what was put together, and the constant behind its last place."""
        *constants, last = self._constants
        return RowTemplate(tuple(constants), tuple(self._places), tuple(self._slots)), last
