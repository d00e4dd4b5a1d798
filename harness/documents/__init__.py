"""Documents that people write: YAML with positions, checked by a JSON Schema, read into types.

`yaml_file` parses and remembers lines and columns, `explain` turns a validator's errors into
sentences, `typed` makes a schema of a msgspec type and reads a document into it.
"""

from __future__ import annotations
