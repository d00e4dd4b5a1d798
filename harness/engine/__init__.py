"""Runs the pipeline: plans cases, fills topics, lets consumers read, asks for verdicts."""

from __future__ import annotations
