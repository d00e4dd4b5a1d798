"""One large changefeed's results, folded in its buckets side by side and put together.

A bucket has all rows of its keys, and is given all DDL. So its fold has its share of each table's
rows, and the shares together are the answer, wherever nothing makes one bucket's rows depend on
another's. That is known when all have been folded:

| what was met | why the fold of the whole is needed |
| --- | --- |
| a row without a key, or two keys in one table | what replaces a row may be elsewhere |
| a statement that gives rows another table's name, or their key other values | the same |
| rows of two shapes, where rows alone say it | a shape changes all rows of its table |
| an error | it stands somewhere among the rows of all |

Then the changefeed is folded whole (`results`), as one with few messages is in any case.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from cdc_spark.apply import ddl_sql
from cdc_spark.apply.ddl import NO_ROW_EFFECT
from cdc_spark.apply.fold import Change, Fold
from cdc_spark.apply.statements import (
    AlterTable,
    ChangeColumn,
    ExchangePartition,
    RenameColumn,
    RenameTable,
)
from cdc_spark.apply.tables import Table
from cdc_spark.conformance.result_writer import (
    DDL,
    LETTERS,
    TABLES,
    ResultRequest,
    begin,
    finish,
    folded,
    table_files,
    write_tables,
)
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind

PARTS = ".parts"
_NO_KEY = "[]"
Name = tuple[str, str]


def write_part(request: ResultRequest, bucket: int, changes: Iterable[Change]) -> str:
    """Fold a bucket's changes and all DDL into its own directory; return what came of it."""
    directory = request.directory / PARTS / f"{bucket}"
    begin(directory)
    own = replace(request, directory=directory)
    statements: list[str] = []
    fold = folded(own, _noted(changes, statements))
    tables = list(fold.tables)
    if not fold.error:
        write_tables(directory, tables)
    return orjson.dumps(
        {
            "tables": [
                [one.schema, one.name, file]
                for one, file in zip(tables, table_files(directory, tables), strict=True)
            ],
            "forms": [[*name, one] for name, some in _forms(fold) for one in some],
            "apart": not fold.error and not _moved(fold, statements),
        }
    ).decode()


def _forms(fold: Fold) -> Iterator[tuple[Name, list[str]]]:
    """Yield the tables that had rows, and what must be one in all buckets: keys, and shapes."""
    shapes = {} if fold.shapes is None else fold.shapes.known
    texts = {(at.schema.lower(), at.name.lower()): one.text.decode() for at, one in shapes.items()}
    for name, keys in fold.keys.items():
        yield name, [orjson.dumps(key).decode() + texts.get(name, "") for key in keys]


def _noted(changes: Iterable[Change], statements: list[str]) -> Iterator[Change]:
    """Yield changes, and note the statements among them that may touch rows."""
    for change in changes:
        if change.kind is Kind.DDL:
            event = orjson.loads(change.payload)
            if int(event["t"]) not in NO_ROW_EFFECT:
                statements.append(event["q"])
        yield change


def _moved(fold: Fold, statements: Iterable[str]) -> bool:
    """Return whether something made rows depend on those of other buckets."""
    if fold.shapes is not None and fold.shapes.changes:
        return True
    names = {name.lower() for keys in fold.keys.values() for key in keys for name in key}
    return any(_moves(text, names) for text in statements)


def _moves(text: str, keys: set[str]) -> bool:
    """Return whether a statement takes rows elsewhere, or changes a column of a key."""
    try:
        statement = ddl_sql.parse(text)
    except DecodingError:
        return False  # of partitions alone, or the fold would have ended there
    if isinstance(statement, RenameTable):
        return True
    if not isinstance(statement, AlterTable):
        return False
    return (
        statement.renamed is not None
        or isinstance(statement.partitions, ExchangePartition)
        or any(
            isinstance(one, ChangeColumn | RenameColumn) and one.old.lower() in keys
            for one in statement.alterations
        )
    )


def agree(outcomes: Sequence[str]) -> bool:
    """Return whether what came of all buckets of a changefeed can be put together."""
    forms: dict[Name, set[str]] = {}
    found = [orjson.loads(one) for one in outcomes]
    for schema, table, form in (entry for one in found for entry in one["forms"]):
        forms.setdefault((schema, table), set()).add(form)
    return all(one["apart"] for one in found) and all(
        len(some) == 1 and not min(some).startswith(_NO_KEY) for some in forms.values()
    )


def join(directory: Path, outcomes: Mapping[int, str]) -> None:
    """Put the parts of a changefeed together; `outcomes` are those of all its buckets."""
    begin(directory)
    parts: dict[Name, list[Path]] = {}
    tables: dict[Name, Table] = {}
    for bucket, outcome in sorted(outcomes.items()):
        found: list[list[str]] = orjson.loads(outcome)["tables"]
        for schema, name, file in found:
            at = (schema.lower(), name.lower())
            tables.setdefault(at, Table(schema, name))
            parts.setdefault(at, []).append(directory / PARTS / f"{bucket}" / TABLES / file)
    names = table_files(directory, tables.values())
    for files, name in zip(parts.values(), names, strict=True):
        _joined(files, directory / TABLES / name)
    for name in (DDL, LETTERS):
        own = directory / PARTS / "0" / name
        if own.exists():
            own.replace(directory / name)
    remove(directory)
    finish(directory, "", "")


def _joined(files: Iterable[Path], into: Path) -> None:
    with into.open("wb") as whole:
        for part in files:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)


def remove(directory: Path) -> None:
    """Remove the parts of a changefeed."""
    shutil.rmtree(directory / PARTS, ignore_errors=True)


def of_request(asked: Mapping[str, Any]) -> ResultRequest:
    """Return the request that a row of requests holds."""
    return ResultRequest(
        directory=Path(asked["directory"]),
        tables=asked["tables"],
        needs=asked["needs"],
        unread=asked["unread"],
        by_record=asked["by_record"],
        lenient=asked["lenient"],
        events=asked["events"],
    )
