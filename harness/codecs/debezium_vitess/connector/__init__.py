"""The Debezium connector for Vitess 3.3.1 as a function: VStream responses to Connect records."""

from __future__ import annotations
