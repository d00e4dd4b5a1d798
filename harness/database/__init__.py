"""How a MySQL-compatible server is connected to, whoever it belongs to."""

from __future__ import annotations
