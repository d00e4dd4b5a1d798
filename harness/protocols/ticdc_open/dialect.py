"""The versions of the Open Protocol that differ on the wire, as one record of switches each.

`current` is what tiflow c7b2588 (2026) emits. `4.0.4` is the listing of the 2020 document: flags,
row ids, old values and plain UTF-8 strings all first appear in v4.0.5 (TiCDC codec notes §7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one version does differently.

    `complete` is what a resolved ts promises: commit ts `at-or-below` it, or `below`.
    """

    name: str
    flags: bool
    row_id: bool
    old_value: bool
    text_base64: bool
    delete_handle_only: bool
    restored_query: bool
    complete: str


CURRENT = Dialect(
    name="current",
    flags=True,
    row_id=True,
    old_value=True,
    text_base64=False,
    delete_handle_only=False,
    restored_query=True,
    complete="at-or-below",
)
V4_0_4 = Dialect(
    name="4.0.4",
    flags=False,
    row_id=False,
    old_value=False,
    text_base64=True,
    delete_handle_only=True,
    restored_query=False,
    complete="below",
)
DIALECTS: Mapping[str, Dialect] = MappingProxyType({d.name: d for d in (CURRENT, V4_0_4)})
