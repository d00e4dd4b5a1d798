"""A database that takes a consumer's tables: made before it starts, read when it has ended."""

from __future__ import annotations
