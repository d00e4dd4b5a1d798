"""A position over all shards: as the stream has it, and as the text that records carry.

Source: V:Vgtid.java, V:TablePrimaryKeys.java; vitess NOTES §4; vectors snapshot.*.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harness.codecs.connect.java import text as java_text
from harness.errors import UsageError
from harness.model.vstream import Cells, FieldInfo, ShardGtid, TablePk

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# An escape of any kind, so that the second half of an escaped backslash starts none.
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{4}|.)")


def jackson(value: object) -> str:
    """Return compact JSON as Jackson writes it: no spaces, nothing escaped that need not be."""
    written = _encode(value)
    if "\\" not in written:
        return written
    return _ESCAPE.sub(_escaped, written)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{found[0][2:].upper()}" if len(found[0]) > 2 else found[0]


@dataclass(frozen=True, slots=True)
class VgtidPosition:
    """A VGTID. Two are equal by what they say; the text of one read from text is kept as it was."""

    shards: tuple[ShardGtid, ...]
    text: str = field(compare=False)

    def shard(self, name: str) -> ShardGtid | None:
        """Return a shard's position; of two with one name, the later."""
        return next((shard for shard in reversed(self.shards) if shard.shard == name), None)

    @property
    def copies(self) -> bool:
        """Return whether a stream from here starts with a copy of the tables."""
        return any(not shard.gtid or shard.table_pks for shard in self.shards)


def position(shards: tuple[ShardGtid, ...], *, documented: bool = False) -> VgtidPosition:
    """Return a position from the stream's; the documents' form has no `table_p_ks`."""
    return VgtidPosition(
        shards, jackson([_shard(shard, documented=documented) for shard in shards])
    )


def parse(text: str) -> VgtidPosition:
    """Read a position from a setting or an offset; UsageError for what is none."""
    try:
        return VgtidPosition(tuple(_read_shard(entry) for entry in json.loads(text)), text)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"not a VGTID: {text!r}",
            expected='[{"keyspace":"ks","shard":"0","gtid":"current"}]',
        ) from error


def _shard(shard: ShardGtid, *, documented: bool) -> dict[str, Any]:
    written: dict[str, Any] = {
        "keyspace": shard.keyspace,
        "shard": shard.shard,
        "gtid": shard.gtid,
    }
    if not documented:
        written["table_p_ks"] = [_table(table) for table in shard.table_pks]
    return written


def _table(table: TablePk) -> dict[str, Any]:
    return {
        "table_name": table.table,
        "lastpk": {
            "fields": [
                {"name": f.name, "type": f.type, "charset": f.charset, "flags": f.flags}
                for f in table.fields
            ],
            "rows": [_row(row) for row in table.rows],
        },
    }


def _row(cells: Cells) -> dict[str, Any]:
    """Return the form of query.Row: the cells' lengths (-1 for NULL), and all of them together."""
    return {
        "lengths": [str(-1 if cell is None else len(cell)) for cell in cells],
        "values": java_text(b"".join(cell for cell in cells if cell is not None)),
    }


def _read_shard(entry: Mapping[str, Any]) -> ShardGtid:
    return ShardGtid(
        entry["keyspace"],
        entry["shard"],
        entry["gtid"],
        tuple(_read_table(table) for table in entry.get("table_p_ks") or ()),
    )


def _read_table(table: Mapping[str, Any]) -> TablePk:
    last = table["lastpk"]
    return TablePk(
        table["table_name"],
        tuple(
            FieldInfo(f["name"], f["type"], flags=f["flags"], charset=f["charset"])
            for f in last["fields"]
        ),
        tuple(_read_row(row) for row in last["rows"]),
    )


def _read_row(row: Mapping[str, Any]) -> Cells:
    content = row["values"].encode()
    cells: list[bytes | None] = []
    start = 0
    for length in map(int, row["lengths"]):
        cells.append(None if length < 0 else content[start : start + length])
        start += max(length, 0)
    return tuple(cells)
