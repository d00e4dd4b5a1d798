"""Settings drawn for a protocol, from its row."""

from __future__ import annotations

from typing import Any

from harness.fuzz.pick import Choice, pick
from harness.model.settings import Settings
from harness.protocols import PROTOCOLS
from harness.protocols.protocol import FuzzSettings


def drawable() -> dict[str, FuzzSettings]:
    """Return the protocols that scenes can be drawn for, with what is drawn of each."""
    return {name: row.fuzz for name, row in PROTOCOLS.items() if row.fuzz is not None}


def drawn_settings(draw: Choice, drawn: FuzzSettings, *, keyless: bool) -> Settings:
    """Draw a protocol's settings: most often few of them."""
    found: dict[str, Any] = dict(drawn.keyless or {}) if keyless else {}
    for group in drawn.groups:
        if pick(draw, (False, False, True)):
            found |= pick(draw, group)
    for name, other in drawn.exclusive:
        if name in found and other in found:
            del found[other]
    return found
