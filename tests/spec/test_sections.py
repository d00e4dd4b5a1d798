"""The clauses cover the documents section by section, in words of their own."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.protocols.clauses import CLAUSES
from tests.tree import hold, text_of

HOSTS = {
    "avro.apache.org",
    "debezium.io",
    "docs.confluent.io",
    "docs.pingcap.com",
    "github.com",
    "kafka.apache.org",
}
# Document -> section -> why it has no clause; empty when it has some.
SECTIONS = tomllib.loads(text_of("harness/spec/sections.toml"))
TEXT_MAX = 200
RUN = 8
# Names a directory with the documents' own text; without it nothing can be compared.
DOCUMENTS = os.environ.get("CDC_SEEDS_DIR", "")


def words(text: str) -> list[str]:
    """Return a text's words in lower case, punctuation aside."""
    return re.findall(r"\w+", text.lower())


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every run of `RUN` words of a text."""
    found = words(text)
    return zip(*(found[start:] for start in range(RUN)), strict=False)


def test_every_section_has_clauses_or_a_reason() -> None:
    """No section of a source document is forgotten, and none is excused that has clauses."""
    cited = {(clause.source.document, clause.source.section) for clause in CLAUSES.values()}
    hold(
        f"{page}, {section}: " + ("no clause" if not reason else "has clauses and a reason")
        for page, sections in SECTIONS.items()
        for section, reason in sections.items()
        if ((page, section) in cited) == bool(reason)
    )


def test_clauses_name_sections_that_exist() -> None:
    """A clause of a source document stands in a section of it."""
    hold(
        f"{clause.id}: {clause.source.document} has no section {clause.source.section!r}"
        for clause in CLAUSES.values()
        if clause.source.section
        not in SECTIONS.get(clause.source.document, {clause.source.section})
    )


def test_the_page_on_versions_names_clauses_that_exist() -> None:
    """Each difference between a document and an encoder is stated by a clause."""
    tables = re.findall(
        r"\| clause \|\n.*\n((?:\|.*\|\n)+)", text_of("docs/explanation/versions.md")
    )
    cited = [row.rsplit("|", 2)[1].strip() for table in tables for row in table.splitlines()]
    assert cited
    hold(
        f"docs/explanation/versions.md: {clause} is no clause"
        for clause in cited
        if clause.strip("`") not in CLAUSES
    )


def test_a_clause_is_short() -> None:
    """A statement fits on two lines."""
    hold(
        f"{clause.written}: {clause.id} has {len(clause.text)} characters, the cap is {TEXT_MAX}"
        for clause in CLAUSES.values()
        if len(clause.text) > TEXT_MAX
    )


def test_a_source_is_public() -> None:
    """The source of a clause is a page that anybody can open."""
    hold(
        f"{clause.written}: {clause.id}: {clause.source.url}"
        for clause in CLAUSES.values()
        for url in [urlsplit(clause.source.url)]
        if url.scheme != "https"
        or url.netloc not in HOSTS
        or not url.path
        or " " in clause.source.url
    )


@pytest.mark.skipif(not DOCUMENTS, reason="CDC_SEEDS_DIR does not name the documents' text")
def test_no_clause_copies_its_document() -> None:
    """No clause shares eight words in a row with a document."""
    texts = {path.name: path.read_text("utf-8") for path in Path(DOCUMENTS).glob("*.txt")}
    assert texts
    copied = {name: set(runs(text)) for name, text in texts.items()}
    hold(
        f"{clause.id}: {' '.join(run)!r} is in {name}"
        for clause in CLAUSES.values()
        for name, theirs in copied.items()
        for run in runs(clause.text)
        if run in theirs
    )
