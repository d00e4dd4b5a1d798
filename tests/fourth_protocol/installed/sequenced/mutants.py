"""Wrong producers of sequenced JSON: each violates one clause."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import patch, result


def _no_null(row: dict[str, object] | None) -> dict[str, object] | None:
    return row and {name: "" if value is None else value for name, value in row.items()}


ROWS = (
    WrongProducer(
        "sequenced-rows-lost",
        "sequenced.row",
        "It sends no row.",
        patch("sequenced:BoundSequenced.encode", lambda _: lambda *_: iter(())),
    ),
    WrongProducer(
        "sequenced-null-is-empty",
        "sequenced.type",
        "It sends NULL as an empty text.",
        result("sequenced:_named", _no_null),
    ),
)
