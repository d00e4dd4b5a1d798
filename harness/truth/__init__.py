"""Vendor vectors beside our encoders: what the real ones emitted must be what ours emit."""

from __future__ import annotations
