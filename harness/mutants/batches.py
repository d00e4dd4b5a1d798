"""What happens to several events of one batch: a message's, or a micro-batch's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace

from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.delivery import Message
from harness.mutants.duplicates import REPETITION
from harness.mutants.mutant import ALL, Mutant, sign
from harness.mutants.parts import Events, Known, Parts, row_key
from harness.reference_consumer.hold import Ready
from harness.wire.framing import frame_keys, unframe

_HANDLE_ONLY = b',"ohk":true'


class OneOfAMessage(Events):
    """Takes the first event of a message and leaves the others."""

    def __init__(self, known: Known) -> None:
        """Start with no message."""
        del known
        self._last: Message | None = None

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Return the event if it is its message's first."""
        first = self._last is not message
        self._last = message
        return (event,) if first else ()


class OneTableOfAMessage(Events):
    """Takes all events of a message for rows of the first one's table."""

    def __init__(self, known: Known) -> None:
        """Start with no message."""
        del known
        self._last: Message | None = None
        self._table = ("", "")

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop the event where its table is another."""
        if self._last is not message:
            self._last, self._table = message, (event.schema, event.table)
        return (event,) if (event.schema, event.table) == self._table else ()


def _handles_for_rows() -> Callable[[Message], Message]:
    """Return what takes the handle columns of a row that was too large for the whole row."""

    def changed(message: Message) -> Message:
        if _HANDLE_ONLY not in (message.key or b""):
            return message
        pairs = unframe(message.key or b"", message.value or b"")
        keys = [key.replace(_HANDLE_ONLY, b"") for key, _ in pairs]
        return replace(message, key=frame_keys(keys))

    return changed


def _spans(due: list[Ready]) -> Iterable[list[Ready]]:
    """Yield the runs of events between DDL statements."""
    run: list[Ready] = []
    for ready in due:
        if ready.event.kind is EventKind.DDL:
            yield run
            yield [ready]
            run = []
        else:
            run.append(ready)
    yield run


def _per_span(change: Callable[[list[Ready]], list[Ready]]) -> Parts:
    return Parts(batch=lambda due: [ready for span in _spans(due) for ready in change(span)])


def _inserts_first(span: list[Ready]) -> list[Ready]:
    return sorted(span, key=lambda ready: ready.event.kind is EventKind.DELETE)


def _deletes_first(span: list[Ready]) -> list[Ready]:
    return sorted(span, key=lambda ready: ready.event.kind is not EventKind.DELETE)


def _first_of_key(span: list[Ready]) -> list[Ready]:
    kept: dict[Hashable, Ready] = {}
    for ready in span:
        kept.setdefault(row_key(ready.event), ready)
    return list(kept.values())


def _newest_first(span: list[Ready]) -> list[Ready]:
    return span[::-1]


_ORDER = {
    "open": "open.order.per-table-ts open.txn.deletes-first",
    "avro": "avro.order.per-key avro.order.deletes-first",
    "vitess": "vitess.order.per-key",
    "debezium-mysql": "debezium-mysql.order.per-key",
}
_SIGNS = (sign("missing-row extra-row stale-row wrong-value event-order event-missing"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "one-event-a-message",
        "batches",
        "It takes the first event of a message and leaves the others.",
        "open.frame.batch",
        Parts(events=OneOfAMessage),
        (sign("event-missing missing-row stale-row"),),
        ("open",),
    ),
    Mutant(
        "one-table-a-message",
        "batches",
        "It takes a message for one table's and drops the rows of others.",
        "open.frame.mixed-batch",
        Parts(events=OneTableOfAMessage),
        (sign("event-missing missing-row stale-row"),),
        ("open",),
    ),
    Mutant(
        "large-row-not-fetched",
        "batches",
        "It takes the handle columns of a row that was too large for the whole row.",
        "open.large.fetch-row",
        Parts(message=_handles_for_rows),
        (sign("wrong-value missing-column missing-row unreadable-value"),),
        ("open",),
        ("https://github.com/pingcap/tiflow/issues/9153",),
    ),
    Mutant(
        "insert-before-delete",
        "batches",
        "It writes the puts of a batch before its deletes.",
        _ORDER,
        _per_span(_inserts_first),
        (sign("missing-row event-order"),),
        ALL,
        (
            "https://github.com/apache/flink/pull/12803",
            "https://github.com/risingwavelabs/risingwave/issues/12026",
        ),
    ),
    Mutant(
        "delete-before-insert",
        "batches",
        "It writes the deletes of a batch before its puts, so that what was inserted and then "
        "deleted stays.",
        _ORDER,
        _per_span(_deletes_first),
        (sign("extra-row event-order"),),
        ALL,
        ("https://github.com/lance-format/lance-flink/issues/74",),
    ),
    Mutant(
        "first-of-a-batch-wins",
        "batches",
        "It keeps the first of several events of a key in a batch, where the last is right.",
        REPETITION,
        _per_span(_first_of_key),
        _SIGNS,
        ALL,
        (
            "https://github.com/apache/hudi/issues/3266",
            "https://github.com/delta-io/delta/issues/338",
        ),
    ),
    Mutant(
        "batch-turned-round",
        "batches",
        "It applies a batch from its newest event to its oldest.",
        _ORDER,
        _per_span(_newest_first),
        (sign("stale-row event-order extra-row missing-row wrong-value"),),
        ALL,
        ("https://github.com/apache/hudi/pull/19660",),
    ),
)
