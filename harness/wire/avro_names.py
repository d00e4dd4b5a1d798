"""Names in Avro schemas, as Java's library takes them: any letter, not only ASCII's.

The Python library knows ASCII names only and does not look at those of fields; registries are
Java. Source: Apache Avro 1.12 `NameValidator.UTF_VALIDATOR`, which `Schema.Parser` uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

# Java's isLetter and isLetterOrDigit: `\w` without what the first character may not be.
_NAME = re.compile(r"[^\W\d]\w*\Z")
_NAMED = frozenset({"record", "error", "enum", "fixed"})


def wrong_name(schema: object) -> str | None:
    """Return the first name in a schema that is none, None when all are."""
    return next((name for name in _names(schema) if not _NAME.match(name)), None)


def _names(schema: object) -> Iterator[str]:
    if isinstance(schema, list):
        for branch in cast("list[object]", schema):
            yield from _names(branch)
    if not isinstance(schema, dict):
        return
    found = cast("dict[str, Any]", schema)
    kind = found.get("type")
    if isinstance(kind, str) and kind in _NAMED:
        yield from _full_name(found)
    for symbol in found.get("symbols") or ():
        yield str(symbol)
    for field in found.get("fields") or ():
        yield str(field.get("name", ""))
        yield from _names(field.get("type"))
    for part in ("type", "items", "values"):
        yield from _names(found.get(part))


def _full_name(found: dict[str, Any]) -> Iterator[str]:
    name = str(found.get("name", ""))
    space = str(found.get("namespace") or "")
    full = name if "." in name or not space else f"{space}.{name}"
    yield from full.split(".")
