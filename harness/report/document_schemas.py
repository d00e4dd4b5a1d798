"""The JSON Schemas of documents as files, for editors and for consumers in any language.

`docs/reference/schemas/NAME.schema.json` is what `text` returns; a test holds the two together, and
`python -m harness.report.document_schemas` writes them all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.documents.typed import schema
from harness.engine.run.external_topics.document import LiveDocument
from harness.load.spec import Spec
from harness.runner.contract.job_file import JobFile
from harness.runner.contract.result_files import NAMES, VERSION
from harness.runner.manifests.files import ExpectationsFile, ManifestFile

HOME = Path("docs/reference/schemas")
DOCUMENTS: Mapping[str, Any] = {
    "consumer": ManifestFile,
    "expectations": ExpectationsFile,
    "live": LiveDocument,
    "workload": Spec,
    "job": JobFile,
    **{name: kind for kind, name in NAMES.items()},
}
# What is said of a type that has no docstring of its own.
SAID: Mapping[str, Mapping[str, str]] = {
    "tables": {
        "title": f"tables.json, {VERSION}",
        "description": "Optional. Which table a file under tables/ holds, for files that are not"
        " named after their table: 64 characters of Chinese, percent-encoded, are longer than the"
        " 255 bytes that a file's name may have.",
    }
}


def file_name(name: str) -> str:
    """Return the name of a document's schema below the directory of schemas."""
    return f"{name}.schema.json"


def text(name: str) -> str:
    """Return the schema of a document (a key of `DOCUMENTS`) as text."""
    document = {**schema(DOCUMENTS[name]), **SAID.get(name, {})}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in DOCUMENTS:
        (HOME / file_name(each)).write_text(text(each), encoding="utf-8")
