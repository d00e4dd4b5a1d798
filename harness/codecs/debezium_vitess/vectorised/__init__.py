"""Rows of a stream as the producer's records at once, without structs in between."""

from __future__ import annotations
