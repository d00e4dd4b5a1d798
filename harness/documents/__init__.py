"""Documents that people write: YAML with positions, checked by a JSON Schema, read into types.

`yaml_file` parses and remembers lines and columns, `explain` turns a validator's errors into
sentences, `typed` makes a schema of a msgspec type and reads a document into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# An object of a document as plain data, of the shape that the document's JSON Schema held it to.
PlainObject = Mapping[str, Any]
JsonSchema = Mapping[str, Any]
