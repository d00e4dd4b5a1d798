"""ALTER TABLE: a module for each family of specifications, and `table` for the statement."""

from __future__ import annotations
