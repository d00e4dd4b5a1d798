"""JSON without loss and without mercy: what a consumer wrote is what the verdict sees.

| text | becomes |
| --- | --- |
| integer | `int`, exact at any size |
| number with a point or an exponent | `decimal.Decimal`, exact |
| a key twice in one object | refused (RFC 8259 §4 leaves its meaning open) |
| `NaN`, `Infinity` | refused: not JSON |
| half of a surrogate pair | refused: no text can hold it |

Bounds keep a hostile document from costing more than its own size: an exponent of a billion would
take the machine's memory at the first conversion to an integer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from harness.model.observed import RawValue

MAX_DEPTH = 64
MAX_EXPONENT = 1000


class Malformed(Exception):  # noqa: N818 - it says what the document is; nobody is at fault here yet
    """A document that is not what the contract asks for; `results` turns it into a finding."""

    def __init__(self, what: str, *, expected: str = "") -> None:
        """Say what is wrong with the document, and what was expected instead."""
        self.what = what
        self.expected = expected
        super().__init__(what)


def parse(raw: bytes) -> RawValue:
    """Return the value of one JSON text in UTF-8; raises Malformed."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(
            f"byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8", expected="UTF-8 text"
        ) from None
    value = _decode(text)
    if b"\\u" in raw or raw.count(b"[") + raw.count(b"{") > MAX_DEPTH:
        _refuse_extremes(value)
    return value


def _decode(text: str) -> RawValue:
    try:
        value: RawValue = DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _explain(error, text) from None
    except RecursionError:
        raise Malformed(f"nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        raise Malformed("an integer of more than 4300 digits") from None
    return value


def _explain(error: json.JSONDecodeError, text: str) -> Malformed:
    """Tell a text that stops too early from one that is wrong in its middle."""
    stops = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if not text.strip():
        return Malformed("empty", expected="a JSON value")
    if stops:
        return Malformed(
            f"half-written: the text ends at column {len(text.rstrip())}, within a value"
        )
    return Malformed(f"not JSON at column {error.pos + 1}: {error.msg}", expected="a JSON value")


def _object(pairs: list[tuple[str, RawValue]]) -> dict[str, RawValue]:
    """Build one object, refusing a key that is there twice."""
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Malformed(f"the key {twice!r} is there twice in one object", expected="each key once")
    return result


def _number(text: str) -> Decimal:
    """Keep every digit; refuse exponents that no column type has."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = None
    if number is None or abs(number.adjusted()) > MAX_EXPONENT:
        raise Malformed(
            f"the number {text[:40]} is out of bounds",
            expected=f"an exponent within ±{MAX_EXPONENT}",
        )
    return number


def _constant(name: str) -> RawValue:
    """Refuse what Python's own parser lets through."""
    raise Malformed(f"{name} is not JSON", expected="null, a finite number or text")


def _refuse_extremes(value: RawValue) -> None:
    """Walk the value: nesting within bounds, and every text whole Unicode."""
    level: list[RawValue] = [value]
    for _ in range(MAX_DEPTH):
        if not level:
            return
        level = [child for parent in level for child in _children(parent)]
    if level:
        raise Malformed(f"nested deeper than {MAX_DEPTH} levels")


def _children(value: RawValue) -> Iterable[RawValue]:
    """Return what a value holds; keys count as texts. Raises Malformed on half a surrogate pair."""
    if isinstance(value, str) and not _is_unicode(value):
        raise Malformed("text with half of a surrogate pair", expected="whole Unicode characters")
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else ()


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)
