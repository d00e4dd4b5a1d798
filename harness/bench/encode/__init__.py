"""Encoders beside their floors: the bare library writing an equal, prepared value."""

from __future__ import annotations
