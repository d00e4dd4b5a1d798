"""What escapes promise holds for any text."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from hypothesis import example, given
from hypothesis import strategies as st

from harness.report.escapes import fenced, html_text, markdown_text, shortened, visible

ANY = st.text(st.characters())  # lone surrogates too


@given(ANY)
def test_visible_text_is_fit_for_xml_and_terminals(text: str) -> None:
    """No control character but tab and newline is left, and XML takes the rest as it is."""
    shown = visible(text)
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown) is None
    element = ET.Element("a", {"b": shown})
    element.text = shown
    back = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    assert (back.text or "", back.get("b")) == (shown, shown)


@given(ANY)
@example("see https://a.b :tea: {{ x }} {% y %} [a]{#b}")
def test_markdown_text_has_no_markup(text: str) -> None:
    """Every mark of Markdown or HTML is a character reference, on one line."""
    shown = markdown_text(text)
    assert "\n" not in shown
    assert not set("<>`*_[]|\\!~") & set(shown)
    assert re.search(r"://|:[\w+-]+:|\{[{%:#]", shown) is None
    assert re.search(r"&(?!#\d+;)", shown) is None


def test_markdown_text_is_readable_where_nobody_renders_it() -> None:
    """What is no mark stays: a colon, parentheses, quotes, a row in braces."""
    text = "exec:./mine.py: passed 81 (87 %) of 'types', {id: 2, v: \"a\"}"
    assert markdown_text(text) == text


@given(ANY)
def test_html_text_has_no_tags(text: str) -> None:
    """No tag and no attribute can begin or end."""
    assert not set("<>\"'\n") & set(html_text(text))


@given(st.lists(st.text("`a\n ", max_size=8), max_size=6))
def test_no_line_closes_its_fence(lines: list[str]) -> None:
    """The closing fence of a code block is its last line and no other."""
    head, *body, last = fenced(lines).split("\n")
    assert head == f"{last}text"
    assert all(last not in line for line in body)


@given(st.text(max_size=20), st.integers(1, 20))
def test_a_cut_shows(text: str, most: int) -> None:
    """A text is whole, or as long as allowed with an ellipsis at its end."""
    short = shortened(text, most)
    assert short == text or (len(short) == most and short.endswith("…"))
