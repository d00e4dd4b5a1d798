"""Whole scenes: a protocol, its settings and partitions, a workload, and a delivery to wish for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from harness.fuzz.deliveries import drawn_delivery, names
from harness.fuzz.pick import pick
from harness.fuzz.protocols import drawable, drawn_settings
from harness.fuzz.scene import Scene, Step, Transaction
from harness.fuzz.workload import Limits, drawn_workload
from harness.protocols.protocol import FuzzSettings

PARTITIONS = (1, 2, 3)
DISPATCHERS = "sink.dispatchers"


@st.composite
def scenes(draw: st.DrawFn, protocols: Sequence[str]) -> Scene:
    """Draw a scene in one of the protocols."""
    protocol = pick(draw, protocols)
    drawn = drawable()[protocol]
    keyless = drawn.keyless is not None and pick(draw, (False, False, True))
    settings = drawn_settings(draw, drawn, keyless=keyless)
    limits = Limits(keyless, drawn.same_names(settings), drawn.sends_ddl(settings))
    plain = Scene(
        protocol=protocol,
        dialect=pick(draw, [d for d in drawn.dialects if not (keyless and d in drawn.keyed)]),
        partitions=pick(draw, PARTITIONS),
        clauses=drawn.clauses,
        settings=settings,
        steps=drawn_workload(draw, limits),
    )
    if _needs_order(plain, drawn, keyless=keyless):
        plain = replace(plain, partitions=1)
    return replace(plain, delivery=drawn_delivery(draw, protocol, names(plain)))


def _needs_order(scene: Scene, drawn: FuzzSettings, *, keyless: bool) -> bool:
    """Return whether what rows say is known by their order alone, which partitions do not keep.

    TiCDC Avro without the extension dates no row, and Debezium Vitess spreads rows without a key
    over all partitions: nothing says which of two shapes is later, nor, where the dispatcher goes
    by the commit ts, which of two rows of a key.
    """
    undated = not drawn.dates_rows(scene.settings)
    if undated and any(rule["partition"] == "ts" for rule in scene.settings.get(DISPATCHERS, ())):
        return True
    spread = drawn.spreads_keyless and keyless
    return (undated or spread) and not _keeps_schema(scene.steps)


def _keeps_schema(steps: Sequence[Step]) -> bool:
    """Return whether the schema is made before the first row, and stays."""
    kinds = [isinstance(step, Transaction) for step in steps]
    return kinds == sorted(kinds)
