"""A delivery's steps done for real: messages sent, and everything else that happens to a run."""

from __future__ import annotations
