"""The scenario here is of a protocol that this environment does not have: its test runs it."""

from __future__ import annotations

collect_ignore = ["scenarios", "installed"]
