"""Whole scenes: a protocol, its settings and partitions, a workload, and a delivery to wish for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from harness.fuzz.deliveries import drawn_delivery, names
from harness.fuzz.pick import Choice, pick
from harness.fuzz.protocols import drawable, drawn_settings
from harness.fuzz.scene import Disturbed, Scene, Step, Transaction
from harness.fuzz.workload import Limits, drawn_workload
from harness.model.settings import Settings
from harness.protocols import PROTOCOLS
from harness.protocols.protocol import FuzzSettings

PARTITIONS = (1, 2, 3)
DISPATCHERS = "sink.dispatchers"
# How often settings are drawn that have to allow what others allow.
TRIES = 8


@st.composite
def scenes(draw: st.DrawFn, protocols: Sequence[str]) -> Scene:
    """Draw a scene in one of the protocols."""
    protocol = pick(draw, protocols)
    drawn = drawable()[protocol]
    keyless = drawn.keyless is not None and pick(draw, (False, False, True))
    settings = drawn_settings(draw, drawn, keyless=keyless)
    steps = drawn_workload(draw, _limits(drawn, settings, keyless=keyless))
    return _arranged(draw, Scene(protocol, "", 1, drawn.clauses, settings, steps), keyless=keyless)


def varied(scene: Scene, random: Random) -> Scene:
    """Return what happened in a scene under other settings, dialect, partitions and delivery.

    The settings allow what the scene's own allow: what was recorded fits both.
    """
    drawn = drawable()[scene.protocol]
    keyless = drawn.keyless is not None and drawn.keyless.items() <= scene.settings.items()
    wanted = _limits(drawn, scene.settings, keyless=keyless)
    for _ in range(TRIES):
        settings = drawn_settings(random, drawn, keyless=keyless)
        if _limits(drawn, settings, keyless=keyless) == wanted:
            return _arranged(random, replace(scene, settings=settings), keyless=keyless)
    return _arranged(random, scene, keyless=keyless)


def _limits(drawn: FuzzSettings, settings: Settings, *, keyless: bool) -> Limits:
    return Limits(keyless, drawn.same_names(settings), drawn.sends_ddl(settings))


def _arranged(draw: Choice, scene: Scene, *, keyless: bool) -> Scene:
    """Return a scene with a dialect, partitions and a delivery."""
    drawn = drawable()[scene.protocol]
    dialects = [d for d in drawn.dialects if not (keyless and d in drawn.keyed)]
    plain = replace(
        scene, dialect=pick(draw, dialects), partitions=pick(draw, PARTITIONS), delivery=()
    )
    if _needs_order(plain, drawn, keyless=keyless):
        plain = replace(plain, partitions=1)
    return replace(plain, delivery=_delivery(draw, plain))


def _delivery(draw: Choice, scene: Scene) -> tuple[Disturbed, ...]:
    registry = PROTOCOLS[scene.protocol].codec.needs_registry(scene.settings)
    return drawn_delivery(draw, scene.protocol, names(scene), registry=registry)


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
