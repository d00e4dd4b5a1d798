"""Upstream steps can be run: their SQL fits its step, their names and numbers fit the scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.documents import PlainObject
from harness.documents.yaml_file import Path
from harness.errors import Problem, plural
from harness.scenario.draft import Draft, Problems
from harness.scenario.matrix_rules import smallest_partition_count
from harness.scenario.sql import Piece, TornSqlError, pieces, place_within

_DDL = frozenset({"CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "RECOVER", "FLASHBACK"})
_COMMITTING = frozenset({"ANALYZE", "FLUSH", "GRANT", "LOCK", "REVOKE", "SET", "UNLOCK"})
_BRACKETS = frozenset({"BEGIN", "START", "COMMIT"})

# The first word of a statement in a transaction -> what is wrong with it and what to do instead.
_REFUSED: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(_DDL, ("a DDL statement commits the transaction", "give it a step `ddl`")),
    **dict.fromkeys(_BRACKETS, ("the harness begins and commits", "leave the statement out")),
    **dict.fromkeys(
        _COMMITTING,
        ("the statement commits the transaction or changes the session", "leave it out"),
    ),
    "USE": ("a step has no current database", "name tables as `database.table`"),
}
_ROW_CHANGES = "INSERT, REPLACE, UPDATE or DELETE"


def sql_paths(draft: Draft) -> Iterator[tuple[str, Path]]:
    """Yield `ddl` or `transaction` with the path of each SQL text, in order."""
    for number, step in enumerate(draft.data["upstream"]):
        path: Path = ("upstream", number)
        if "transaction" in step:
            yield "transaction", (*path, "transaction", "sql")
        holder = step.get("emit", step)
        if "ddl" in holder:
            path = (*path, "emit", "ddl") if "emit" in step else (*path, "ddl")
            yield "ddl", path if isinstance(holder["ddl"], str) else (*path, "sql")


def sql_fits_its_step(draft: Draft) -> Problems:
    """Hold a `ddl` step to one DDL statement, and a transaction to row changes."""
    for kind, path in sql_paths(draft):
        try:
            found = pieces(str(draft.source.value(path)))
        except TornSqlError as torn:
            place = place_within(draft.source, path, torn.offset)
            yield Problem(place, f"SQL: {torn.what}", torn.expected, torn.hint)
            continue
        if not found:
            yield draft.at(path, "there is no statement in this SQL", "SQL besides comments")
        elif kind == "ddl":
            yield from _ddl(draft, path, found)
        else:
            yield from _transaction(draft, path, found)


def _ddl(draft: Draft, path: Path, found: tuple[Piece, ...]) -> Problems:
    if len(found) > 1:
        what = f"a step `ddl` with {plural(len(found), 'statement')}"
        hint = "give each statement a step of its own"
        yield _at_piece(draft, path, found[1], what, "one statement", hint)
    for piece in found:
        if piece.word not in _DDL:
            what = f"`{piece.word}` does not begin a DDL statement"
            hint = "row changes belong into a step `transaction`"
            yield _at_piece(draft, path, piece, what, "one of " + ", ".join(sorted(_DDL)), hint)


def _transaction(draft: Draft, path: Path, found: tuple[Piece, ...]) -> Problems:
    for piece in found:
        rollback = (
            piece.word == "ROLLBACK" and " TO " not in f" {' '.join(piece.sql.split()).upper()} "
        )
        if piece.word in _REFUSED or rollback:
            why, hint = _REFUSED.get(piece.word, _REFUSED["COMMIT"])
            what = f"`{piece.word}` in a transaction: {why}"
            yield _at_piece(draft, path, piece, what, _ROW_CHANGES, hint)


def _at_piece(draft: Draft, path: Path, piece: Piece, *message: str) -> Problem:
    return Problem(place_within(draft.source, path, piece.offset), *message)


def transactions_have_names_of_their_own(draft: Draft) -> Problems:
    """Refuse a second transaction of one name: delivery steps and verdicts go by it."""
    seen: dict[str, int] = {}
    for path, name in draft.transactions():
        if name in seen:
            what = f"a second transaction is called `{name}`; the first is on line {seen[name]}"
            yield draft.at(path, what, "a name of its own")
        seen.setdefault(name, draft.source.place(path).line)


def partitions_exist(draft: Draft) -> Problems:
    """Refuse pins and marks on partitions that not every case has."""
    count = smallest_partition_count(draft)
    for path, partition in _named_partitions(draft):
        if partition >= count:
            yield draft.at(
                path,
                f"partition {partition} does not exist in a case with partition count {count}",
                f"0 to {count - 1}" if count > 1 else "0",
                "partitions count from 0; the matrix can exclude smaller counts",
            )


def _named_partitions(draft: Draft) -> Iterator[tuple[Path, int]]:
    for number, step in enumerate(draft.data["upstream"]):
        path: Path = ("upstream", number)
        yield from _marked(("upstream", number, "resolved"), step.get("resolved"))
        if "emit" in step:
            path, step = (*path, "emit"), step["emit"]  # noqa: PLW2901 - one level down
        yield from _pinned(
            (*path, "transaction", "pin"), step.get("transaction", {}).get("pin", {})
        )


def _marked(
    path: Path, resolved: str | Sequence[int] | PlainObject | None
) -> Iterator[tuple[Path, int]]:
    if isinstance(resolved, Mapping):
        path, resolved = (*path, "partitions"), resolved.get("partitions")
    if resolved is not None and not isinstance(resolved, str):
        yield from (((*path, number), int(item)) for number, item in enumerate(resolved))


def _pinned(path: Path, pin: PlainObject) -> Iterator[tuple[Path, int]]:
    if "partition" in pin:
        yield (*path, "partition"), int(pin["partition"])
    for number, row in enumerate(pin.get("rows", ())):
        if "partition" in row:
            yield (*path, "rows", number, "partition"), int(row["partition"])


def updates_keep_their_columns(draft: Draft) -> Problems:
    """Refuse a stated update whose images have different columns."""
    for number, step in enumerate(draft.data["upstream"]):
        rows = step.get("emit", {}).get("transaction", {}).get("rows", ())
        for position, row in enumerate(rows):
            update = row.get("update")
            if update and update["before"].keys() != update["after"].keys():
                path = ("upstream", number, "emit", "transaction", "rows", position, "update")
                odd = ", ".join(f"`{n}`" for n in sorted(update["before"].keys() ^ update["after"]))
                what = f"`before` and `after` have different columns: {odd}"
                yield draft.at_key((*path, "after"), what, "all columns of the table in both")
