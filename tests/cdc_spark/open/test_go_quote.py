"""Promises of undoing Go's quotation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.errors import DecodingError
from cdc_spark.open.go_quote import unquote

# Quoted text -> bytes; the first is the 2020 document's own example.
EXAMPLES = {
    r"\x89PNG\r\n\x1a\n": b"\x89PNG\r\n\x1a\n",
    r"\a\b\f\n\r\t\v\\\"'": b"\a\b\f\n\r\t\v\\\"'",
    r"\u00ad\ufeff\U0001f600": "\u00ad\ufeff\U0001f600".encode(),
    "测试": "测试".encode(),
    "": b"",
}


@pytest.mark.parametrize("quoted", EXAMPLES)
def test_examples(quoted: str) -> None:
    """Each escape of Go stands for its bytes."""
    assert unquote(quoted) == EXAMPLES[quoted]


@given(st.binary())
def test_bytes_written_as_escapes_come_back(raw: bytes) -> None:
    r"""Any bytes, each written as `\xNN`, come back."""
    assert unquote("".join(f"\\x{byte:02x}" for byte in raw)) == raw


@pytest.mark.parametrize("text", ["\\", r"\q", r"\x1", r"\u12", r"\U0011ffff", r"\ud800"])
def test_other_escapes_are_refused(text: str) -> None:
    """What Go would not have written is refused."""
    with pytest.raises(DecodingError):
        unquote(text)
