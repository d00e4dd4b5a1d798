"""Promises of reading Debezium's MariaDB connector: its own records, made by the scenarios' SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from cdc_spark.debezium import vectorised
from cdc_spark.debezium.connectors import MYSQL
from cdc_spark.debezium.events import Decoder
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import Definitions, definitions
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Kind
from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.oracles.mariadb.predictions import case_of, predicted
from harness.protocols.mysql import MYSQL as PROTOCOL
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from tests.cdc_spark.vectorised import equivalence
from tests.tree import ROOT

SPACE = workspace(ROOT)
PREFIX = {"topic.prefix": "srv"}
BARE = {f"{side}.converter.schemas.enable": "false" for side in ("key", "value")}
METADATA = {"provide.transaction.metadata": "true"}
MODES = {
    "decimal.handling.mode": "string",
    "bigint.unsigned.handling.mode": "precise",
    "time.precision.mode": "connect",
    "binary.handling.mode": "base64",
    "skipped.operations": "none",
}
NUMERIC = {f"{side}.converter.decimal.format": "NUMERIC" for side in ("key", "value")}
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "bare": {**BARE, **METADATA},
    "modes": MODES,
    "numeric": {**NUMERIC, "bigint.unsigned.handling.mode": "precise"},
}
GROUPS = ("keys", "types", "ddl")


@cache
def scenarios() -> Mapping[str, Scenario]:
    """Return the scenarios of some groups by their ids."""
    return {one.id: one for one in load(SPACE) if one.id.partition(".")[0] in GROUPS}


def records(name: str, settings: Mapping[str, str]) -> Sequence[equivalence.Message]:
    """Return keys and values of the records of a scenario, none where it cannot be played."""
    scenario = scenarios()[name]
    case, log = case_of(scenario, "x", PROTOCOL), load_lock(scenario, SPACE.golden)
    found = predicted(case, {**settings, **PREFIX}, PROTOCOL, log)
    return [(one.key, one.value) for one in found.messages]


def decoded(
    messages: Sequence[equivalence.Message], known: Definitions | None = None
) -> Iterator[Event]:
    """Yield the events of records."""
    read = Decoder(Parts({}.__getitem__), Rows(known or Definitions()), MYSQL).decode
    for key, value in messages:
        yield from read(key, value)


def rows_of(
    name: str, settings: Mapping[str, str], known: Definitions | None = None
) -> list[dict[str, Any]]:
    """Return the new rows of a scenario's records."""
    found = decoded(records(name, settings), known)
    return [json.loads(one.payload)["after"] for one in found if one.kind is Kind.UPSERT]


@pytest.mark.parametrize("profile", SETTINGS)
def test_all_records_are_read_alike_by_columns_and_one_by_one(profile: str) -> None:
    """No record of the connector is refused, and both ways see the same in all."""
    many = by_columns = 0
    first = list(SETTINGS).index(profile)
    for name in list(scenarios())[first :: len(SETTINGS)]:
        messages = records(name, SETTINGS[profile])
        if messages:
            by_columns += alike(messages)
            assert not [one for one in decoded(messages) if one.kind is Kind.ERROR]
            many += 2 * len(messages)
    assert by_columns > many / 4


def alike(messages: Sequence[equivalence.Message], known: Definitions | None = None) -> int:
    """Assert that both ways agree, with payloads and without; return how many by columns."""
    counts: list[int] = []
    for payloads in (True, False):
        parts, rows = Parts({}.__getitem__), Rows(known or Definitions())
        by = vectorised.reader(parts, rows, MYSQL, payloads=payloads)
        decode = Decoder(parts, rows, MYSQL).decode
        counts.append(equivalence.alike(by, decode, messages, payloads=payloads))
    return counts[0]


def test_a_changed_key_is_a_delete_a_tombstone_and_a_create() -> None:
    """Rows, their key and their place in the log; the statement that made the table comes first."""
    ddl, *found = decoded(records("keys.pk-chain", {}))
    assert (ddl.kind, ddl.schema, ddl.table) == (Kind.DDL, "shop", "t")
    assert json.loads(ddl.payload)["q"].startswith("CREATE TABLE")
    changed = found[-3:]
    assert [one.kind for one in changed] == [Kind.DELETE, Kind.TOMBSTONE, Kind.UPSERT]
    assert [one.identity for one in changed][::2] == ['["shop","t",1]', '["shop","t",2]']
    assert changed[1].table == "t"
    place = json.loads(changed[2].position)
    assert (place["gtid"], place["file"]) == ("0-1-3", "binlog.000001")
    assert place["snapshot"] == "false"


WHOLE = 18446744073709551615
PRECISE, TEXT = {"bigint.unsigned.handling.mode": "precise"}, {"decimal.handling.mode": "string"}
LONG = "-99999999999999999999999999999999999.999999999999999999999999999999"


@pytest.mark.parametrize(
    ("name", "settings", "column", "wanted"),
    [
        ("types.integers", {}, "bu", {0, None, -1, 9007199254740993, -9223372036854775808}),
        ("types.integers", PRECISE, "bu", {WHOLE}),
        ("types.integers", {**PRECISE, **NUMERIC}, "bu", {WHOLE}),
        ("types.bit-widths", {}, "b1", {0, 1, None}),
        ("types.bit-widths", {}, "b64", {WHOLE}),
        ("types.decimals", {}, "c", {LONG}),
        ("types.decimals", NUMERIC, "c", {LONG}),
        ("types.decimals", TEXT, "c", {LONG}),
        ("types.decimals", {}, "e", {"18446744073709551616"}),
        ("types.names-of-types", {}, "b", {0, 1, None}),
        ("types.double-limits", {}, "r", {"Infinity"}),
    ],
)
def test_values_are_exact(
    name: str, settings: Mapping[str, str], column: str, wanted: set[Any]
) -> None:
    """What SQL wrote comes out, by the schema's names, whatever mode the connector is in."""
    assert wanted <= {row[column] for row in rows_of(name, settings)}


COLUMNS = {
    "bu": {"type": "bigint", "scale": None, "unsigned": True},
    "b64": {"type": "bit", "scale": None, "unsigned": False},
    "c": {"type": "decimal", "scale": 30, "unsigned": False},
    "b": {"type": "tinyint", "scale": None, "unsigned": False},
}


@pytest.mark.parametrize(
    ("name", "settings", "column", "wanted"),
    [
        ("types.integers", PRECISE, "bu", WHOLE),
        ("types.bit-widths", {}, "b64", WHOLE),
        ("types.decimals", {}, "c", LONG),
        ("types.decimals", NUMERIC, "c", LONG),
        ("types.decimals", TEXT, "c", LONG),
        ("types.names-of-types", {}, "b", 1),
    ],
)
def test_without_schemas_definitions_and_settings_say_what_values_are(
    name: str, settings: Mapping[str, str], column: str, wanted: object
) -> None:
    """What JSON alone cannot say the caller does, and by columns the same is read."""
    messages = records(name, {**BARE, **settings})
    place = next(one for one in decoded(messages) if one.kind is Kind.UPSERT)
    columns = [{"name": column, **COLUMNS[column]}]
    table = {"schema": place.schema, "name": place.table, "columns": columns}
    known = definitions([table], settings, "debezium-mysql")
    assert wanted in {row[column] for row in rows_of(name, {**BARE, **settings}, known)}
    alike(messages, known)


def test_truncate_is_a_statement_of_its_table() -> None:
    """With `skipped.operations` none the connector sends it among the rows."""
    found = list(decoded(records("ddl.truncate", {"skipped.operations": "none"})))
    (one,) = [event for event in found if event.kind is Kind.DDL and "TRUNCATE" in event.payload]
    assert json.loads(one.payload) == {"q": f"TRUNCATE TABLE `{one.table}`", "t": 11}
    assert json.loads(one.position)["gtid"]


def test_heartbeats_say_nothing_and_strangers_are_refused() -> None:
    """A heartbeat is a time and nothing else."""
    assert not list(decoded([(b'{"serverName":"s"}', b'{"ts_ms":1}')]))
    for value in (b'{"ts_ms":1,"vgtid":"[]"}', b'{"op":"t","before":null,"source":{}}'):
        with pytest.raises(DecodingError):
            list(decoded([(None, value)]))
