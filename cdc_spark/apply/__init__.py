"""Ordered changes -> tables: the effects of DDL, shapes that rows carry, the fold; pure."""

from __future__ import annotations
