"""Certifies a system that runs already: its topics are filled, its tables are looked at."""

from __future__ import annotations
