"""What the protocols of a TiCDC changefeed have in common."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# Partition rules that `harness fuzz` draws.
ROUTES: tuple[Mapping[str, Any], ...] = tuple(
    MappingProxyType({"sink.dispatchers": [{"matcher": ["*.*"], "partition": rule}]})
    for rule in ("index-value", "table", "ts")
)
