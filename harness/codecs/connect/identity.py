"""What is made once of each schema and found again by the schema's identity.

Schemas are deep; comparing or hashing one for each record would cost more than the record. Whoever
makes them keeps one object a table's version, as the connector does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from harness.codecs.connect.schema import Schema

T = TypeVar("T")
# `schemas.cache.size` of the converters.
_KEPT: Final = 1000


class ByIdentity(Generic[T]):
    """A bounded memory, by a schema's identity."""

    def __init__(self, make: Callable[[Schema], T]) -> None:
        """Take what makes the thing of a schema."""
        self._make = make
        # The schema is kept beside the thing, so that its identity stays its own.
        self._made: dict[int, tuple[Schema, T]] = {}

    def of(self, schema: Schema) -> T:
        """Return the thing that belongs to a schema, made now or before."""
        found = self._made.get(id(schema))
        if found is not None:
            return found[1]
        if len(self._made) >= _KEPT:
            self._made.clear()
        made = self._make(schema)
        self._made[id(schema)] = (schema, made)
        return made
