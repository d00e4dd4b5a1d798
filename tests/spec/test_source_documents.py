"""Every sentence of the five documents has clauses or a reason, and every clause a sentence."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from harness.protocols.clauses import CLAUSES
from harness.spec.source_documents import SourceDocument, source_documents
from tests.tree import hold, text_of

# Names a directory with the documents' own text; without it nothing can be compared.
DOCUMENTS = os.environ.get("CDC_SEEDS_DIR", "")
EACH = {document.title: document for document in source_documents()}


def test_the_documents_are_those_whose_sections_are_listed() -> None:
    """The five documents are read line by line, and no other."""
    assert set(EACH) == set(tomllib.loads(text_of("harness/spec/sections.toml")))


def test_every_id_exists() -> None:
    """A statement names clauses that exist, each once."""
    hold(
        f"{document.title}, {one.lines}: {clause} is no clause"
        for document in EACH.values()
        for one in document.statements
        for clause in one.clauses
        if clause not in CLAUSES or one.clauses.count(clause) > 1
    )


def test_every_clause_of_a_document_stands_in_its_lines() -> None:
    """A clause that names a document as its source is found at a line of that document."""
    named = {
        title: {clause for one in document.statements for clause in one.clauses}
        for title, document in EACH.items()
    }
    hold(
        f"{clause.written}: {clause.id}: no line of {clause.source.document} has it"
        for clause in CLAUSES.values()
        if clause.source.document in EACH and clause.id not in named[clause.source.document]
    )


@pytest.mark.parametrize("document", EACH.values(), ids=list(EACH))
def test_lines_are_in_order_and_inside(document: SourceDocument) -> None:
    """A reader can go down the document and the list side by side, and no line is passed over."""
    assert document.statements[0].first == 1
    assert document.statements[-1].last == document.lines
    hold(
        f"{document.title}: {one.lines} {one.phrase}"
        for one in document.statements
        if not 1 <= one.first <= one.last <= document.lines
    )
    hold(
        f"{document.title}: {late.lines} stands behind {early.lines}"
        for early, late in pairwise(document.statements)
        if (late.first, late.last) < (early.first, early.last)
    )


def test_a_phrase_finds_its_place_and_copies_nothing() -> None:
    """A phrase has at most five words of ours, and differs from the others of its lines."""
    hold(
        f"{document.title}, {one.lines}: {one.phrase}"
        for document in EACH.values()
        for one in document.statements
        if not one.phrase or len(re.findall(r"\w+", one.phrase)) > 6
    )
    for document in EACH.values():
        places = [(one.first, one.last, one.phrase) for one in document.statements]
        assert len(places) == len(set(places))


def test_a_statement_has_clauses_or_a_reason() -> None:
    """What is no clause says in one sentence why."""
    hold(
        f"{document.title}, {one.lines}: {one.phrase}"
        for document in EACH.values()
        for one in document.statements
        if bool(one.clauses) == bool(one.reason) or (one.reason and not one.reason.endswith("."))
    )


@pytest.mark.skipif(not DOCUMENTS, reason="CDC_SEEDS_DIR does not name the documents' text")
def test_the_documents_are_the_texts_that_were_read() -> None:
    """Length and SHA-256 are those of the texts, so the line numbers are too."""
    read = {
        hashlib.sha256(data).hexdigest(): len(data.decode("utf-8").splitlines())
        for path in Path(DOCUMENTS).glob("*.txt")
        for data in [path.read_bytes()]
    }
    assert {one.sha256: one.lines for one in EACH.values()} == read
