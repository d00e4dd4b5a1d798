"""Every mutant over every case: which scenario catches which wrong consumer, and by which words."""

from __future__ import annotations
