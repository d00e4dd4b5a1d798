"""Values as TiCDC vectors write them: `{"int64": "1"}`, `{"b64": "…"}`, text, or null."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, cast

from harness.errors import EncodingError
from harness.model.columns import CHARACTERS, ColumnKind
from harness.model.values import Value


def narrowed(text: str) -> float:
    """Return the 32-bit float that a text stands for."""
    number: float = struct.unpack("<f", struct.pack("<f", float(text)))[0]
    return number


_NUMBERS: Mapping[str, Callable[[str], Value]] = {
    "int64": int,
    "uint64": int,
    "float32": narrowed,
    "float64": float,
}


def value_of(kind: ColumnKind, raw: Any) -> Value:  # noqa: ANN401  (a field of a vector)
    """Return a mounted value of a column of that kind; EncodingError for a form not known."""
    if raw is None or isinstance(raw, str):
        return raw
    forms = cast("dict[str, str]", raw) if isinstance(raw, dict) else {}
    for form, text in forms.items():
        if form in _NUMBERS:
            return _NUMBERS[form](text)
        if form == "b64":
            content = b64decode(text)
            return content.decode() if kind in CHARACTERS else content
    raise EncodingError(
        f"a mounted value in the forms {', '.join(forms) or '(none)'}",
        expected="int64, uint64, float32, float64, b64, text or null",
    )
