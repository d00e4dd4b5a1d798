"""Runs the river: plans cases, fills topics, lets consumers read, asks for verdicts, tells listeners."""

from __future__ import annotations
