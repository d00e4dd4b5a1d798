"""Reading by columns gives what reading row by row gives, for every protocol."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from cdc_spark.avro import events as avro_events
from cdc_spark.avro import vectorised as avro_vectorised
from cdc_spark.debezium.values import definitions
from cdc_spark.protocols import Language, Reader
from cdc_spark.wire.zones import in_utc
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.model.record import Record
from tests.cdc_spark.vectorised.equivalence import Message, alike
from tests.tree import ROOT

SPACE = workspace(ROOT, Path(ROOT, "scenarios"), None)
ONE_IN = 30  # of the cases without a delivery; deliveries send the same messages


@cache
def share() -> list[Plan]:
    """Return the plans of a share of the catalogue."""
    cases = [case for case in selected(load(SPACE), None) if case.delivery is None]
    return list(plans(SPACE, cases[::ONE_IN]))


def schemas(records: Iterable[Record]) -> dict[int, str]:
    """Return the texts of the schemas that records name, by id."""
    return {
        int.from_bytes(data[1:5], "big"): use.schema
        for record in records
        for data, use in ((record.key, record.key_schema), (record.value, record.value_schema))
        if data is not None and use is not None
    }


def reader(plan: Plan, *, payloads: bool) -> Reader:
    """Return what reads a plan's messages, its schemas at hand."""
    protocol, settings = plan.case.protocol, plan.settings
    zone = str(settings.get("tz", "UTC"))
    if protocol == "avro":
        decoder = avro_events.Decoder(schemas(plan.records).__getitem__, in_utc(zone))
        return Reader(decoder.decode, avro_vectorised.reader(decoder.record, payloads=payloads))
    known = definitions((), settings, protocol)
    language = Language(protocol, plan.case.dialect, definitions=known, time_zone=zone)
    return Reader.of(language, payloads=payloads)


@pytest.mark.parametrize("payloads", [True, False])
def test_the_catalogue_is_read_alike(*, payloads: bool) -> None:
    """Messages of the catalogue's cases, once and again: both agree, and both are used."""
    vectorised: dict[str, int] = {}
    met: dict[str, int] = {}
    for plan in share():
        messages: list[Message] = [(one.key, one.value) for one in plan.records]
        met[plan.case.protocol] = met.get(plan.case.protocol, 0) + len(messages)
        by = reader(plan, payloads=payloads)
        read = alike(by.vectorised, by.decode, messages, payloads=payloads)
        vectorised[plan.case.protocol] = vectorised.get(plan.case.protocol, 0) + read
    # Each message was read twice, and more than a tenth of the reads went through columns.
    assert all(vectorised[name] > 2 * met[name] / 10 for name in met), (vectorised, met)
