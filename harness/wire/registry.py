"""A schema registry in memory: ids, versions and compatibility, as Confluent's and Apicurio's have.

Ids count from 1 in order of registration; the same text has one id, in whatever subject. A
schema that a subject has already is never judged again.

Source: Confluent, Schema Registry, §Schema evolution and compatibility; the same list of evolutions
is put to a real registry in tests/services/test_schemas.py.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, cast

import avro.errors
import avro.schema
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

from harness.errors import DecodingError, SchemaRefused

# Java's isLetter and isLetterOrDigit: `\w` without what the first character may not be.
_NAME = re.compile(r"[^\W\d]\w*\Z")
_NAMED = frozenset({"record", "error", "enum", "fixed"})


def wrong_name(schema: object) -> str | None:
    """Return the first name in a schema that is none, None when all are.

    Registries are Java: names have any letter, not only ASCII's, and those of fields count too.
    Source: Apache Avro 1.12 `NameValidator.UTF_VALIDATOR`, which `Schema.Parser` uses.
    """
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


class Compatibility(StrEnum):
    """What a new version owes the older ones; BACKWARD, the default, is to read the latest."""

    NONE = "NONE"
    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"


_NEW_READS_OLD = frozenset(
    {
        Compatibility.BACKWARD,
        Compatibility.BACKWARD_TRANSITIVE,
        Compatibility.FULL,
        Compatibility.FULL_TRANSITIVE,
    }
)
_OLD_READS_NEW = frozenset(
    {
        Compatibility.FORWARD,
        Compatibility.FORWARD_TRANSITIVE,
        Compatibility.FULL,
        Compatibility.FULL_TRANSITIVE,
    }
)
_TRANSITIVE = frozenset(
    {
        Compatibility.BACKWARD_TRANSITIVE,
        Compatibility.FORWARD_TRANSITIVE,
        Compatibility.FULL_TRANSITIVE,
    }
)


class MemoryRegistry:
    """One registry; `level` holds for every subject that was not given its own."""

    def __init__(self, level: Compatibility = Compatibility.BACKWARD) -> None:
        """Start without schemas."""
        self._level = level
        self._levels: dict[str, Compatibility] = {}
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        self._versions: dict[str, list[str]] = {}

    def register(self, subject: str, schema: str) -> int:
        """Return the schema's id under a subject; SchemaRefused when it is not compatible."""
        versions = self._versions.get(subject, [])
        if schema not in versions:
            self._judge(subject, schema, versions)
            self._versions.setdefault(subject, []).append(schema)
        found = self._ids.get(schema)
        if found is None:
            self._texts.append(schema)
            found = self._ids[schema] = len(self._texts)
        return found

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; DecodingError for an id that nobody was given."""
        if not 1 <= schema_id <= len(self._texts):
            raise DecodingError(
                f"unknown schema id {schema_id}", expected=f"an id up to {len(self._texts)}"
            )
        return self._texts[schema_id - 1]

    def versions(self, subject: str) -> tuple[str, ...]:
        """Return a subject's schemas, oldest first."""
        return tuple(self._versions.get(subject, ()))

    def require(self, subject: str, level: Compatibility) -> None:
        """Set the level of one subject."""
        self._levels[subject] = level

    def _judge(self, subject: str, schema: str, versions: list[str]) -> None:
        new = _parsed(schema)
        level = self._levels.get(subject, self._level)
        for text in versions if level in _TRANSITIVE else versions[-1:]:
            old = _parsed(text)
            for wanted, reader, writer in (
                (_NEW_READS_OLD, new, old),
                (_OLD_READS_NEW, old, new),
            ):
                if level in wanted:
                    _reads(reader, writer, subject, level)


def _parsed(text: str) -> avro.schema.Schema:
    try:
        with warnings.catch_warnings():
            # A logical type that does not fit is left out of account, as registries leave it.
            warnings.simplefilter("ignore", avro.errors.IgnoredLogicalType)
            parsed = avro.schema.parse(text, validate_names=False)
        wrong = wrong_name(json.loads(text))
    except (avro.errors.AvroException, AttributeError, ValueError, RecursionError) as error:
        raise SchemaRefused(f"not an Avro schema: {error}") from error
    if wrong is not None:
        raise SchemaRefused(
            f"not an Avro schema: {wrong!r} is no name",
            expected="letters, digits and _, no digit first",
        )
    return parsed


def _reads(
    reader: avro.schema.Schema, writer: avro.schema.Schema, subject: str, level: Compatibility
) -> None:
    checker = ReaderWriterCompatibilityChecker()  # type: ignore[no-untyped-call]
    found = checker.get_compatibility(reader, writer)
    if found.compatibility is not SchemaCompatibilityType.compatible:
        raise SchemaRefused(
            f"the schema is not {level.value} compatible with what subject {subject!r} has: "
            + "; ".join(sorted(found.messages)),
            hint="change the table another way, or the subject's compatibility level",
        )
