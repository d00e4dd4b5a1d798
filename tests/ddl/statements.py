"""Statements with the text that TiDB writes back: the tables of statements.txt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def _section(title: str) -> Mapping[str, str]:
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    (section,) = (part for part in text.split("\n== ") if part.startswith(title))
    lines = [line for line in section.splitlines() if line.startswith(("<", ">"))]
    assert [line[0] for line in lines] == ["<", ">"] * (len(lines) // 2), "pairs of < and >"
    return {
        written[2:]: sent[2:].removesuffix("$")
        for written, sent in zip(lines[::2], lines[1::2], strict=True)
    }


RESTORED = _section("statements")
QUERIES = _section("queries")
EXPRESSIONS = _section("expressions")
