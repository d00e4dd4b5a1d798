"""Scenario files: YAML that a person writes, read into documents that remember their lines."""

from __future__ import annotations
