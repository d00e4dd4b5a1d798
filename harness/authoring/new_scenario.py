"""A scenario to begin with: complete, valid, and with comments that say what to change.

Nothing that exists is ever overwritten, and what is written has been loaded once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import harness.scenario
from harness.authoring.anonymise import anonymised
from harness.authoring.from_server import SCHEME, TableAddress, address_of, read_tables
from harness.authoring.sql_steps import SqlStep, SqlSteps, read_steps
from harness.database.driver import require_recording
from harness.ddl import StatementKind
from harness.documents.scalars import SPECIAL, in_quotes
from harness.documents.yaml_file import BYTES_MAX
from harness.errors import ScenarioError, UsageError, next_step
from harness.protocols import PROTOCOLS
from harness.scenario.load import load

GRAMMAR = Path(harness.scenario.__file__).with_name("grammar.json")
COPY = "scenario.schema.json"
SUFFIX = ".yaml"
TITLE = "Say in one sentence what happens upstream and what must hold"
DATABASE = "shop"
# What happens upstream -> the cause whose clause of a protocol is one to begin with.
CAUSES = {
    StatementKind.INSERT: "insert",
    StatementKind.REPLACE: "insert",
    StatementKind.UPDATE: "update",
    StatementKind.DELETE: "delete",
    StatementKind.DDL: "column-names",
}
ROUTES = "sink.dispatchers"
EXAMPLE = """\
CREATE TABLE {0}.orders (id INT PRIMARY KEY, item VARCHAR(20), n INT);
INSERT INTO {0}.orders VALUES (1, 'tea', 2), (2, 'milk', 1);
BEGIN;
UPDATE {0}.orders SET n = 3 WHERE id = 1;
DELETE FROM {0}.orders WHERE id = 2;
COMMIT;
"""
EXAMPLE_ROWS = "      - {id: 1, item: tea, n: 3}"

# What a binary log begins with, in the clear and encrypted.
LOGS = frozenset({b"\xfebin", b"\xfdbin"})
# What mysqlbinlog and mariadb-binlog print before and between events.
_PRINTED = re.compile(
    r"^(/\*!50530 SET @@SESSION\.PSEUDO_SLAVE_MODE|BINLOG '$|### @1=)", re.MULTILINE
)
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLAIN = re.compile(r"(?!(?i:true|false|null)\b)[A-Za-z_][\w.-]*(?: [\w.,-]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """What to begin with; without a source, the example.

    Each of `sources` goes on where the one before ends: a file of SQL, a binary log, a `mysql://`
    URL. Of each table of a server up to `rows` rows are taken; of a log what lies from position
    `start` up to `stop`, 0 for its beginning and its end. `protocols` are names of the registry's
    rows, none for its first.
    """

    path: Path
    title: str
    sources: tuple[str, ...]
    databases: tuple[str, ...]
    protocols: tuple[str, ...] = ()
    anonymise: bool = False
    rows: int = 20
    start: int = 0
    stop: int = 0


@dataclass(frozen=True, slots=True)
class Created:
    """A new scenario file, and what of the SQL is not in it."""

    path: Path
    id: str
    left_out: tuple[str, ...]


def create(root: Path, options: DraftOptions) -> Created:
    """Write a new scenario under the root; UsageError when it cannot be, and nothing is written."""
    path = _target(root, options.path)
    scenario = ".".join(path.relative_to(root).with_suffix("").parts)
    steps = anonymised(_steps(options)) if options.anonymise else _steps(options)
    grammar = _grammar(root)
    schema = os.path.relpath(grammar, path.parent.resolve())
    text = "\n".join(_lines(scenario, options, steps, Path(schema).as_posix())) + "\n"
    if os.path.lexists(path):
        raise UsageError(f"{path} exists; nothing is overwritten", hint="choose another name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        if grammar != GRAMMAR:
            grammar.write_bytes(GRAMMAR.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", hint=next_step(error)) from None
    try:
        load(path, root)
    except ScenarioError:
        path.unlink()
        raise
    return Created(path, scenario, steps.left_out)


def _grammar(root: Path) -> Path:
    """Return the schema that editors are to use: in the same checkout, so that it works in another.

    Beside scenarios that are not the harness's own lies a copy, written anew each time.
    """
    inside = root.resolve()
    return GRAMMAR if GRAMMAR.is_relative_to(inside.parent) else inside / COPY


def _target(root: Path, path: Path) -> Path:
    """Return where the scenario goes, by its path or by its id."""
    if path.suffix != SUFFIX and len(path.parts) == 1:
        path = root.joinpath(*path.name.split(".")).with_suffix(SUFFIX)
    if path.suffix != SUFFIX:
        raise UsageError(f"a scenario's file ends in {SUFFIX}: {path}", hint=f"{path}{SUFFIX}")
    real, inside = path.resolve(), root.resolve()
    if not real.is_relative_to(inside):
        raise UsageError(
            f"{path} is outside the scenarios' root",
            expected=f"a path under {root}",
            hint=f"such as {root / path.name}; --scenarios names another root",
        )
    parts = real.relative_to(inside).with_suffix("").parts
    for part in parts:
        if not _SLUG.fullmatch(part):
            raise UsageError(
                f"`{part}` cannot be part of a scenario's id",
                expected="lower-case letters and digits, joined by single hyphens",
            )
    return root.joinpath(*parts).with_suffix(SUFFIX)


def _steps(options: DraftOptions) -> SqlSteps:
    logs = [log for log in map(_log_of, options.sources) if log is not None]
    if (options.start or options.stop) and len(logs) != 1:
        raise UsageError(
            "--start-position and --stop-position are places in a binary log, and --from names"
            f" {len(logs) or 'none'}",
            expected="one binary log, a file or mysql://user@host:port/shop.orders?binlog=NAME",
        )
    if not options.sources:
        databases = options.databases or (DATABASE,)
        return read_steps(EXAMPLE.format(_sql_name(databases[0])), "the example", databases)
    steps: SqlSteps | None = None
    for source in options.sources:
        steps = _goes_on(source, options, steps)
    assert steps is not None
    return steps


def _goes_on(source: str, options: DraftOptions, after: SqlSteps | None) -> SqlSteps:
    """Return the steps before, and those of a source."""
    log = _log_of(source)
    if log is not None:
        return _steps_of_log(log, options, after)
    if not source.startswith(SCHEME):
        return read_steps(_file_text(Path(source)), source, options.databases, after)
    there = address_of(source)
    found = read_tables(there, options.rows)
    steps = read_steps(found.sql, str(there), options.databases, after)
    return replace(steps, left_out=(*steps.left_out, *found.left_out))


def _steps_of_log(
    log: Path | TableAddress, options: DraftOptions, after: SqlSteps | None
) -> SqlSteps:
    """Read a binary log; what reads it is imported here, for it comes with an extra."""
    require_recording()
    from harness.authoring.from_binlog import steps_of_log  # noqa: PLC0415 - see above

    return steps_of_log(log, options.databases, (options.start, options.stop), after)


def _log_of(source: str) -> Path | TableAddress | None:
    """Return the binary log that a source names, None for a source of another kind."""
    if source.startswith(SCHEME):
        there = address_of(source)
        return there if there.log else None
    try:
        with Path(source).open("rb") as file:
            return Path(source) if file.read(4) in LOGS else None
    except OSError:
        return None  # whoever reads it as text says why


def _file_text(file: Path) -> str:
    try:
        size = file.stat().st_size
        text = file.read_text(encoding="utf-8-sig") if size <= BYTES_MAX else ""
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", hint=next_step(error)) from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{file} is not UTF-8: byte {error.start}", hint="save the file as UTF-8"
        ) from None
    if size > BYTES_MAX:
        raise UsageError(
            f"{file} has {size} bytes",
            expected=f"at most {BYTES_MAX}, as much as a scenario may have",
        )
    if _PRINTED.search(text):
        raise UsageError(
            f"{file} is what mysqlbinlog printed of a binary log",
            expected="the log itself, which has every value exactly",
            hint="--from the log's file; mysqlbinlog --read-from-remote-server --raw fetches it",
        )
    return text


def _sql_name(database: str) -> str:
    return "`" + database.replace("`", "``") + "`" if not database.isidentifier() else database


def _lines(scenario: str, options: DraftOptions, steps: SqlSteps, schema: str) -> Iterator[str]:
    protocols = tuple(dict.fromkeys(options.protocols)) or (next(iter(PROTOCOLS)),)
    causes = dict.fromkeys(CAUSES[kind] for kind in StatementKind if kind in steps.kinds)
    clauses = [
        clause
        for name in protocols
        for cause in causes
        if (clause := PROTOCOLS[name].description.causes.get(cause)) is not None
    ]
    yield f"# yaml-language-server: $schema={schema}"
    yield f"id: {_word(scenario)}"
    yield f"title: {_word(options.title or TITLE)}"
    yield "# The clauses that this tests; `harness explain CLAUSE` says what one demands."
    yield f"clauses: [{', '.join(clauses)}]"
    yield "matrix:"
    yield f"  protocol: [{', '.join(protocols)}]"
    yield "  partitions: [1, 2]"
    tables = [table for table in steps.tables if not table.is_view]
    needs = {name: (PROTOCOLS[name].load_settings or {}).get(ROUTES) for name in protocols}
    if len(tables) > 1 and any(needs.values()):
        yield "# Each table needs a topic of its own."
        yield "settings:"
        yield from (f"  {name}: {json.dumps({ROUTES: one})}" for name, one in needs.items() if one)
    yield f"databases: [{', '.join(_word(name) for name in steps.databases)}]"
    yield "# `harness record` runs this once on a real database and locks what it did."
    yield "upstream:"
    number = 0
    for step in steps.steps:
        number += not step.ddl
        yield from _step(step, f"t{number}")
    yield "# Every table at the end, written from your head: recorded changes are held against it."
    yield "# `[]` is an empty table; write a row as {column: value, column: value}."
    yield "expect:"
    yield "  tables:" if tables else "  tables: {}"
    for table in tables:
        columns = ", ".join(table.column_names)
        if not options.sources:
            yield f"    {_word(str(table.id))}:"
            yield EXAMPLE_ROWS
        else:
            yield f"    {_word(str(table.id))}: []  # {SPECIAL.sub('?', columns)}"


def _step(step: SqlStep, name: str) -> Iterator[str]:
    if step.ddl:
        yield from _sql("  - ddl: ", step.statements[0], 6)
    else:
        yield "  - transaction:"
        yield f"      name: {name}"
        ended = [f"{sql};" for sql in step.statements]
        yield from _sql("      sql: ", ended[0][:-1] if len(ended) == 1 else "\n".join(ended), 8)


def _sql(key: str, sql: str, indent: int) -> Iterator[str]:
    """Yield an SQL text as a block, or quoted when YAML would not give it back as it is."""
    if SPECIAL.search(sql):
        yield key + in_quotes(sql)
        return
    yield f"{key}|-"
    yield from (f"{' ' * indent}{line}" if line else "" for line in sql.split("\n"))


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else in_quotes(text)
