"""Event texts as constants and slots: what a table's rows have in common is prepared once.

Rows are given as columns: commit ts, row id and partition id of all of them, then their values.
Rows that leave the same members out share a template and are written at once: the constants of all
of them lie in one list, each column's texts are put between them, one join makes the bytes. Line
feeds separate the texts, for no raw one occurs within JSON.

Source: TiCDC codec notes §2.2, 2.3, 8; tiflow c7b2588 internal/message_key.go:24, column.go:27.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.codecs.open.types import ColumnFormat, Writer, integers
from harness.model.values import Value

COMMIT_TS, ROW_ID, PHYSICAL_ID, FIRST_VALUE = 0, 1, 2, 3
INTEGER = ColumnFormat(integers, quoted=False)


@dataclass(frozen=True, slots=True)
class ValueSlot:
    """One place for a value: which column it is of, and how that is written."""

    ordinal: int
    write: Writer
    quoted: bool


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """What rows of one shape have in common: `constants` stand around `slots`, one more of them.

    The last constant begins the text that follows and ends with the line feed that ends it.
    """

    constants: tuple[str, ...]
    slots: tuple[ValueSlot, ...]

    def texts(self, columns: Sequence[Sequence[Value]]) -> list[bytes]:
        """Return the event key and the event value of each row, one after the other.

        Raises TypeError or ValueError for a value that its column cannot have.
        """
        constants = list(self.constants)
        written: list[Sequence[str]] = []
        for number, slot in enumerate(self.slots):
            values = columns[slot.ordinal]
            try:
                written.append(slot.write(values))
            except TypeError:
                written.append(_with_nulls(slot, values))
                if slot.quoted:
                    # These texts bring quotes of their own, as NULL has none.
                    constants[number] = constants[number][:-1]
                    constants[number + 1] = constants[number + 1][1:]
        width = len(constants) + len(written)
        parts = [""] * width
        parts[::2] = constants
        parts *= len(columns[COMMIT_TS])
        for number, texts in enumerate(written):
            parts[number * 2 + 1 :: width] = texts
        return "".join(parts).encode("utf-8", "surrogateescape").split(b"\n")[:-1]


def _with_nulls(slot: ValueSlot, values: Sequence[Value]) -> list[str]:
    present = [value for value in values if value is not None]
    texts: Sequence[str] = slot.write(present) if present else ()
    if slot.quoted and present:
        # No raw line feed occurs within JSON.
        texts = ('"' + '"\n"'.join(texts) + '"').split("\n")
    following = iter(texts).__next__
    return ["null" if value is None else following() for value in values]


class MessageTemplateBuilder:
    """A template that is being put together from left to right."""

    def __init__(self) -> None:
        """Start empty."""
        self._constants = [""]
        self._slots: list[ValueSlot] = []

    def text(self, text: str) -> None:
        """Add constant text."""
        self._constants[-1] += text

    def slot(self, ordinal: int, form: ColumnFormat) -> None:
        """Add a place for a value of a column."""
        quote = '"' if form.quoted else ""
        self._constants[-1] += quote
        self._slots.append(ValueSlot(ordinal, form.write, form.quoted))
        self._constants.append(quote)

    def members(self, columns: Iterable[tuple[str, int, ColumnFormat]]) -> None:
        """Add an object of columns: the text before `v`, and the place of the value."""
        comma = ""
        self.text("{")
        for prefix, ordinal, form in columns:
            self.text(comma + prefix)
            self.slot(ordinal, form)
            self.text("}")
            comma = ","
        self.text("}")

    def template(self) -> MessageTemplate:
        """Return what was put together."""
        return MessageTemplate(tuple(self._constants), tuple(self._slots))
