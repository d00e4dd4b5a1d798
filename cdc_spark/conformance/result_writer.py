"""One changefeed's results: its changes folded, its result files written.

`status.json` comes last and appears whole, so a result without it is none. Writing again
gives the same files, so a run that was killed is simply repeated.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import orjson

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.apply.shape import Shapes
from cdc_spark.apply.tables import Table
from cdc_spark.events import Kind

NAME_BYTES_MAX = 255
EVENTS, DDL, LETTERS = "events.jsonl", "ddl.jsonl", "dead_letters.jsonl"
TABLES, NAMES = "tables", "tables.json"
# How `Fold` and what reads Kafka end an error that a message caused.
_PLACE = re.compile(r"\(topic (\S+), partition (\d+), offset (\d+)\)\Z")


@dataclass(frozen=True, slots=True)
class ResultRequest:
    """What is asked about one changefeed.

    `tables` are those at the start offsets, as job.json has them; `needs` names what we lack, and
    `unread` says where reading stopped short ("" when neither is so). `by_record`: tables are known
    from rows alone. `lenient`: poison goes to `dead_letters.jsonl` and stops nothing. `events`: row
    events are in the answer.
    """

    directory: Path
    tables: Sequence[Mapping[str, Any]]
    needs: str = ""
    unread: str = ""
    by_record: bool = False
    lenient: bool = False
    events: bool = True


def write(request: ResultRequest, changes: Iterable[Change]) -> None:
    """Fold the changes, which come in order, and write the result directory."""
    begin(request.directory)
    if request.needs:
        finish(request.directory, request.needs, "")
        return
    fold = folded(request, changes)
    error = fold.error or request.unread
    if not (fold.needs or error):
        write_tables(request.directory, fold.tables)
    finish(request.directory, fold.needs, error)


def folded(request: ResultRequest, changes: Iterable[Change]) -> Fold:
    """Fold the changes, as far as that goes, and write the line of each as it is applied."""
    fold = Fold(shapes=Shapes() if request.by_record else None, lenient=request.lenient)
    fold.start(request.tables)
    names = {Kind.DDL: DDL}
    if request.events:
        names |= dict.fromkeys((Kind.DELETE, Kind.UPSERT), EVENTS)
    if request.lenient:
        names[Kind.ERROR] = LETTERS
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(Lines(request.directory / name))
            for name in set(names.values())
        }
        for change in changes:
            line = fold.apply(change)
            if line is None:
                break
            if line and change.kind in names:
                files[names[change.kind]].write(line)
    return fold


def write_folded(
    directory: Path,
    tables: Iterable[Table],
    files: Mapping[str, Iterable[Mapping[str, Any]]],
    needs: str,
    error: str,
) -> None:
    """Write a result directory of what is folded already; `files` are lines by file name."""
    begin(directory)
    for name, lines in files.items():
        with Lines(directory / name) as file:
            for line in lines:
                file.write(line)
    if not (needs or error):
        write_tables(directory, tables)
    finish(directory, needs, error)


def begin(directory: Path) -> None:
    """Make a result directory empty, whatever an earlier run left there."""
    shutil.rmtree(directory / TABLES, ignore_errors=True)
    (directory / TABLES).mkdir(parents=True)
    for name in ("status.json", NAMES, EVENTS, LETTERS):
        (directory / name).unlink(missing_ok=True)


def write_tables(directory: Path, tables: Iterable[Table]) -> None:
    """Write the rows of tables, and which file is whose where a name is too long for a file."""
    kept = list(tables)
    for table, name in zip(kept, table_files(directory, kept), strict=True):
        with Lines(directory / TABLES / name) as lines:
            for row in table:
                lines.write(row)


def table_files(directory: Path, tables: Iterable[Table]) -> list[str]:
    """Return the names of tables' files; those that do not say whose they are are listed."""
    names: list[str] = []
    renamed: dict[str, Mapping[str, str]] = {}
    for table in tables:
        name = file_name(table.schema, table.name)
        if len(name) > NAME_BYTES_MAX:
            name = f"{len(renamed) + 1}.jsonl"
            renamed[name] = {"schema": table.schema, "name": table.name}
        names.append(name)
    if renamed:
        (directory / NAMES).write_bytes(orjson.dumps(renamed))
    return names


def file_name(schema: str, table: str) -> str:
    """Return the name of a table's file: all but `[A-Za-z0-9_-]` is percent-encoded UTF-8."""
    parts = (
        quote(part, safe="").replace(".", "%2E").replace("~", "%7E") for part in (schema, table)
    )
    return ".".join(parts) + ".jsonl"


def finish(directory: Path, needs: str, error: str) -> None:
    """Write the status, last of all: what was needed, else what went wrong, else done."""
    if needs:
        _status(directory, {"status": "not-applicable", "needs": needs})
    elif error:
        _status(directory, _gave_up(error))
    else:
        _status(directory, {"status": "done"})


def _gave_up(error: str) -> dict[str, Any]:
    """Return the status of a changefeed that ended in an error; its place stands at its end."""
    found = _PLACE.search(error)
    places = [] if found is None else [(found[1], int(found[2]), int(found[3]))]
    messages = [{"topic": topic, "partition": p, "offset": at} for topic, p, at in places]
    return {"status": "error", "error": error, "messages": messages}


def _status(directory: Path, status: Mapping[str, Any]) -> None:
    scratch = directory / ".status.json"
    scratch.write_bytes(orjson.dumps(status))
    scratch.replace(directory / "status.json")


@dataclass(slots=True)
class Lines:
    """A file of JSON lines, written in blocks."""

    path: Path
    _file: Any = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Open the file, empty."""
        self._file = self.path.open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one line."""
        self._file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
