"""Listeners: they render what the engine tells, and decide nothing."""

from __future__ import annotations
