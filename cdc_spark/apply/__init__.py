"""Events -> tables: waiting, ordering, DDL effects and the fold; pure."""

from __future__ import annotations
