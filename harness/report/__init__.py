"""Listeners: they render the engine's events, and decide nothing."""

from __future__ import annotations
