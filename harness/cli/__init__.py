"""The command line: options in, exit codes out; no logic that a library user would miss."""

from __future__ import annotations
