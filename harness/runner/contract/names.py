"""The name of a table's result file: one table, one name, on every file system.

`<schema>.<table>.jsonl` or `.parquet`, where every byte of the UTF-8 names outside `[A-Za-z0-9_-]`
is `%XX`.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

from harness.model.table import TableId
from harness.runner.contract.exact_json import Malformed

SUFFIX = ".jsonl"
SUFFIXES = (SUFFIX, ".parquet")
EXPECTED = "<schema>.<table>.jsonl with every byte outside [A-Za-z0-9_-] written %XX"
_PART = re.compile(r"(?:[A-Za-z0-9_-]|%[0-9A-Fa-f]{2})+")


def encode(table: TableId) -> str:
    """Return the file name of that table."""
    return f"{_encode(table.schema)}.{_encode(table.name)}{SUFFIX}"


def decode(file_name: str) -> TableId:
    """Return the table that a file name means, also when it escapes more than it must.

    Raises Malformed, with the spelling that was expected.
    """
    found = (file_name.removesuffix(one) for one in SUFFIXES if file_name.endswith(one))
    stem = next(found, file_name)
    parts = stem.split(".")
    if len(parts) != 2 or not all(_PART.fullmatch(part) for part in parts):
        raise Malformed("the file's name names no table", expected=EXPECTED)
    try:
        schema, name = (unquote_to_bytes(part).decode("utf-8") for part in parts)
    except UnicodeDecodeError:
        raise Malformed("the file's name is not UTF-8 when decoded", expected=EXPECTED) from None
    return TableId(schema, name)


def _encode(part: str) -> str:
    """Escape as URLs do, and the two characters besides that URLs leave alone."""
    return quote(part, safe="").replace(".", "%2E").replace("~", "%7E")
