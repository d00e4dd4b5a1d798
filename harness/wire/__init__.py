"""Pure byte grammar that protocols share: framing, and JSON as Go prints it."""

from __future__ import annotations
