"""Texts in columns are escaped as one text alone is."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.wire.go_json import go_string
from harness.wire.json_text import bare, html_safe
from tests.strategies import TEXT

TEXTS = st.lists(TEXT | st.text(st.characters(codec="utf-8")), max_size=4)


@given(TEXTS)
@example(["<", "plain"])
@example(["\x7f", "\u2028"])
@example(["\ud800"])
def test_html_safe(texts: list[str]) -> None:
    """A column is written as encoding/json writes each of its texts."""
    assert list(html_safe(texts)) == [go_string(text)[1:-1] for text in texts]


# json-iterator's `WriteString`: text -> what it writes.
BARE = {
    "<>&": "<>&",
    "\u2028\u2029\x7f": "\u2028\u2029\x7f",
    "\b\f": r"\u0008\u000c",
    '"\\\n\r\t\x01': r"\"\\\n\r\t\u0001",
    "测😀": "测😀",
}


@pytest.mark.parametrize(("text", "written"), BARE.items(), ids=ascii)
def test_bare(text: str, written: str) -> None:
    """Only quotes, backslashes and controls are escaped by json-iterator."""
    assert list(bare([text])) == [written]


@given(TEXTS)
def test_bare_reads_back(texts: list[str]) -> None:
    """A JSON reader gets the texts back."""
    assert [json.loads(f'"{text}"') for text in bare(texts)] == texts


@pytest.mark.parametrize("write", [html_safe, bare])
@pytest.mark.parametrize("wrong", [[None], [1], [b"x"], ["a", None]])
def test_no_text(write: object, wrong: list[object]) -> None:
    """What is no text is refused with TypeError, NULL included."""
    assert callable(write)
    with pytest.raises(TypeError):
        write(wrong)
