"""ENUM and SET: their members, and what an index or a bit mask stands for.

Source: V:VitessType.java resolveEnumAndSetValues, V:VitessValueConverter.java convertEnumToString
and convertSetValue; vectors enum.*, set.*.
"""

from __future__ import annotations

from harness.codecs.connect.errors import OUT_OF_BOUNDS, JavaError

MASK = (1 << 64) - 1


def members(definition: str) -> tuple[str, ...]:
    """Read the members of `enum('a','b')` as the connector does.

    A doubled quote is a quote wherever it stands, so that an empty member spoils the rest of the
    list (vector enum.index).
    """
    found: list[str] = []
    current: list[str] = []
    inside = False
    position = 0
    while position < len(definition):
        char = definition[position]
        if char == "'":
            if position + 1 >= len(definition):
                size = len(definition)
                raise JavaError(OUT_OF_BOUNDS, f"Index {size} out of bounds for length {size}")
            if definition[position + 1] == "'":
                current.append("'")
                position += 1
            else:
                if inside:
                    found.append("".join(current))
                    current.clear()
                inside = not inside
        elif inside:
            current.append(char)
        position += 1
    return tuple(found)


def enum_text(names: tuple[str, ...], index: int) -> str:
    """Return the member at an index from 1; empty for 0 and for one that is not there."""
    return names[index - 1] if 1 <= index <= len(names) else ""


def set_text(names: tuple[str, ...], mask: int) -> str:
    """Return the members of a bit mask (a signed long); an unknown bit leaves an empty token."""
    bits = mask & MASK
    tokens: list[str] = []
    index = 0
    while bits:
        if bits & 1:
            tokens.append(names[index] if index < len(names) else "")
        bits >>= 1
        index += 1
    return ",".join(tokens)
