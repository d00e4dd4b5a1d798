"""Places of rows in their logs as columns: what `ages` says of a row, of all rows of a batch.

What MariaDB and MySQL connectors write has one form, and is read by one regular expression; a batch
in which a row has another form is read row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from cdc_spark.ordering.ages import Age, age_of, file_of, since
from cdc_spark.ordering.columns import Array
from cdc_spark.untyped import Column, np, pa, pc

NO_LOG = -1
PLACE = ("log", "epoch", "rank", "order", "time")  # of `ages.Age`; a log is its number
Places = dict[str, Array]
_NO_AGE = Age("", 0, 0, 0)
_SINCE = "since"
_STREAMED = ("null", '"false"')  # what the text of a row has for `snapshot` that was not copied
# Numbers of 19 digits may not fit, and are read row by row.
_FORM = (
    r'"snapshot":(?P<snapshot>null|"\w+"),"server_id":(?P<server>\d+),"gtid":(?:null|"'
    r'(?:(?P<domain>\d+)-\d+-|(?P<uuid>[0-9a-fA-F-]{36}(?::\w+)?):)(?P<number>\d{1,18})"),'
    r'"file":(?:null|"(?P<file>[^"\\]*)"),"pos":(?P<pos>\d{1,18}),"row":(?P<row>\d{1,18})\}$'
)


class Placed(NamedTuple):
    """Places, the names of their logs by number, and what `ages.since` has of rows, or -1."""

    places: Places
    logs: Sequence[str]
    since: Array


def places_of(texts: Column, times: Array) -> Placed:
    """Return the places of rows by the texts that order them, "" where there is none."""
    said = np.flatnonzero(pc.not_equal(texts, "").to_numpy(zero_copy_only=False))
    if not len(said):
        return _spread(Placed(dict.fromkeys(PLACE, said), (), said), said, len(texts))
    some, times = texts.take(pa.array(said)), times[said].astype(np.int64)
    found = pc.extract_regex(some, _FORM)
    if found.null_count:
        return _spread(_one_by_one(some.to_pylist(), times.tolist()), said, len(texts))
    return _spread(_at_once(found, times), said, len(texts))


def _spread(placed: Placed, said: Array, size: int) -> Placed:
    """Return places of rows, some of which have one, at which all others have none."""
    places: Places = {}
    for name, one in {**placed.places, _SINCE: placed.since}.items():
        places[name] = np.full(size, NO_LOG if name in ("log", _SINCE) else 0, one.dtype)
        places[name][said] = one
    since_ = places.pop(_SINCE)
    return Placed(places, placed.logs, since_)


def before(one: Mapping[str, Array], other: Mapping[str, Array]) -> Array:
    """Return a mask of the places that are older than others, as `Age.before` has it."""
    older = one["order"] < other["order"]
    for name in ("rank", "epoch"):
        older = (one[name] < other[name]) | ((one[name] == other[name]) & older)
    known = (one["log"] != NO_LOG) & (one["log"] == other["log"])
    found: Array = (known & older & (one["time"] <= other["time"])).astype(bool)
    return found


def numbers(values: Sequence[int]) -> Array:
    """Return whole numbers of any size: as int64 where all of them fit, else as objects."""
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def _one_by_one(texts: Sequence[str], times: Sequence[int]) -> Placed:
    logs: dict[str, int] = {}
    found: list[tuple[int, ...]] = []
    sinces: list[int] = []
    for text, ts in zip(texts, times, strict=True):
        block: dict[str, Any] = orjson.loads(text or "{}")
        age = age_of(block, ts)
        log = NO_LOG if age is None else logs.setdefault(age.log, len(logs))
        found.append((log, *(age or _NO_AGE)[1:]))
        sinces.append(since(ts, 0 if age is None else age.rank) if "file" in block else -1)
    columns = zip(*found, strict=True)
    places = {name: numbers(one) for name, one in zip(PLACE, columns, strict=True)}
    return Placed(places, list(logs), numbers(sinces))


def _at_once(found: Any, times: Array) -> Placed:  # noqa: ANN401 - Arrow's structs
    part = {field.name: found.field(at) for at, field in enumerate(found.type)}
    files = part["file"].dictionary_encode()
    known = [file_of(one) for one in files.dictionary.to_pylist()]
    which = files.indices.to_numpy()
    stems = pa.array([one and one[0] for one in known], pa.string()).take(files.indices)
    by_gtid = pc.not_equal(part["number"], "")
    names = pc.if_else(
        by_gtid,
        pc.binary_join_element_wise(part["domain"], part["uuid"], ""),
        pc.binary_join_element_wise(part["server"], stems, " "),
    ).dictionary_encode()
    gtid = by_gtid.to_numpy(zero_copy_only=False)
    number, pos, row = (_whole(part[name]) for name in ("number", "pos", "row"))
    placed = gtid | ((pos > 0) & np.array([one is not None for one in known])[which])
    placed &= pc.is_in(part["snapshot"], pa.array(_STREAMED)).to_numpy(zero_copy_only=False)
    epoch = np.array([one[1] if one else 0 for one in known], np.int64)[which]
    places: Places = {
        "log": names.indices.fill_null(NO_LOG).to_numpy().astype(np.int64),
        "epoch": np.where(gtid, 0, epoch),
        "rank": np.where(gtid, number, pos),
        "order": np.where(gtid, 0, row),
        "time": times.copy(),
    }
    for name, one in places.items():
        one[~placed] = NO_LOG if name == "log" else 0
    return Placed(places, names.dictionary.to_pylist(), since(times, places["rank"]))


def _whole(texts: Column) -> Array:
    """Return whole numbers of texts, 0 of those that are empty."""
    return pc.if_else(pc.equal(texts, ""), "0", texts).cast(pa.int64()).to_numpy()
