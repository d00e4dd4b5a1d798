"""The JSON Schemas of documents as files, for editors and for consumers in any language.

`docs/reference/schemas/NAME.schema.json` is what `text` returns; a test holds the two together, and
`python -m harness.report.document_schemas` writes them all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from harness.documents.typed import schema
from harness.engine.run.external_topics.document import LiveDocument
from harness.load.spec import Spec
from harness.runner.manifests.files import ExpectationsFile, ManifestFile

HOME = Path("docs/reference/schemas")
DOCUMENTS: Mapping[str, type[msgspec.Struct]] = {
    "consumer": ManifestFile,
    "expectations": ExpectationsFile,
    "live": LiveDocument,
    "workload": Spec,
}


def file_name(name: str) -> str:
    """Return the name of a document's schema below the directory of schemas."""
    return f"{name}.schema.json"


def text(name: str) -> str:
    """Return the schema of a document (a key of `DOCUMENTS`) as text."""
    return json.dumps(schema(DOCUMENTS[name]), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in DOCUMENTS:
        (HOME / file_name(each)).write_text(text(each), encoding="utf-8")
