"""Wrong schema registries, and what encoders make of them."""

from __future__ import annotations
