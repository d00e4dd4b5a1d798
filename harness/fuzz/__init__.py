"""Random testing with a memory: whole scenarios drawn by Hypothesis, shrunk when one fails."""

from __future__ import annotations
