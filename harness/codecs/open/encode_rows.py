"""Row events to the JSON of their keys and values, many rows at once.

Source: TiCDC codec notes §2.2, 2.3, 8; tiflow c7b2588 open_protocol_message.go:122; pingcap/ticdc
b813e76f9d pkg/sink/codec/open/codec.go. One thing that the latter does is left out: with
`only-output-updated-columns` it forgets the name of a column that became NULL, which is no row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from harness.codecs.open.settings import OpenSettings
from harness.codecs.open.template import (
    COMMIT_TS,
    FIRST_VALUE,
    INTEGER,
    PHYSICAL_ID,
    ROW_ID,
    MessageTemplate,
    MessageTemplateBuilder,
)
from harness.codecs.open.types import ColumnFormat, form
from harness.errors import EncodingError, SourceStopped
from harness.model.source_events import RowEvent, SourceTable
from harness.wire.json_text import bare, html_safe

# Table, no old image, no new image, no row id, no partition id, ordinals that changed.
Shape = tuple[int, bool, bool, bool, bool, tuple[int, ...]]
Pairs = tuple[list[bytes], list[bytes]]


@dataclass(frozen=True, slots=True)
class ColumnTexts:
    """One column of a table as it is written: the text before the value, and the value's form."""

    ordinal: int
    handle: bool
    prefix: str
    form: ColumnFormat


@dataclass(frozen=True, slots=True)
class ReducedRow:
    """How a row that is too large is sent instead: handle columns only, or a claim check."""

    location: str = ""


class _Run:
    """Rows and what their shapes differ by, by columns."""

    __slots__ = ("_afters", "_befores", "_physical_ids", "_row_ids", "rows")

    def __init__(self, rows: Sequence[RowEvent]) -> None:
        self.rows = rows
        self._afters = [row.after for row in rows]
        self._befores = [row.before for row in rows]
        self._row_ids = [row.row_id for row in rows]
        self._physical_ids = [row.physical_id for row in rows]

    @property
    def alike(self) -> bool:
        """Return whether all rows surely have one shape, but for which columns changed."""
        return len({id(row.table) for row in self.rows}) == 1 and all(
            all(cells) or not any(cells)
            for cells in (self._befores, self._afters, self._row_ids, self._physical_ids)
        )

    def texts(self, template: MessageTemplate) -> list[bytes]:
        """Return the event key and the event value of each row; all of them have this template."""
        try:
            return template.texts(
                (
                    [row.commit_ts for row in self.rows],
                    self._row_ids,
                    self._physical_ids,
                    *zip(*filter(None, self._afters), strict=True),
                    *zip(*filter(None, self._befores), strict=True),
                )
            )
        except (IndexError, TypeError, ValueError) as error:
            raise EncodingError(
                f"a row of {self.rows[0].table.table.id} has a value that its column cannot have: "
                f"{error}",
                expected="one value for each column, of the column's kind",
            ) from error


class RowTexts:
    """Writes the rows of one changefeed; keeps what is prepared for each table and shape."""

    def __init__(self, settings: OpenSettings) -> None:
        """Take the changefeed's settings."""
        self._settings = settings
        self._escaped = html_safe if settings.dialect.html_escapes else bare
        # The table is kept beside its columns, so that its identity cannot be reused.
        self._columns: dict[int, tuple[SourceTable, tuple[ColumnTexts, ...]]] = {}
        self._templates: dict[Shape, MessageTemplate] = {}

    def pairs(self, rows: Sequence[RowEvent]) -> Pairs:
        """Return the rows' event keys, and their event values.

        Raises EncodingError for a value that its column cannot have, SourceStopped for a row
        without any column to send.
        """
        run = _Run(rows)
        if run.alike and not self._settings.only_updated:
            return self._group(run, self._shape(rows[0]))
        groups: dict[Shape, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            groups[self._shape(row)].append(number)
        keys, values = [b""] * len(rows), [b""] * len(rows)
        for shape, numbers in groups.items():
            pairs = self._group(_Run([rows[number] for number in numbers]), shape)
            for number, key, value in zip(numbers, *pairs, strict=True):
                keys[number], values[number] = key, value
        return keys, values

    def reduced(self, row: RowEvent, how: ReducedRow) -> tuple[bytes, bytes]:
        """Return the event key and value that are sent instead of a row that is too large."""
        template = self._template(row, self._shape(row)[-1], how)
        key, value = _Run([row]).texts(template)
        return key, value

    def _shape(self, row: RowEvent) -> Shape:
        before, after = row.before, row.after
        changed: tuple[int, ...] = ()
        if self._settings.only_updated and before is not None and after is not None:
            changed = tuple(o for o in row.table.emitted if before[o] != after[o])
        return (
            id(row.table),
            before is None,
            after is None,
            row.row_id == 0,
            row.physical_id == 0,
            changed,
        )

    def _group(self, run: _Run, shape: Shape) -> Pairs:
        template = self._templates.get(shape)
        if template is None:
            template = self._templates[shape] = self._template(run.rows[0], shape[-1], None)
        texts = run.texts(template)
        return texts[::2], texts[1::2]

    def _template(
        self, row: RowEvent, changed: tuple[int, ...], how: ReducedRow | None
    ) -> MessageTemplate:
        draft = MessageTemplateBuilder()
        self._key(draft, row, how)
        draft.text("\n")
        self._value(draft, row, changed, handle_only=how is not None)
        draft.text("\n")
        return draft.template()

    def _key(self, draft: MessageTemplateBuilder, row: RowEvent, how: ReducedRow | None) -> None:
        dialect, name = self._settings.dialect, row.table.table.id
        schema, table = self._escaped([name.schema]), self._escaped([name.name])
        draft.text('{"ts":')
        draft.slot(COMMIT_TS, INTEGER)
        draft.text(f',"scm":"{schema[0]}","tbl":"{table[0]}"')
        for member in dialect.key_tail:
            match member:
                case "rid" if row.row_id:
                    draft.text(',"rid":')
                    draft.slot(ROW_ID, INTEGER)
                case "ptn" if row.physical_id:
                    draft.text(',"ptn":')
                    draft.slot(PHYSICAL_ID, INTEGER)
                case "t":
                    draft.text(',"t":1')
                case "ohk" if how is not None and (not how.location or dialect.both_ohk):
                    draft.text(',"ohk":true')
                case "ccl" if how is not None and how.location:
                    draft.text(',"ohk":false' if dialect.both_ohk else "")
                    draft.text(f',"ccl":"{self._escaped([how.location])[0]}"')
                case _:
                    pass
        draft.text("}")

    def _value(
        self,
        draft: MessageTemplateBuilder,
        row: RowEvent,
        changed: tuple[int, ...],
        *,
        handle_only: bool,
    ) -> None:
        settings, columns = self._settings, self._prepared(row.table)
        deleted = row.after is None
        if handle_only or (deleted and settings.delete_only_handle):
            columns = tuple(column for column in columns if column.handle)
        if not columns:
            raise SourceStopped(
                "ErrOpenProtocolCodecInvalidData",
                f"a row of {row.table.table.id} has no handle key columns, and only those are sent",
                hint="give the table a primary key, or a unique key over columns that are NOT NULL",
            )
        draft.text('{"d":' if deleted else '{"u":')
        draft.members((c.prefix, FIRST_VALUE + c.ordinal, c.form) for c in columns)
        if not deleted and row.before is not None and settings.output_old_value:
            old = columns
            if settings.only_updated:
                old = tuple(column for column in columns if column.ordinal in changed)
            if old or settings.dialect.empty_members:
                first = FIRST_VALUE + len(row.before)
                draft.text(',"p":')
                draft.members((c.prefix, first + c.ordinal, c.form) for c in old)
        draft.text("}")

    def _prepared(self, table: SourceTable) -> tuple[ColumnTexts, ...]:
        found = self._columns.get(id(table))
        if found is None:
            found = self._columns[id(table)] = (table, self._table_columns(table))
        return found[1]

    def _table_columns(self, table: SourceTable) -> tuple[ColumnTexts, ...]:
        dialect = self._settings.dialect
        columns = [(table.table.columns[ordinal], ordinal) for ordinal in table.emitted]
        if dialect.sorted_columns:
            columns.sort(key=lambda pair: pair[0].name.encode("utf-8", "surrogatepass"))
        found: list[ColumnTexts] = []
        for column, ordinal in columns:
            handle = ordinal in table.handle
            prefix = f'"{self._escaped([column.name])[0]}":{{"t":{table.codes[ordinal]}'
            prefix += ',"h":true' if handle else ""
            prefix += f',"f":{table.flags[ordinal]}' if dialect.flags else ""
            found.append(ColumnTexts(ordinal, handle, prefix + ',"v":', form(column.kind, dialect)))
        return tuple(found)
