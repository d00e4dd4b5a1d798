"""The consumers that come with the harness."""

from __future__ import annotations
