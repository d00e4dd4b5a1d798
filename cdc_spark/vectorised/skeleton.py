r"""JSON of one layout, a batch at a time: literals that all texts share, and values between them.

A text is taken apart only where literals and values, put together again, are that text, and
each value is JSON by itself; so there is no other reading of it. Values come out as orjson would
write them again. A text that does not fit is left to whoever reads everything, and a skeleton too
narrow costs time only.

| a value | comes out |
| --- | --- |
| text | as it stands; written anew where an escape is in it |
| whole number of at most 18 digits, 19 without a sign | as it stands |
| other number | written anew, since its digits may be written otherwise |

Every step is one call of Arrow's for a whole batch: a row of ten columns costs two microseconds,
and some ten if Python looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

import orjson

from cdc_spark.errors import DecodingError
from cdc_spark.events import json_text
from cdc_spark.untyped import Column, np, pa, pc

NULL = "null"
_TEXT = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_WHOLE = r"0|[1-9][0-9]{0,18}|-[1-9][0-9]{0,17}"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

Written = Callable[[Sequence[str]], Sequence[str]]  # texts on the wire -> texts in contract JSON
Found = tuple[Column, list[Column]]  # which texts fit, and each cell's values of those


class CellKind(StrEnum):
    """What a value may be: a pattern for the whole of it."""

    TEXT = rf"\A(?:{_TEXT}|null)\z"
    WHOLE = rf"\A(?:{_WHOLE}|null)\z"
    COUNT = r"\A(?:0|[1-9][0-9]{0,18})\z"
    STRING = rf"\A(?:{_TEXT})\z"
    SCALAR = rf"\A(?:{_TEXT}|{_NUMBER}|true|false|null)\z"
    VALUE = rf"\A(?:{_TEXT}|{_NUMBER}|null)\z"
    NUMBER = rf"\A(?:{_NUMBER}|null)\z"
    ANY = ""  # whoever asks for it looks into it


# Which values of a form do not stand as orjson would write them.
_LOOSE: dict[CellKind, str] = {
    CellKind.TEXT: r"\\",
    CellKind.VALUE: r'\\|\A(?:-?[0-9]{19,}|[^"]*[.eE+]|-0\z)',
}
_UNFIT = (ValueError, TypeError, DecodingError)


class Cell(NamedTuple):
    """A value between two literals; `written` writes all but NULL anew, None copies."""

    kind: CellKind
    written: Written | None = None


# An object's members: JSON as it stands, values between literals, objects of such members.
Members = Mapping[str, "str | Cell | Members"]


class Skeleton(NamedTuple):
    """Literals, and the cells between them: one fewer.

    `separator` ends each literal between two cells, where there is such a text and no value of the
    layout has it: then one cut is enough for all of them. "" cuts at one literal after the other.
    """

    literals: Sequence[str]
    cells: Sequence[Cell]
    separator: str = ""

    @classmethod
    def of(cls, document: Members, separator: str = "") -> Skeleton:
        """Return the skeleton of an object of exactly these members, in this order.

        The separator is used where it ends every literal between two cells and is nowhere else.
        """
        literals = [""]
        cells: list[Cell] = []
        for part in _parts(document):
            if isinstance(part, Cell):
                cells.append(part)
                literals.append("")
            else:
                literals[-1] += part
        once = all(one.find(separator) == len(one) - len(separator) for one in literals[1:-1])
        return cls(tuple(literals), tuple(cells), separator if once else "")

    def read(self, texts: Column) -> Found:
        """Return which of these texts (of type string) fit, by their places, and the values."""
        first, *_, last = self.literals
        fits = pc.and_(pc.starts_with(texts, first), pc.ends_with(texts, last))
        least = sum(len(one.encode()) for one in self.literals)
        fits = pc.and_(fits, pc.greater_equal(pc.binary_length(texts), least))
        places = indices(fits)
        rest = _sliced(_some(texts, places), len(first.encode()), len(last.encode()))
        cut = _at_once if self.separator else _in_turn
        kept, values = cut(self, rest)
        places = places.take(kept)
        good = _all([_checked(cell, one) for cell, one in zip(self.cells, values, strict=True)])
        if good is not None and not pc.all(good, min_count=0).as_py():
            places = places.filter(good)
            values = [one.filter(good) for one in values]
        return self._written(places, values)

    def _written(self, places: Column, values: list[Column]) -> Found:
        """Write anew what has to be; what cannot be read is no longer among what fits."""
        bad: set[int] = set()
        for number, cell in enumerate(self.cells):
            values[number] = _rewritten(cell, values[number], bad)
        if bad:
            keep = pa.array([number not in bad for number in range(len(places))], pa.bool_())
            return places.filter(keep), [one.filter(keep) for one in values]
        return places, values


def _parts(document: Members) -> Iterator[str | Cell]:
    opening = "{"
    for name, one in document.items():
        yield f"{opening}{json_text(name)}:"
        if isinstance(one, Mapping):
            yield from _parts(one)
        else:
            yield one
        opening = ","
    yield "}"


def paths(document: Members, above: str = "") -> Iterator[str]:
    """Yield the names of the cells of an object in their order; a dot before an inner one."""
    for name, one in document.items():
        if isinstance(one, Mapping):
            yield from paths(one, f"{above}{name}.")
        elif isinstance(one, Cell):
            yield f"{above}{name}"


def indices(mask: Column) -> Column:
    """Return where a mask is true."""
    return pc.indices_nonzero(mask).cast(pa.int64())


def _some(texts: Column, places: Column) -> Column:
    return texts if len(places) == len(texts) else texts.take(places)


def _all(masks: Sequence[Column | None]) -> Column | None:
    known = [one for one in masks if one is not None]
    return reduce(pc.and_, known) if known else None


def _sliced(texts: Column, front: int, back: int) -> Column:
    """Return texts without so many bytes in front and behind; both stand at ends of characters."""
    stop = -back if back else np.iinfo(np.int32).max
    return pc.binary_slice(texts.view(pa.binary()), front, stop).view(pa.string())


def _at_once(skeleton: Skeleton, texts: Column) -> Found:
    """Cut texts at every separator."""
    if not len(texts):
        return _nothing(skeleton)
    inner = [one.removesuffix(skeleton.separator) for one in skeleton.literals[1:-1]]
    pieces = pc.split_pattern(texts, skeleton.separator)
    wanted = len(skeleton.cells)
    kept = indices(pc.equal(pc.list_value_length(pieces), wanted))
    flat = _some(pieces, kept).flatten()
    size = len(kept) * wanted
    columns = [flat.take(pa.array(np.arange(n, size, wanted))) for n in range(wanted)]
    ends = [pc.ends_with(one, end) for one, end in zip(columns[:-1], inner, strict=True)]
    good = _all(ends)
    if good is not None and not pc.all(good, min_count=0).as_py():
        kept = kept.filter(good)
        columns = [one.filter(good) for one in columns]
    cut = [_sliced(one, 0, len(e.encode())) for one, e in zip(columns[:-1], inner, strict=True)]
    return kept, [*cut, columns[-1]]


def _in_turn(skeleton: Skeleton, texts: Column) -> Found:
    """Cut texts at one literal after the other, where each comes first."""
    values: list[Column] = []
    kept = pa.array(np.arange(len(texts)))
    for literal in skeleton.literals[1:-1]:
        if not len(kept):
            return _nothing(skeleton)
        pieces = pc.split_pattern(texts, literal, max_splits=1)
        found = indices(pc.equal(pc.list_value_length(pieces), 2))
        if len(found) < len(kept):
            kept = kept.take(found)
            values = [one.take(found) for one in values]
            pieces = pieces.take(found)
        flat = pieces.flatten()
        size = 2 * len(kept)
        values.append(flat.take(pa.array(np.arange(0, size, 2))))
        texts = flat.take(pa.array(np.arange(1, size, 2)))
    return kept, [*values, texts]


def _nothing(skeleton: Skeleton) -> Found:
    return pa.array([], pa.int64()), [pa.array([], pa.string()) for _ in skeleton.cells]


def _checked(cell: Cell, values: Column) -> Column | None:
    return pc.match_substring_regex(values, cell.kind) if cell.kind else None


def _rewritten(cell: Cell, values: Column, bad: set[int]) -> Column:
    """Return a cell's values in contract JSON; adds to `bad` the places of what cannot be read."""
    if cell.written is not None:
        which = indices(pc.not_equal(values, NULL))
        return _replaced(values, which, cell.written, bad)
    loose = _LOOSE.get(cell.kind)
    if loose is None:
        return values
    which = indices(pc.match_substring_regex(values, loose))
    return _replaced(values, which, as_orjson, bad) if len(which) else values


def _replaced(values: Column, which: Column, written: Written, bad: set[int]) -> Column:
    texts: list[str] = values.take(which).to_pylist()
    try:
        new = [*written(texts)]
    except _UNFIT:
        new = list[str]()
        for place, text in zip(which.to_pylist(), texts, strict=True):
            try:
                new.extend(written([text]))
            except _UNFIT:
                bad.add(place)
                new.append(NULL)
    if len(which) == len(values):
        return pa.array(new, pa.string())
    mask = np.zeros(len(values), bool)
    mask[which.to_numpy()] = True
    return pc.replace_with_mask(values, pa.array(mask), pa.array(new, pa.string()))


def as_orjson(texts: Sequence[str]) -> Sequence[str]:
    """Return values' JSON as orjson writes it; raises ValueError for what is not JSON."""
    return [json_text(orjson.loads(text)) for text in texts]


def floats(texts: Sequence[str]) -> Sequence[str]:
    """Return numbers as floating ones; raises ValueError for what is not a number."""
    found: list[float] = [float(one) for one in orjson.loads(f"[{','.join(texts)}]")]
    return orjson.dumps(found)[1:-1].decode().split(",") if found else []


def each(written: Callable[[str], str]) -> Written:
    """Return what writes values one by one."""
    return lambda texts: [written(text) for text in texts]
