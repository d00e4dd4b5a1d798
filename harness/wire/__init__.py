"""Pure byte grammar that protocols share: framing, compression, registries, Go's JSON."""

from __future__ import annotations
