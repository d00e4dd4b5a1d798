"""A changed key and a deleted row: halves, tombstones, headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Header, Schema, SchemaType
from harness.codecs.debezium.emitter import NEW_KEY, OLD_KEY
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.records import (
    CHANGE,
    TOMBSTONE,
    Halves,
    Records,
    changed_columns,
    key_changes,
    kind,
    of_a_schema,
    op,
    tombstone_of_updates,
)
from harness.mutants.producers.vitess.edits import each, one, stream, values

DATA: Final = "harness.codecs.debezium.emitter:RecordEmitter._data"
Headers = tuple[Header, ...]


def _halves(change: Halves) -> Patch:
    """Return the patch that changes the halves of each key change."""
    return stream(key_changes(change))


def _create_first(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (new, gone, *tombstones)


def _tombstone_last(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (gone, new, *tombstones)


def _tombstone_first(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (*tombstones, gone, new)


def _no_tombstone(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    del tombstones
    return (gone, new)


def _plain_update(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    del tombstones
    value = {**new.value, "op": "u", "before": gone.value["before"]}
    return (replace(new, value=value),)


def _create_alone(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    del gone, tombstones
    return (new,)


def _delete_of_the_new_key(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (_keyed_as(new, gone), *tombstones, new)


def _tombstone_of_the_new_key(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (gone, *(_keyed_as(new, one) for one in tombstones), new)


def _create_of_the_old_key(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    return (gone, *tombstones, _keyed_as(gone, new))


def _keyed_as(other: ConnectRecord, record: ConnectRecord) -> ConnectRecord:
    return replace(record, key=other.key)


def _later_source(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    source = {**new.value["source"], "ts_ms": new.value["source"]["ts_ms"] + 1}
    return (gone, *tombstones, replace(new, value={**new.value, "source": source}))


def _position_behind(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    source = dict(new.value["source"])
    source["vgtid"] = re.sub(r'\d+(?=",)', lambda n: str(int(n[0]) + 1), source["vgtid"])
    return (gone, *tombstones, replace(new, value={**new.value, "source": source}))


def headers(change: Callable[[Headers], Headers]) -> Patch:
    """Return the patch that changes the headers of each record."""
    return each(lambda record: (replace(record, headers=change(record.headers)),))


def without_header(name: str) -> Patch:
    """Return the patch that leaves a header out."""
    return headers(lambda given: tuple(header for header in given if header.key != name))


def renamed_header(name: str, new: str) -> Patch:
    """Return the patch that gives a header another name."""
    return headers(
        lambda given: tuple(
            replace(header, key=new) if header.key == name else header for header in given
        )
    )


def _own_key(name: str) -> Patch:
    """Return the patch that puts the record's own key into a header of another key."""

    def changed(record: ConnectRecord) -> Records:
        own = tuple(
            replace(header, value=record.key) if header.key == name else header
            for header in record.headers
        )
        return (replace(record, headers=own),)

    return each(changed)


def _tombstones(change: Callable[[ConnectRecord], Iterable[ConnectRecord]]) -> Patch:
    return each(lambda record: change(record) if kind(record) == TOMBSTONE else (record,))


def _with_empty_key(record: ConnectRecord) -> Iterable[ConnectRecord]:
    """Give the tombstone of a row without a key an empty struct as its key."""
    if record.key is not None:
        return (record,)
    return (replace(record, key=dict[str, Any](), key_schema=Schema(SchemaType.STRUCT)),)


def _without_headers(record: ConnectRecord) -> Iterable[ConnectRecord]:
    return (replace(record, headers=()),)


def _without_new_key(record: ConnectRecord) -> Iterable[ConnectRecord]:
    return (replace(record, headers=tuple(h for h in record.headers if h.key != NEW_KEY)),)


def _keyless_update(record: ConnectRecord) -> Iterator[ConnectRecord]:
    """Yield a delete and a create for an update of a row without a key."""
    if op(record) != "u" or record.key is not None:
        yield record
        return
    yield replace(record, value={**record.value, "op": "d", "after": None})
    yield replace(record, value_schema=None, value=None)
    yield replace(record, value={**record.value, "op": "c", "before": None})


def _as_sent(change: Callable[[Any, str, Headers], Any]) -> Patch:
    """Return the patch under which `change` calls what sends a change, with what it is to send."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def data(
            self: Any,  # noqa: ANN401 a method of any instance
            shape: object,
            op_: str,
            rows: object,
            origin: object,
            own: Headers = (),
        ) -> None:
            before = self.tombstones, self.skipped
            if change(self, op_, own) is not False:
                original(self, shape, op_, rows, origin, own)
            self.tombstones, self.skipped = before

        return data

    return patch(DATA, changed)


def _tombstones_of_moves(emitter: Any, _: str, own: Headers) -> None:  # noqa: ANN401 see _as_sent
    emitter.tombstones = emitter.tombstones or bool(own)


def _moves_created(emitter: Any, _: str, own: Headers) -> None:  # noqa: ANN401 see _as_sent
    if own:
        emitter.skipped = frozenset()


def _moves_dropped(emitter: Any, _: str, own: Headers) -> bool:  # noqa: ANN401 see _as_sent
    return not (own and "c" in emitter.skipped)


_ORDERS: Final = (
    ("create-first", "It sends the create of a changed key before the delete.", _create_first),
    ("tombstone-last", "It sends the tombstone of a changed key last.", _tombstone_last),
    ("tombstone-first", "It sends the tombstone of a changed key first.", _tombstone_first),
    ("no-tombstone", "It sends no tombstone for a changed key.", _no_tombstone),
    ("plain-update", "It sends a changed key as a plain update.", _plain_update),
    (
        "delete-of-the-new-key",
        "It sends the delete of a changed key by the new key.",
        _delete_of_the_new_key,
    ),
    (
        "tombstone-of-the-new-key",
        "It sends the tombstone of a changed key by the new key.",
        _tombstone_of_the_new_key,
    ),
    (
        "create-of-the-old-key",
        "It sends the create of a changed key by the old key.",
        _create_of_the_old_key,
    ),
    ("create-alone", "It sends the create of a changed key alone.", _create_alone),
)


def _of_an_optional_key(record: ConnectRecord) -> ConnectRecord:
    schema = record.key_schema
    return replace(record, key_schema=schema and replace(schema, optional=True))


ROWS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(f"vitess-key-change-{name}", "vitess.pk-update.sequence", says, _halves(done))
        for name, says, done in _ORDERS
    ),
    *(
        row
        for header, clause in (
            (NEW_KEY, "vitess.pk-update.newkey"),
            (OLD_KEY, "vitess.pk-update.oldkey"),
        )
        for name in [header.rpartition(".")[2]]
        for row in (
            WrongProducer(
                f"vitess-without-header-{name}",
                clause,
                f"It leaves the header `{header}` out.",
                without_header(header),
            ),
            WrongProducer(
                f"vitess-renames-header-{name}",
                clause,
                f"It calls the header `{header}` `{name}`.",
                renamed_header(header, name),
            ),
            WrongProducer(
                f"vitess-own-key-in-header-{name}",
                clause,
                f"It puts the record's own key into `{header}`.",
                _own_key(header),
            ),
        )
    ),
    WrongProducer(
        "vitess-tombstone-without-new-key",
        "vitess.pk-update.tombstone-header",
        "It leaves the new key's header out of the tombstone of a changed key.",
        _tombstones(_without_new_key),
    ),
    WrongProducer(
        "vitess-tombstone-without-headers",
        "vitess.pk-update.tombstone-header",
        "It sends tombstones without headers.",
        _tombstones(_without_headers),
    ),
    WrongProducer(
        "vitess-key-change-with-two-times",
        "vitess.pk-update.same-source",
        "It gives the create of a changed key a later time than the delete.",
        _halves(_later_source),
    ),
    WrongProducer(
        "vitess-key-change-with-two-positions",
        "vitess.pk-update.same-source",
        "It gives the create of a changed key the position of the transaction behind.",
        _halves(_position_behind),
    ),
    WrongProducer(
        "vitess-keyless-update-in-halves",
        "vitess.pk-update.keyless",
        "It sends an update of a row without a key as a delete and a create.",
        each(_keyless_update),
    ),
    WrongProducer(
        "vitess-tombstone-with-schema",
        "vitess.tombstone.no-schema",
        "It gives a tombstone the schema of a value.",
        stream(of_a_schema),
        also="vitess.tombstone.follows",
    ),
    WrongProducer(
        "vitess-tombstone-without-key-schema",
        "vitess.tombstone.no-schema",
        "It gives a tombstone's key no schema.",
        one(TOMBSTONE, lambda record: replace(record, key_schema=None)),
    ),
    WrongProducer(
        "vitess-tombstone-of-an-optional-key",
        "vitess.tombstone.no-schema",
        "It calls the struct of a tombstone's key optional, which that of its delete is not.",
        one(TOMBSTONE, _of_an_optional_key),
    ),
    WrongProducer(
        "vitess-keyless-tombstone-left-out",
        "vitess.tombstone.keyless",
        "It sends no tombstone for a row without a key.",
        _tombstones(lambda record: () if record.key is None else (record,)),
    ),
    WrongProducer(
        "vitess-keyless-tombstone-with-a-key",
        "vitess.tombstone.keyless",
        "It gives the tombstone of a row without a key an empty key.",
        _tombstones(_with_empty_key),
    ),
    WrongProducer(
        "vitess-tombstones-of-changed-keys-always",
        "vitess.tombstone.off",
        "It sends the tombstone of a changed key with `tombstones.on.delete` false, too.",
        _as_sent(_tombstones_of_moves),
        also="vitess.pk-update.sequence",
    ),
    WrongProducer(
        "vitess-new-row-of-changed-columns",
        "vitess.tombstone.compaction",
        "It sends those columns of an update's new row only that changed.",
        values(CHANGE, changed_columns),
    ),
    WrongProducer(
        "vitess-tombstones-of-updates",
        "vitess.tombstone.compaction",
        "It sends a tombstone behind an update, which compaction leaves alone of the row.",
        each(tombstone_of_updates),
    ),
    WrongProducer(
        "vitess-skipped-creates-of-changed-keys",
        "vitess.skipped.pk-update",
        "It sends the create of a changed key where creates are skipped.",
        _as_sent(_moves_created),
        also="vitess.pk-update.sequence",
    ),
    WrongProducer(
        "vitess-skipped-deletes-of-changed-keys",
        "vitess.skipped.pk-update",
        "It drops the delete of a changed key where creates are skipped.",
        _as_sent(_moves_dropped),
    ),
)
