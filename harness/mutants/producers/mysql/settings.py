"""Settings that decide which tables, columns and operations are sent, and under which names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from harness.codecs.debezium.columns import UNSET, ColumnType
from harness.codecs.debezium.mappers import Mapper
from harness.model.binlog import LogDdl, LogRow
from harness.model.columns import ColumnKind
from harness.mutants.producers.column_rules import EVERY_RULE, LAST_RULE
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CONNECTOR,
    ignoring,
    kind_of,
    row,
    values,
    with_properties,
)
from harness.mutants.producers.patch import Patch, instead, patch, result
from harness.mutants.producers.records import CHANGE, Values

MAPPERS: Final = "harness.codecs.debezium.mappers"
# Setting -> its clause.
_IGNORED: Final = {
    "table.include.list": "capture.tables",
    "table.exclude.list": "capture.tables",
    "column.include.list": "capture.columns",
    "column.exclude.list": "capture.columns",
    "skipped.operations": "event.skipped",
    "skip.messages.without.change": "event.without-change",
    "topic.delimiter": "topic.delimiter",
    "topic.transaction": "txn.topic",
    "field.name.adjustment.mode": "name.fields-adjusted",
}
# The beginning of a rule's name -> its clause.
_RULES: Final = {
    "column.truncate.to.": "column.truncated",
    "column.mask.with.": "column.masked",
    "column.mask.hash.": "column.hashed",
    "column.mask.hash.v2.": "column.hashed",
    "column.mask.hash.SHA-256.": "column.hashed",
}


def _without_rules(beginning: str) -> Patch:
    """Return the patch by which the connector ignores all rules that begin so."""

    def change(own: dict[str, str]) -> None:
        for name in [name for name in own if name.startswith(beginning)]:
            del own[name]

    return with_properties(change)


def _every_length(original: Callable[..., Mapper]) -> Callable[..., Mapper]:
    """Cut the texts of each column, however many characters it may hold."""

    def mapper(length: int, **more: bool) -> Mapper:
        made = original(length, **more)
        return replace(made, change=lambda column: made.change(replace(column, length=UNSET)))

    return mapper


def _ignored() -> Iterator[WrongProducer]:
    for name, clause in _IGNORED.items():
        yield row(
            f"{name.replace('.', '-')}-ignored",
            clause,
            f"It pays no heed to {name}.",
            ignoring(name),
        )
    for name, clause in _RULES.items():
        yield row(
            f"{name.replace('.', '-').lower()}ignored",
            clause,
            f"It pays no heed to settings that begin with {name}",
            _without_rules(name),
        )


def _unsalted(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda algorithm, _, to_bytes: original(algorithm, "", to_bytes)


def _null_hashed(original: Callable[..., Mapper]) -> Callable[..., Mapper]:
    """Hash NULL as an empty text."""

    def hashing(*given: object) -> Mapper:
        mapper = original(*given)

        def change(column: ColumnType) -> Callable[[Any], Any] | None:
            digest = mapper.change(column)
            return digest and (lambda value: digest("" if value is None else value))

        return replace(mapper, change=change)

    return hashing


def _of_captured_alone(original: Callable[[Any, LogDdl], None]) -> Callable[[Any, LogDdl], None]:
    """Say nothing of a statement about tables that are left out."""

    def changed(connector: Any, event: LogDdl) -> None:  # noqa: ANN401 - the connector's own
        captured = connector._captured  # noqa: SLF001 - as above
        if not event.tables or any(captured(one.schema, one.name) for one in event.tables):
            original(connector, event)

    return changed


def _halves(original: Callable[..., None]) -> Callable[..., None]:
    """Skip records by their `op`, as Debezium's other connectors do."""

    def start(self: Any, *given: object) -> None:  # noqa: ANN401 - the connector's own
        original(self, *given)
        self._records.skipped = self._skipped

    return start


def _moved_keys(original: Callable[[Any, LogRow], bool]) -> Callable[[Any, LogRow], bool]:
    """Take an update that moves a key for none."""

    def skips(self: Any, event: LogRow) -> bool:  # noqa: ANN401 - the connector's own
        return not _moves(event) and original(self, event)

    return skips


def _moves(event: LogRow) -> bool:
    ordinals = [event.table.table.position(name) for name in event.table.key]
    before, after = event.before, event.after
    return bool(before and after and any(before[n] != after[n] for n in ordinals))


def _half_sent(skipped: str) -> Patch:
    """Return the patch by which skipped updates skip of a moved key the record of one op alone."""

    def changed(original: Callable[[Any, LogRow], None]) -> Callable[[Any, LogRow], None]:
        def sent(self: Any, event: LogRow) -> None:  # noqa: ANN401 - the connector's own
            if "u" in self._skipped and _moves(event):
                self._records.skipped = frozenset(skipped)
            original(self, event)
            self._records.skipped = frozenset()

        return sent

    return Patch(f"{CONNECTOR}._skips", _moved_keys, then=patch(f"{CONNECTOR}._row", changed))


def _first_skipped(own: dict[str, str]) -> None:
    listed = own.get("skipped.operations")
    if listed is not None:
        own["skipped.operations"] = listed.partition(",")[0]


def _whole_rows(original: Callable[[Any, LogRow], None]) -> Callable[[Any, LogRow], None]:
    """Compare the columns that are left out as well."""

    def sent(self: Any, event: LogRow) -> None:  # noqa: ANN401 - the connector's own
        asked = self._records.unchanged_skipped
        self._records.unchanged_skipped = asked and event.before == event.after
        original(self, event)
        self._records.unchanged_skipped = asked

    return sent


def _null_kept(original: Callable[[int], Any]) -> Callable[[int], Any]:
    """Mask no NULL."""

    def starred(length: int) -> Any:  # noqa: ANN401 - as the original
        stars = original(length)
        return lambda value: None if value is None else stars(value)

    return starred


def _none_of(kind: ColumnKind) -> Patch:
    """Return the patch by which no rule changes a column of a kind."""

    def changed(found: Callable[..., Any]) -> Callable[..., Any]:
        def mapper(rules: Any, key: Any, column: ColumnType) -> Any:  # noqa: ANN401 - as the original
            return None if kind_of(column) is kind else found(rules, key, column)

        return mapper

    return patch(f"{MAPPERS}:mapper_for", changed)


def _of_an_image(image: str) -> Patch:
    """Return the patch by which the texts of one image of a row are not what a rule makes."""

    def change(value: Values) -> None:
        for name, held in (value[image] or {}).items():
            value[image][name] = "as it is" if isinstance(held, str) else held

    return values(CHANGE, change)


def _changed_texts() -> Iterator[WrongProducer]:
    """Yield, for each kind and each image that a rule changes, one that leaves it as it is."""
    for done, clause, kinds in (
        ("masked", "column.masked", (ColumnKind.CHAR, ColumnKind.VARCHAR)),
        ("hashed", "column.hashed", (ColumnKind.CHAR, ColumnKind.VARCHAR, ColumnKind.TEXT)),
    ):
        for kind in kinds:
            word = kind.value
            says = f"It leaves {word.upper()} as it is where it is to be {done}."
            yield row(f"{word}-not-{done}", clause, says, _none_of(kind))
        for image in ("before", "after"):
            says = f"It leaves the texts of `{image}` other than {done}."
            yield row(f"{image}-not-{done}", clause, says, _of_an_image(image))


def _swapped(place: int) -> Patch:
    """Return the patch that tries the rules at a place and behind it the other way round.

    Where there is one rule of each kind, that is a cut, a mask, a propagated type and a hash.
    """
    return result(
        f"{MAPPERS}:rules",
        lambda found: (*found[:place], *found[place : place + 2][::-1], *found[place + 2 :]),
    )


ROWS: Final = (
    *_ignored(),
    *_changed_texts(),
    row(
        "first-entry-of-skipped-operations",
        "event.skipped",
        "It looks at the first entry of skipped.operations alone.",
        with_properties(_first_skipped),
    ),
    row(
        "changes-of-columns-left-out-seen",
        "event.without-change",
        "It sends an update that changes a column alone that is left out.",
        patch(f"{CONNECTOR}._row", _whole_rows),
    ),
    row(
        "rules-turned-round",
        "column.first-rule",
        "It takes the last rule that matches a column.",
        LAST_RULE,
    ),
    row(
        "every-rule-counts",
        "column.first-rule",
        "It does to a text what each rule says that matches its column.",
        EVERY_RULE,
    ),
    *(
        row(f"{name}-first", "column.first-rule", f"It tries {what}.", _swapped(place))
        for place, (name, what) in enumerate(
            (
                ("mask", "a mask before a truncation"),
                ("propagated-type", "a propagated type before a mask"),
                ("hash", "a hash before a propagated type"),
            )
        )
    ),
    row(
        "halves-skipped",
        "event.skipped-own-op",
        "It skips the delete or the create of a changed key by its own op.",
        patch(f"{CONNECTOR}.__init__", _halves),
    ),
    row(
        "moved-keys-never-skipped",
        "event.skipped-own-op",
        "It sends changed keys although updates are skipped.",
        patch(f"{CONNECTOR}._skips", _moved_keys),
    ),
    row(
        "create-of-a-moved-key-alone",
        "event.skipped-own-op",
        "It sends of a changed key the create alone where updates are skipped.",
        _half_sent("d"),
    ),
    row(
        "delete-of-a-moved-key-alone",
        "event.skipped-own-op",
        "It sends of a changed key the delete and its tombstone alone where updates are skipped.",
        _half_sent("c"),
    ),
    row(
        "statements-of-captured-tables-alone",
        "capture.statements",
        "It sends no statement about a table that is left out.",
        patch(f"{CONNECTOR}._changed", _of_captured_alone),
    ),
    row(
        "truncation-to-code-points",
        "column.truncated",
        "It cuts texts to code points.",
        instead(f"{MAPPERS}:shortened", lambda value, length: value[:length]),
    ),
    row(
        "truncation-of-short-columns",
        "column.truncated",
        "It cuts texts also where their column holds no more characters than they are cut to.",
        patch(f"{MAPPERS}:_truncation", _every_length),
    ),
    row(
        "null-not-masked",
        "column.masked",
        "It leaves NULL as it is where a text is to be masked.",
        patch(f"{MAPPERS}:_starred", _null_kept),
    ),
    row(
        "mask-one-longer",
        "column.masked",
        "It masks a text with one asterisk too many.",
        patch(f"{MAPPERS}:_starred", lambda original: lambda length: original(length + 1)),
    ),
    row(
        "hash-longer-than-its-column",
        "column.hashed",
        "It writes all of a digest, whatever the length of its column.",
        instead(f"{MAPPERS}:_fitting", lambda digest, _: digest),
    ),
    row(
        "null-hashed",
        "column.hashed",
        "It writes the digest of an empty text for NULL.",
        patch(f"{MAPPERS}:_hashing", _null_hashed),
    ),
    row(
        "hash-without-salt",
        "column.hashed",
        "It hashes a text without the salt.",
        patch(f"{MAPPERS}:_hashing", _unsalted),
    ),
)
