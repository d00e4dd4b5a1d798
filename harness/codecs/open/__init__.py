"""TiCDC Open Protocol: JSON events in versioned batches."""

from __future__ import annotations
