"""Whether a mutant reads a delivery just as the right consumer does.

Most mutants differ from the right consumer on few cases: who errs on tombstones is right where
there are none. Then its verdict is the right one's, and nothing need be run.
"""

from __future__ import annotations

from dataclasses import replace

from harness.contracts import BoundCodec
from harness.errors import DecodingError
from harness.mutants.consumer import REFERENCE, valued
from harness.mutants.delivery import Delivery, Message
from harness.mutants.parts import Events, Known, Parts


def reads_alike(parts: Parts, wire: BoundCodec, known: Known, delivery: Delivery) -> bool:
    """Return whether these parts make of a delivery what the reference makes of it.

    False where it is not known without applying what was read.
    """
    if replace(parts, value=None, events=None, message=None, reads=None, stuck=None) != REFERENCE:
        return False
    if parts.stuck is not None and parts.stuck(delivery):
        return False
    if parts.reads is not None and [*map(tuple, parts.reads(delivery))] != [*delivery.batches]:
        return False
    reader = _Reader(parts, wire, known)
    for number, batch in enumerate(delivery.batches):
        if not all(map(reader.alike, batch)):
            return False
        if number == delivery.stopped:
            reader.events.restart()
    return True


class _Reader:
    """Reads message after message, applying nothing."""

    def __init__(self, parts: Parts, wire: BoundCodec, known: Known) -> None:
        self.events = Events() if parts.events is None else parts.events(known)
        self._change = None if parts.message is None else parts.message()
        self._parts = parts
        self._wire = wire
        self._known = known

    def alike(self, message: Message) -> bool:
        """Return whether the message becomes the very events that it carries."""
        if self._change is not None and self._change(message) != message:
            return False
        try:
            for event in self._wire.decode(message.key, message.value):
                if valued(event, self._parts, self._known) is not event:
                    return False
                read = tuple(self.events.read(event, message))
                if len(read) != 1 or (read[0] is not event and read[0] != event):
                    return False
        except DecodingError:
            return True
        except Exception:  # noqa: BLE001  (a wrong consumer may fail in any way; it is run to see)
            return False
        return True
