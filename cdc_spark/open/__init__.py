"""Bytes of the TiCDC Open Protocol -> events; pure."""

from __future__ import annotations
