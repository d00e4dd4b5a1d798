"""Expected against observed: pure, from values to findings."""

from __future__ import annotations
