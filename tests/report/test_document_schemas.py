"""Published schemas are those that the harness reads documents by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest

from harness.documents.typed import schema
from harness.report.document_schemas import DOCUMENTS, HOME, file_name, text
from tests.tree import text_of, tracked


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_committed_schema_is_the_generated_one(name: str) -> None:
    """It is up to date; else: python -m harness.report.document_schemas."""
    assert text_of(f"{HOME}/{file_name(name)}") == text(name)


def test_no_schema_is_of_no_document() -> None:
    """A document that is gone takes its schema along."""
    found = {path.name for path in tracked() if path.parent == HOME}
    assert found == set(map(file_name, DOCUMENTS))


def unnamed(node: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the keys of a schema, and of what is in it, without a noun for messages."""
    for key, child in node.get("properties", {}).items():
        inner = child.get("items", {})
        yield from (f"{path}{key}" for one in (child, inner) if one and "title" not in one)
        yield from unnamed(child, f"{path}{key}.")
        yield from unnamed(inner, f"{path}{key}[].")


@pytest.mark.parametrize("name", ["consumer", "expectations", "live", "workload"])
def test_every_key_has_a_noun(name: str) -> None:
    """A message about a key says what it must be."""
    assert list(unnamed(schema(DOCUMENTS[name]))) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_are_schemas_with_descriptions(name: str) -> None:
    """Each schema is valid by its own dialect and says what it is for."""
    published = json.loads(text(name))
    jsonschema_rs.meta.validate(published)
    assert published["description"]
    assert published["title"]
