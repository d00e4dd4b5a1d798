"""One rule of `sink.dispatchers`: tables, how their rows find a partition, and their topic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from harness.model.settings import Settings, texts
from harness.model.table import TableId
from harness.sources.tidb.refusal import ChangefeedError, unknown
from harness.sources.tidb.table_filter import TableFilter, parse_rules
from harness.sources.tidb.topic import check_topic

PARTITION_RULES = ("default", "table", "ts", "index-value", "rowid", "columns")
# Rules that hash an index's columns.
_BY_INDEX = ("index-value", "rowid")


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """One rule; the first whose matcher fits a table decides.

    A `partition` that is no rule means `default`, as in TiCDC; `topic` is empty for the default.
    """

    matcher: tuple[str, ...]
    partition: str
    columns: tuple[str, ...] = ()
    index: str = ""
    topic: str = ""
    case_sensitive: bool = False

    def matches(self, table: TableId) -> bool:
        """Return whether the table is covered; by default names are compared without case."""
        return _tables(self.matcher, case_sensitive=self.case_sensitive).table(
            table.schema, table.name
        )


def dispatcher(
    rule: Settings,
    *,
    avro: bool,
    fixed_topics: bool = True,
    case_sensitive: bool = False,
    lenient: bool = False,
) -> Dispatcher:
    """Read one rule; ChangefeedError for what TiCDC refuses.

    A partition rule that does not exist is refused as well, unless `lenient`: TiCDC logs it and
    takes `default`, which nobody can have meant.
    """
    if rule.get("dispatcher") and rule.get("partition"):
        raise ChangefeedError(
            "ErrSinkInvalidConfig",
            "`dispatcher` is the old name of `partition`: a rule has one of them",
            expected="`partition` alone",
            path=("dispatcher",),
        )
    key = "dispatcher" if rule.get("dispatcher") else "partition"
    kind = str(rule.get(key) or "default")
    if kind.lower() not in PARTITION_RULES and not lenient:
        raise unknown("partition rule", kind, PARTITION_RULES, (key,))
    found = Dispatcher(
        matcher=texts(rule.get("matcher")),
        partition=kind,
        columns=texts(rule.get("columns")),
        index=str(rule.get("index") or ""),
        topic=str(rule.get("topic") or ""),
        case_sensitive=case_sensitive,
    )
    if (kind.lower() == "columns") != bool(found.columns):
        what = "the partition rule `columns` and the key `columns` go together"
        raise ChangefeedError("", what, path=("columns",) if found.columns else (key,))
    if found.index and kind.lower() not in _BY_INDEX:
        what = "the key `index` belongs to the partition rule `index-value`"
        raise ChangefeedError("", what, path=("index",))
    try:
        _tables(found.matcher, case_sensitive=case_sensitive)
    except ChangefeedError as refusal:
        raise refusal.under("matcher") from None
    check_topic(found.topic, avro=avro, fixed=fixed_topics)
    return found


@cache
def _tables(matcher: tuple[str, ...], *, case_sensitive: bool) -> TableFilter:
    return parse_rules(matcher, case_sensitive=case_sensitive)
