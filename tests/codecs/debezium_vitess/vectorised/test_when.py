"""When rows are written without structs, and when each row has a say of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from harness.codecs.connect.settings import converter_settings
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium.emitter import LATER
from harness.codecs.debezium_vitess.codec import SECOND, bind
from harness.codecs.debezium_vitess.encode import Connector, ConnectorEnvironment
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.tasks import VitessCluster
from harness.model.record import Origin, Record
from harness.model.vstream import RowChange, VRowEvent, VStreamResponse
from tests.codecs.debezium_vitess.streams import (
    BASE,
    begin,
    commit,
    field,
    transaction,
    vgtid,
)
from tests.codecs.debezium_vitess.vectorised.ways import both

INSERTED = RowChange(None, (b"1", b"a"))
UPDATED = RowChange((b"1", b"a"), (b"1", b"b"))
DELETED = RowChange((b"1", b"b"), None)
MOVED = RowChange((b"1", b"a"), (b"2", b"a"))
NOTHING = RowChange(None, None)
SHORT = RowChange(None, (b"1",))


def event(*changes: RowChange) -> VRowEvent:
    """Return a ROW event of several changes."""
    return VRowEvent("ks.kv", changes, 1559033904, "ks", "0")


@pytest.mark.parametrize(
    ("properties", "written"),
    [
        ({}, 4),
        ({"tombstones.on.delete": "false"}, 3),
        ({"skipped.operations": "t"}, 4),
        ({"skipped.operations": "u"}, 0),
        ({"provide.transaction.metadata": "true"}, 0),
        ({"skip.messages.without.change": "true"}, 0),
        ({"heartbeat.interval.ms": "1000"}, 0),
    ],
)
def test_settings(properties: Mapping[str, str], written: int) -> None:
    """Rows are prepared unless a setting looks at each of them."""
    stream = [transaction(5, field(), event(INSERTED, NOTHING, UPDATED, DELETED))]
    structs, prepared, count = both({**BASE, **properties}, stream, {})
    assert prepared == structs
    assert count == written


def test_documented() -> None:
    """Rows of the documents' dialect are prepared, and in its own order."""
    stream = [transaction(5, field(), event(INSERTED, NOTHING, UPDATED, DELETED))]
    structs, prepared, count = both(BASE, stream, {}, dialect="documented")
    assert prepared == structs
    assert count == 4


@pytest.mark.parametrize("odd", [MOVED, SHORT, RowChange(None, (b"x", b"a"))])
def test_odd_rows(odd: RowChange) -> None:
    """A row that needs structs takes those beside it along, and no other transaction's."""
    stream = [
        transaction(5, field(), event(INSERTED, UPDATED)),
        transaction(6, event(INSERTED, odd, UPDATED)),
    ]
    structs, prepared, count = both(BASE, stream, {})
    assert prepared == structs
    assert count == 2


def test_one_by_one() -> None:
    """Events of one row each are written together, every record with its own origin."""
    ours = (Origin(1, 0, 1, "insert"), Origin(2, 0, 2, "update"), Origin(3, 0, 3, "delete"))
    rows = [
        replace(event(change), origin=origin)
        for change, origin in zip((INSERTED, UPDATED, DELETED), ours, strict=True)
    ]
    structs, prepared, count = both(BASE, [transaction(5, field(), *rows)], {})
    assert prepared == structs
    assert [record.origins for record in prepared if isinstance(record, Record)] == [
        (ours[0],),
        (ours[1],),
        (ours[2],),
        (ours[2],),
    ]
    assert count == 4


@pytest.mark.parametrize("extra", [{}, {"transforms": "", "predicates": ""}])
def test_wire(extra: Mapping[str, Any]) -> None:
    """The wire gives what the connector's records become, in their order, across responses."""
    first = VStreamResponse((begin(), field(), event(INSERTED)))
    rest = VStreamResponse((event(MOVED), event(DELETED), vgtid(5), commit()))
    settings = read(BASE)
    clock = 1559033904 * SECOND + LATER
    around = ConnectorEnvironment(cluster=VitessCluster(("0",)), snapshot="false")
    worker = Worker(converter_settings({}))
    sent = Connector(settings, lambda: clock, around).run([first, rest])
    expected = map(worker.record, sent)
    assert list(bind({**BASE, **extra}, "current").encode([first, rest])) == list(expected)
