"""The Spark consumers beside their floor: Spark reading the same topic, in the same session."""

from __future__ import annotations
