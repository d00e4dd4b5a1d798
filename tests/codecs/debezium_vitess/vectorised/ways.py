"""One stream both ways: by structs, and by prepared rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.codecs.connect.settings import converter_settings
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.codecs.debezium_vitess.emission import VitessEmitter
from harness.codecs.debezium_vitess.encode import Connector, ConnectorEnvironment
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.vectorised.plan import RowPlanner
from harness.codecs.debezium_vitess.vectorised.rows import VectorisedWriter
from harness.errors import HarnessError
from harness.model.record import Record
from harness.model.vstream import VRowEvent, VStreamResponse

NOW = 1_900_000_000_863_497_147
CONVERTERS: Mapping[str, Mapping[str, Any]] = {
    "json": {},
    "bare": {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False},
    "numeric": {
        "key.converter.schemas.enable": False,
        "value.converter.decimal.format": "NUMERIC",
        "value.converter.replace.null.with.default": False,
    },
}


class Counted(VectorisedWriter):
    """A row writer that counts what it wrote."""

    count = 0

    def records(
        self, shape: TableShape, event: VRowEvent, emitter: VitessEmitter
    ) -> Sequence[Record] | None:
        """Write, and count."""
        found = super().records(shape, event, emitter)
        self.count += len(found or ())
        return found


def both(
    properties: Mapping[str, Any],
    responses: Iterable[VStreamResponse],
    converters: Mapping[str, Any],
    around: ConnectorEnvironment | None = None,
    dialect: str = "current",
) -> tuple[list[object], list[object], int]:
    """Return what comes of a stream by structs, then by prepared rows, and how many of these.

    What comes is records, then the error that ended them.
    """
    stream = [*responses]
    around = around or ConnectorEnvironment()
    converted = converter_settings(converters)
    if converted.value.form.replace_null_with_default:
        around = replace(around, snapshot="false")
    counts: list[int] = []

    def run(*, prepared: bool) -> list[object]:
        worker = Worker(converted, None, 3)
        writer = Counted(RowPlanner(converted, utc=around.zone == "UTC"), worker)
        found: list[object] = []
        try:
            given = writer if prepared else None
            made = Connector(read(properties), lambda: NOW, around, DIALECTS[dialect], given)
            found.extend(
                record if isinstance(record, Record) else worker.record(record)
                for record in made.emitted(stream)
            )
        except HarnessError as error:
            found.append(repr(error))
        counts.append(writer.count)
        return found

    return run(prepared=False), run(prepared=True), counts[1]
