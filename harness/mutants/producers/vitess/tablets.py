"""Which tablets are read: records that depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from harness.model.vstream import VRowEvent, VStreamResponse
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import patch
from harness.mutants.producers.vitess.edits import CODEC


def _asked(self: Any) -> str:  # noqa: ANN401 a codec that is bound
    """Return the tablets that are to be read, MASTER by default."""
    return str(self._bound.values.get("vitess.tablet.type", "MASTER"))


def _nothing_of(tablet: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Hear no response where tablets of this type are to be read, MASTER by default."""

    def encode(self: Any, events: Iterable[VStreamResponse]) -> Any:  # noqa: ANN401 a method of any instance
        return original(self, () if _asked(self) == tablet else events)

    return encode


def _new_as_old(tablet: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Take the new row of an update for the old one, too, where these tablets are read."""

    def encode(self: Any, events: Iterable[VStreamResponse]) -> Any:  # noqa: ANN401 a method of any instance
        return original(self, _without_old(events) if _asked(self) == tablet else events)

    return encode


def _without_old(given: Iterable[VStreamResponse]) -> Iterator[VStreamResponse]:
    for response in given:
        events = (
            replace(
                event,
                changes=tuple(
                    replace(one, before=one.after) if one.before and one.after else one
                    for one in event.changes
                ),
            )
            if isinstance(event, VRowEvent)
            else event
            for event in response.events
        )
        yield replace(response, events=tuple(events))


ROWS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(
            f"vitess-nothing-of-{tablet.lower()}",
            "vitess.tablet.type",
            f"It streams nothing where `vitess.tablet.type` is {tablet}.",
            patch(f"{CODEC}:BoundVitess.encode", partial(_nothing_of, tablet)),
        )
        for tablet in ("MASTER", "REPLICA", "RDONLY")
    ),
    *(
        WrongProducer(
            f"vitess-new-as-old-of-{tablet.lower()}",
            "vitess.tablet.type",
            f"It has an update's new row in `before`, too, where the tablet type is {tablet}.",
            patch(f"{CODEC}:BoundVitess.encode", partial(_new_as_old, tablet)),
        )
        for tablet in ("MASTER", "REPLICA", "RDONLY")
    ),
)
