"""Clauses that no stream to a consumer can show, and the test that proves each instead.

Law: short, and each entry says why. A clause stands here only if whatever it governs never becomes
a record, a delivery or a stopped changefeed; one that a scenario can witness belongs to a scenario.
A test holds that every named test exists and that no scenario cites the clause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a clause in place of a scenario: `test` is `path::function` from the root."""

    test: str
    why: str


ELSEWHERE: Mapping[str, Proof] = MappingProxyType({})
