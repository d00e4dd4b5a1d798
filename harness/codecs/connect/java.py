"""What Java's library does with text, where Python's does it otherwise.

Source: JDK 17 `String`, `Integer.parseInt`, `HashMap`, `FloatingDecimal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from struct import unpack
from typing import Final

from harness.codecs.connect.errors import NO_SUCH_GROUP, NUMBER_FORMAT, JavaError

_REFERENCE: Final = re.compile(r"\\(.)|\$(?:\{(\w+)\}|(\d))", re.DOTALL)
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_BLANK: Final = "".join(map(chr, range(33)))
_INTEGER: Final = re.compile(r"[+-]?\d+\Z")
_FLOAT: Final = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)\Z", re.ASCII
)


def text(raw: bytes) -> str:
    """Decode UTF-8 as `new String(raw, UTF_8)`: U+FFFD for what is malformed, one a surrogate."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _SURROGATE.sub(b"\xef\xbf\xbd", raw).decode(errors="replace")


def utf8_bytes(text: str) -> bytes:
    """Return `text.getBytes(UTF_8)`: half a surrogate pair becomes a question mark."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Two halves that stand side by side are one character to Java.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return whole.encode("utf-8", "replace")


def split(value: str, separator: str) -> list[str]:
    """Split as `String.split` does: no empty strings at the end, one where nothing was split."""
    parts = value.split(separator)
    if len(parts) == 1:
        return parts
    while parts and not parts[-1]:
        parts.pop()
    return parts


def integer(value: str, bits: int) -> int:
    """Parse as `Short`, `Integer` or `Long.valueOf` do, with their words for what is no number."""
    if not _INTEGER.match(value):
        raise JavaError(NUMBER_FORMAT, f'For input string: "{value}"')
    number = int(value)
    if -(1 << bits - 1) <= number < 1 << bits - 1:
        return number
    if bits == 16:
        if not -(1 << 31) <= number < 1 << 31:
            raise JavaError(NUMBER_FORMAT, f'For input string: "{value}"')
        raise JavaError(NUMBER_FORMAT, f'Value out of range. Value:"{value}" Radix:10')
    raise JavaError(NUMBER_FORMAT, f'For input string: "{value}"')


def floating(value: str) -> float:
    """Parse as `Double.valueOf` does (hexadecimal floats aside)."""
    stripped = value.strip(_BLANK)
    if not stripped:
        raise JavaError(NUMBER_FORMAT, "empty String")
    if not _FLOAT.match(stripped):
        raise JavaError(NUMBER_FORMAT, f'For input string: "{stripped}"')
    if stripped[-1] in "fFdD":
        stripped = stripped[:-1]
    return float(stripped)


def code_units(value: str) -> tuple[int, ...]:
    """Return a string's UTF-16 units, which are Java's characters."""
    raw = value.encode("utf-16-be", "surrogatepass")
    return unpack(f">{len(raw) // 2}H", raw)


def hash_code(value: str) -> int:
    """Return `String.hashCode`: over UTF-16 units, in 32 bits (unsigned here)."""
    code = 0
    for unit in code_units(value):
        code = (31 * code + unit) & 0xFFFFFFFF
    return code


def buckets(count: int, capacity: int = 16) -> int:
    """Return the capacity of a HashMap after that many entries were put one by one."""
    while count > capacity * 3 // 4:
        capacity *= 2
    return capacity


def hash_order(keys: Iterable[str], capacity: int) -> list[str]:
    """Return keys as a HashMap of that capacity iterates: by bucket, then as they were put."""
    mask = capacity - 1

    def bucket(key: str) -> int:
        code = hash_code(key)
        return (code ^ code >> 16) & mask

    return sorted(keys, key=bucket)


def map_text(entries: Mapping[str, object]) -> str:
    """Return `HashMap.toString` of string keys."""
    order = hash_order(entries, buckets(len(entries)))
    return "{" + ", ".join(f"{key}={entries[key]}" for key in order) + "}"


def replaced(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    """Replace the first occurrence in a text that matches as a whole, with Java's `$1`.

    Raises JavaError for a group that the pattern has not.
    """
    if not pattern.fullmatch(text):
        return text

    def expand(match: re.Match[str]) -> str:
        def reference(found: re.Match[str]) -> str:
            if found[1] is not None:
                return found[1]
            group = found[2] or int(found[3])
            try:
                return match[group] or ""
            except IndexError as error:
                raise JavaError(NO_SUCH_GROUP, f"No group {group}") from error

        return _REFERENCE.sub(reference, replacement)

    return pattern.sub(expand, text, count=1)
