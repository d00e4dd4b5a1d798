"""The versions of the Open Protocol that differ on the wire, as one record of switches each.

`current` is what tiflow c7b2588 (2026) emits. `newarch` is TiCDC's new architecture (the server
setting `newarch`; pingcap/ticdc b813e76f9d), whose encoder was written anew. `4.0.4` is the listing
of the 2020 document: flags, row ids and old values first appear in v4.0.5 (TiCDC codec notes §7).
Its Base64 is that of v4.0.0-rc, whose strings are bytes (cdc/entry/codec.go:274). From v4.0.0-rc.1
to v4.0.4 they are Go strings (codec.go:276), of which encoding/json makes text, and U+FFFD of what
is not UTF-8; v4.0.5 escapes bytes. It sends no image but that of the write itself, so what v4.0.4
filled added columns with (the default of now, if NOT NULL: cdc/entry/mounter.go:503) never shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class OpenDialect:
    """What one version does differently.

    `complete` is what a resolved ts promises: commit ts `at-or-below` it, or `below`. `key_tail`
    lists the members of a row's key after ts, scm and tbl, in order. `sorted_columns`: by the bytes
    of their names, else in table order. `html_escapes`: whether JSON is written by encoding/json,
    else by json-iterator. `empty_members`: whether empty names and an empty `p` are written; a row
    without any column is then an error. `both_ohk`: whether a claim check's key says
    `"ohk":true,"ohk":false`, of which the last counts.
    """

    name: str
    flags: bool
    old_value: bool
    text_base64: bool
    delete_handle_only: bool
    restored_query: bool
    complete: str
    key_tail: tuple[str, ...]
    sorted_columns: bool = True
    html_escapes: bool = True
    empty_members: bool = False
    both_ohk: bool = False

    @property
    def row_id(self) -> bool:
        """Return whether keys carry `rid`."""
        return "rid" in self.key_tail


CURRENT = OpenDialect(
    name="current",
    flags=True,
    old_value=True,
    text_base64=False,
    delete_handle_only=False,
    restored_query=True,
    complete="at-or-below",
    key_tail=("rid", "ptn", "t", "ohk", "ccl"),
)
NEWARCH = replace(
    CURRENT,
    name="newarch",
    key_tail=("t", "ohk", "ccl", "ptn"),
    sorted_columns=False,
    html_escapes=False,
    empty_members=True,
    both_ohk=True,
)
V4_0_4 = OpenDialect(
    name="4.0.4",
    flags=False,
    old_value=False,
    text_base64=True,
    delete_handle_only=True,
    restored_query=False,
    complete="below",
    key_tail=("ptn", "t", "ohk", "ccl"),
)
DIALECTS: Mapping[str, OpenDialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (CURRENT, NEWARCH, V4_0_4)}
)
