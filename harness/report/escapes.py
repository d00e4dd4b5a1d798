"""Data that a report quotes stays data: it moves no cursor, opens no tag and ends no table cell.

Whatever a database, a record or a consumer's output holds may stand in a report, so every report
passes it through the function of its medium.
"""

from __future__ import annotations

import html
import re

# Control characters but tab and newline, marks that reorder text, and what XML 1.0 §2.2 forbids.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# Marks of Markdown and HTML anywhere in a line; those of a line's beginning are not our concern.
# A colon is one in an address or a picture (`:tea:`), a brace in an attribute or a template.
_MARKDOWN = re.compile(r"[\\`*_\[\]#!|~^$@&<>]|:(?=//|[\w+-]+:)|\{(?=[{%:#])")
_BACKTICKS = re.compile("`{3,}")


def visible(text: str) -> str:
    """Return text for a terminal or for XML: what cannot be seen is written as an escape."""
    return _INVISIBLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters; the cut is shown by its last one."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def cell(text: str) -> str:
    """Return Markdown of ours for a table cell."""
    return text.replace("|", "\\|")


def html_text(text: str) -> str:
    """Return text for HTML inside Markdown, on one line."""
    return html.escape(_one_line(text))


def markdown_text(text: str) -> str:
    """Return text for a Markdown paragraph or table cell, on one line."""
    return _MARKDOWN.sub(_entity, _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _entity(match: re.Match[str]) -> str:
    """Return a character reference: it works in cells and paragraphs, a backslash not always."""
    return f"&#{ord(match[0])};"


def fenced(lines: list[str]) -> str:
    """Return lines as a Markdown code block whose fence no line can close."""
    text = visible("\n".join(lines))
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}"
