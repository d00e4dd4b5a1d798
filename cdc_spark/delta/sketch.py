"""A table as the driver knows it: names, definitions and where it is; never its rows.

`apply.ddl` says what a statement does. A sketch takes the place of the table that it would do
it to, and notes what has to be done to the stored rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from cdc_spark.apply.partitions import Definition, Partitions, Within
from cdc_spark.apply.repartition import UnknownEffect
from cdc_spark.apply.reshape import Plan
from cdc_spark.apply.schema import Column, Expression, Literal
from cdc_spark.apply.shape import Shape
from cdc_spark.apply.tables import Row, Table
from cdc_spark.delta.columns import Field, field_of, undefined

TableLayout = tuple[Field, ...]
# What the values of a shape's types are, where no definition says it; integers may be unsigned.
_BY_KIND: Mapping[str, str] = {
    **dict.fromkeys(("integer", "bit", "io.debezium.data.Bits"), "bit"),
    "year": "year",
    **dict.fromkeys(("float", "double"), "double"),
    **dict.fromkeys(("blob", "bytes"), "longblob"),
    "date": "date",
    **dict.fromkeys(("datetime", "timestamp"), "datetime"),
    **dict.fromkeys(("text", "string"), "longtext"),
    **dict.fromkeys(("json", "io.debezium.data.Json"), "json"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens to a table's stored rows: `change` makes a row's new form, or None, of its old.

    Without `change` rows keep their values, and columns are added; without `after` they go.
    """

    before: TableLayout
    after: TableLayout | None = None
    change: Callable[[Row], Row | None] | None = None


class Sketch(Table):
    """A table without its rows; `path` is "" until it has a place, `made` says that it is there."""

    def __init__(self, schema: str, name: str, columns: Iterable[Column] = ()) -> None:
        """Start unknown."""
        super().__init__(schema, name, columns)
        self.path = ""
        self.made = False
        self.shape: Shape | None = None
        self.undefined: dict[str, str] = {}
        self.effects: list[Effect] = []

    @property
    def layout(self) -> TableLayout:
        """Return the fields of the stored table, but for the hidden ones."""
        if self.shape is not None:
            return tuple(self._shaped(name, kind) for name, (kind, _) in self.shape.columns.items())
        defined = [field_of(one) for one in self.columns.values() if not one.virtual]
        return (*defined, *(undefined(name) for name in self.undefined.values()))

    def _shaped(self, name: str, kind: str) -> Field:
        column = self.columns.get(name.lower())
        if column is None and kind in _BY_KIND:
            column = Column(name, _BY_KIND[kind])
        return undefined(name) if column is None else field_of(column)

    def clear(self) -> None:
        """Note that all rows go."""
        self.effects.append(Effect(self.layout))

    @property
    def may_have_rows(self) -> bool:
        """Return whether a statement on rows may find any: the driver does not know."""
        return True

    def drop(self, goes: Within) -> None:
        """Note that the rows of some partitions go."""
        self.effects.append(Effect(self.layout, self.layout, Staying(goes)))

    def exchange(self, other: Table, goes: Within) -> None:
        """Refuse to move rows: that would be two commits, and a crash may come between them."""
        del other, goes
        raise UnknownEffect(f"EXCHANGE PARTITION of {self.schema}.{self.name}, over two tables")

    def reshape(self, columns: Iterable[Column], change: Callable[[Row], Row]) -> None:
        """Take new columns, and note what becomes of the rows."""
        before = self.layout
        self.columns = {column.name.lower(): column for column in columns}
        plan = getattr(change, "__self__", None)
        if isinstance(plan, Plan):
            self._follow(plan)
        self.effects.append(Effect(before, self.layout, change))

    def follow(self, shape: Shape) -> None:
        """Take the shape that a row carries, and note what becomes of the rows."""
        before = self.layout
        known = {} if self.shape is None else self.shape.columns
        types = {name: kind for name, (kind, _) in known.items()}
        self.shape = shape
        self.effects.append(Effect(before, self.layout, Fitted(shape, types)))

    def learn(self, names: Iterable[str]) -> None:
        """Take columns that no definition has and rows have."""
        before = self.layout
        known = {field.name.lower() for field in before}
        new = {name.lower(): name for name in names if name.lower() not in known}
        if new and self.shape is None:
            self.undefined |= new
            self.effects.append(Effect(before, self.layout))

    def _follow(self, plan: Plan) -> None:
        """Let columns that nobody defined be dropped, renamed, or defined at last."""
        for name in list(self.undefined):
            new, _ = plan.moved.get(name, (self.undefined[name], None))
            del self.undefined[name]
            if name not in plan.dropped and new.lower() not in self.columns:
                self.undefined[new.lower()] = new

    def dump(self) -> str:
        """Return all of it as JSON; `load` is the way back."""
        shape = self.shape
        return orjson.dumps(
            {
                "schema": self.schema,
                "name": self.name,
                "path": self.path,
                "made": self.made,
                "undefined": list(self.undefined.values()),
                "columns": [asdict(column) for column in self.columns.values()],
                "partitions": None if self.partitions is None else asdict(self.partitions),
                "shape": None if shape is None else [shape.text.decode(), str(shape.ts)],
            }
        ).decode()


@dataclass(frozen=True, slots=True)
class Fitted:
    """A row in a shape; `types` are those of the columns that it had."""

    shape: Shape
    types: dict[str, str]

    def __call__(self, row: Row) -> Row:
        """Return the row's new form."""
        return self.shape.fitted(row, self.types)


@dataclass(frozen=True, slots=True)
class Staying:
    """A row as it is, None for one that goes with its partition."""

    goes: Within

    def __call__(self, row: Row) -> Row | None:
        """Return the row, if it stays."""
        return None if self.goes(row) else row


def load(text: str) -> Sketch:
    """Return the sketch that `dump` gave."""
    saved: dict[str, Any] = orjson.loads(text)
    sketch = Sketch(saved["schema"], saved["name"], [_column(one) for one in saved["columns"]])
    sketch.path, sketch.made = saved["path"], saved["made"]
    sketch.partitions = _partitions(saved.get("partitions"))
    sketch.undefined = {name.lower(): name for name in saved["undefined"]}
    if saved["shape"] is not None:
        sketch.shape = shape_of(orjson.loads(saved["shape"][0]), int(saved["shape"][1]))
    return sketch


def shape_of(described: list[Any], ts: int) -> Shape:
    """Return the shape that an event carries."""
    columns = {one[0]: (one[1], one[2] if len(one) > 2 else None) for one in described}
    return Shape(orjson.dumps(described), ts, columns)


def _column(saved: dict[str, Any]) -> Column:
    parts = dict(saved)
    parts["members"] = tuple(saved["members"])
    default = saved["default"]
    if default is not None:
        parts["default"] = Literal(**default) if "form" in default else Expression(**default)
    return Column(**parts)


def _partitions(saved: dict[str, Any] | None) -> Partitions | None:
    if saved is None:
        return None
    definitions = tuple(
        Definition(one["name"], tuple(one["values"]), one["greatest"])
        for one in saved["definitions"]
    )
    read: dict[str, Any] = {**saved, "definitions": definitions}
    return Partitions(**read)
