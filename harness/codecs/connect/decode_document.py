"""A record's key or value as read from its bytes: a document, and what its schema says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from harness.errors import DecodingError

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Semantic:
    """What a schema says of one field: Connect's type and name, parameters, a struct's fields."""

    type: str
    name: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[str, Semantic] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ConnectDocument:
    """A key or a value; `semantic` is None where the bytes bring no schema."""

    document: Document
    text: str
    semantic: Semantic | None = None

    def inside(self, name: str) -> Semantic | None:
        """Return what the schema says of a field."""
        return None if self.semantic is None else self.semantic.fields.get(name)


def integer(document: Document, name: str) -> int:
    """Return a whole number; DecodingError for anything else."""
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise DecodingError(f"`{name}` is {shown(value)}, not a whole number")
    return value


def maybe_integer(document: Document, name: str) -> int | None:
    """Return a whole number, or None where there is none."""
    return None if document.get(name) is None else integer(document, name)


def text(document: Document, name: str) -> str:
    """Return a text; DecodingError for anything else."""
    value = document.get(name)
    if not isinstance(value, str):
        raise DecodingError(f"`{name}` is {shown(value)}, not text")
    return value


def maybe_text(document: Document, name: str) -> str:
    """Return a text, empty where there is none."""
    return "" if document.get(name) is None else text(document, name)


def inner(document: Document, name: str) -> Document:
    """Return an object; DecodingError for anything else."""
    value = document.get(name)
    if not isinstance(value, dict):
        raise DecodingError(f"`{name}` is {shown(value)}, not an object")
    return cast("dict[str, Any]", value)


def maybe_inner(document: Document, name: str) -> Document | None:
    """Return an object, or None where there is none."""
    return None if document.get(name) is None else inner(document, name)


def shown(value: object) -> str:
    """Return a value for a message, no longer than a line."""
    found = repr(value)
    return found if len(found) <= _LINE else f"{found[:_LINE]}…"


_LINE = 60
