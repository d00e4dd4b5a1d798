"""The partition numbers that scenarios state, worked out from the clauses and by no codec.

`changefeed.partition.table-hash`: CRC-32 of database and table. `changefeed.partition.value-hash`:
XORed with the CRC-32 of each column's name and text. `changefeed.partition.ts`: the commit ts.
`kafka.partition.murmur2`: Kafka's hash of the key's bytes, without its sign bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from harness.scenario.load import load

ROOT = Path(__file__).parents[2] / "scenarios"
Hash = Callable[[Mapping[str, Any], Mapping[str, Any]], int]


def table(name: str, *columns: str) -> Hash:
    """Return the hash of a table's rows by these columns; of the table alone without any."""

    def of(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
        del record
        found = crc32(name.replace(".", "").encode())
        for column in columns:
            found ^= crc32(f"{column}{row[column]}".encode())
        return found

    return of


def key(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return murmur2 of a row's key (a, b) as JSON, with its schema in the plain profile."""
    texts = {1: "x", 2: "x", -3: "ü", 4: ""}
    found = {"a": row["a"], "b": row.get("b", texts.get(row["a"]))}
    return murmur2(found if record["profile"] == ["bare"] else with_schema(found))


def key_with_schema(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return murmur2 of a row's key, an INT `id` of shop.t, as JSON with its schema."""
    del record
    return murmur2(with_schema({"id": row["id"]}))


def with_schema(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a key of shop.t in its envelope; its columns are INT and VARCHAR, NOT NULL."""
    fields = [
        {"type": "string" if isinstance(value, str) else "int32", "optional": False, "field": name}
        for name, value in payload.items()
    ]
    name = "vitess.shop.t.Key"
    schema = {"type": "struct", "fields": fields, "optional": False, "name": name}
    return {"schema": schema, "payload": payload}


def murmur2(document: Mapping[str, Any]) -> int:
    """Return the hash of a JSON text, its sign bit cleared.

    Source: Austin Appleby, MurmurHash2, with the seed of Kafka's `Utils.murmur2`.
    """
    data = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    factor, low = 0x5BD1E995, 0xFFFFFFFF
    found = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * factor & low
        word = (word ^ word >> 24) * factor & low
        found = (found * factor & low) ^ word
    if data[whole:]:
        found = (found ^ int.from_bytes(data[whole:], "little")) * factor & low
    found = (found ^ found >> 13) * factor & low
    return (found ^ found >> 15) & 0x7FFFFFFF


# The commit ts of each version of row 1 or 2 in routing.by-commit-ts, by its last digit.
TS = {("1", 1): 0, ("1", 2): 3, ("1", 3): 5, ("1", 4): 10, ("2", 4): 10, ("2", None): 5}


def ts(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the commit ts of a row's version."""
    del record
    return 415508878783938560 + TS[str(row["id"]), row.get("v")]


def by_table(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the hash of the table that a record is of, `shop.a` or `shop.b`."""
    del row
    name = record.get("key", {}).get("tbl") or record["topic"][-1]
    return crc32(f"shop{name}".encode())


def by_id(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the hash of a row of the table that the statement names, by its id."""
    return table(record["table"], "id")(row, record)


def in_shanghai(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the hash of a row of tz.k by its TIMESTAMP, as a server in Shanghai prints it."""
    shown = datetime.fromisoformat(row["at"]) + timedelta(hours=8)
    return table("tz.k", "at")({"at": shown.isoformat(" ")}, record)


def by_zone(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the hash of a row of shop.t by its zone, of which NULL is a text, or nothing anew."""
    if row["zone"] is None and record["dialect"] == ["newarch"]:
        return table("shop.t")(row, record)
    return table("shop.t", "zone")({"zone": "null" if row["zone"] is None else row["zone"]}, record)


def by_region(row: Mapping[str, Any], record: Mapping[str, Any]) -> int:
    """Return the hash of a row by region and tier, or by what stands behind these in shop.g."""
    name = record["table"] or "shop.t"
    behind = name == "shop.g" and record["dialect"] == ["current"]
    return table(name, *(("tier", "v") if behind else ("region", "tier")))(row, record)


# Scenario -> the hash that decides.
DECIDED: Mapping[str, Hash] = {
    "routing/by-key": table("shop.t", "a", "b"),
    "routing/by-columns": by_region,
    "routing/by-named-index": table("shop.t", "code", "kind"),
    "routing/named-index-changes": table("shop.t", "code"),
    "routing/by-commit-ts": ts,
    "routing/by-table": by_table,
    "routing/vitess-by-message-key": key,
    "routing/null-in-a-hash": by_zone,
    "routing/first-rule-decides": by_id,
    "routing/column-is-missing": table("shop.fine", "region"),
    "routing/index-is-missing": table("shop.t", "code"),
    "dml/insert-update-delete": table("shop.orders", "id"),
    "encoding/avro-extension-fields": table("enc.t", "id"),
    "keys/integer-key-moves-far": table("shop.t", "id"),
    "keys/non-clustered-swap": table("shop.t", "a"),
    "keys/pk-moves-onto-deleted": table("shop.t", "a"),
    "ordering/partitions-in-any-order": table("shop.t", "id"),
    "timezones/server-zone-in-keys-and-filters": in_shanghai,
    "transport/compacted-topic": table("shop.t", "id"),
    "transport/more-partitions": table("shop.t", "id"),
    "vitess/moved-key-apart": key_with_schema,
    "transactions/several-tables": by_id,
    "transactions/two-tables-interleaved": by_id,
}


def stated(name: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], int, int]]:
    """Yield each stated partition: the row, the record of the item, partition, and their number."""
    scenario = load(ROOT / f"{name}.yaml", ROOT)
    for statements in scenario.expect.records.values():
        for statement in statements:
            when = statement.get("when", {})
            counts = when.get("partitions", ())
            if "partition" not in statement.get("has", {}):
                continue
            item = statement["each"]
            row = next((v for k, v in item.items() if k in {"insert", "update", "delete"}), {})
            for count in counts:
                about = {"table": item.get("table", ""), "dialect": when.get("dialect")}
                about["profile"] = when.get("profile")
                record = {**about, **item.get("record", {})}
                yield row, record, statement["has"]["partition"], count


def test_every_scenario_that_states_a_partition_is_in_the_table() -> None:
    """A partition number over a given number of partitions is worked out here too."""
    names = {path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.yaml")}
    assert {name for name in names if any(stated(name))} == set(DECIDED)


@pytest.mark.parametrize("name", DECIDED)
def test_a_stated_partition_follows_from_the_clause(name: str) -> None:
    """The number in the scenario is the document's hash of the row, modulo the partitions."""
    found = list(stated(name))
    assert len(found) >= 2
    for row, record, partition, count in found:
        assert DECIDED[name](row, record) % count == partition, row
