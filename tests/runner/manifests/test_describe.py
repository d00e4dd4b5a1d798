"""The reference page of manifests says what their schemas say."""

from __future__ import annotations

import re

from harness.documents.typed import schema
from harness.runner.manifests.describe import page
from harness.runner.manifests.files import ExpectationsFile, ManifestFile
from tests.tree import text_of


def test_the_committed_page_is_the_generated_one() -> None:
    """docs/reference/manifest.md is what `python -m harness.runner.manifests.describe` says."""
    assert text_of("docs/reference/manifest.md") == page()


def test_every_key_is_on_the_page() -> None:
    """Each key of either file has a row, and none is without a meaning."""
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", page(), re.MULTILINE)
    keys = {key for kind in (ManifestFile, ExpectationsFile) for key in schema(kind)["properties"]}
    assert keys <= {key for key, _ in rows}
    assert all(meaning.strip() for _, meaning in rows)
