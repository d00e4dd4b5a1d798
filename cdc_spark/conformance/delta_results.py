"""Delta's side of a run of the harness: the sink for a job, and the results from its tables.

Rows that wait for a transaction's END are not applied: a sink that goes on has no end at which they
might be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from cdc_spark import rows
from cdc_spark.apply.fold import Fold
from cdc_spark.apply.tables import Table
from cdc_spark.conformance import result_writer
from cdc_spark.conformance.delta_files import small_table
from cdc_spark.conformance.job import Job
from cdc_spark.delta import ledger, letters
from cdc_spark.delta.convert import ROW_AS_JSON, RowsAsJson
from cdc_spark.delta.crash_points import Reach
from cdc_spark.delta.ledger import Identity, Known
from cdc_spark.delta.sink import Feed, Sink
from cdc_spark.delta.sketch import Sketch, load
from cdc_spark.delta.tables import identity_of
from cdc_spark.delta.writes import Place
from cdc_spark.untyped import Frame, Session

APP = "harness"
TOGETHER = 8  # tables of a union: each more has Spark analyse all that are before it once more


def root(job: Job) -> str:
    """Return where a job's tables are."""
    return (job.work_dir.absolute() / "delta").as_uri()


def sink(job: Job, checkpoint: Path, reach: Reach) -> Sink:
    """Return the sink of a job; a failed changefeed does not harm its neighbours."""
    feeds = {
        number: Feed(f"{number}", tuple(topic.name for topic in feed.topics), feed.tables)
        for number, feed in enumerate(job.changefeeds)
        if not feed.needs
    }

    def identity(_: Session, batch: int) -> Identity:
        offsets = (checkpoint / "offsets" / str(batch)).read_text(encoding="utf-8")
        return identity_of((checkpoint / "metadata").read_text(encoding="utf-8"), offsets)

    return Sink(root(job), APP, identity, feeds, job.lenient, strict=False, reach=reach)


def write_results(spark: Session, job: Job, unread: Mapping[int, str]) -> int:
    """Write the results of all changefeeds from their Delta tables; return how many."""
    here = Place(spark, f"{root(job)}/{ledger.NAME}", APP)
    known = ledger.load(here)
    ddl = {feed: list(lines) for feed, lines in groupby(_by_feed(ledger.ddl(here)), _feed)}
    aside = _letters(spark, job)
    tables = _tables(spark, job, known)
    for feed, changefeed in enumerate(job.changefeeds):
        stopped = known.stopped.get(feed, {})
        needs = changefeed.needs or stopped.get(ledger.NEEDS, "")
        error = stopped.get(ledger.ERROR, "") or unread.get(feed, "")
        files = {"ddl.jsonl": [orjson.loads(line.text) for line in ddl.get(feed, ())]}
        if job.lenient:
            files[result_writer.LETTERS] = aside.get(feed, [])
        result_writer.write_folded(changefeed.directory, tables.get(feed, ()), files, needs, error)
    return len(job.changefeeds)


def _by_feed(lines: Iterable[ledger.Line]) -> list[ledger.Line]:
    return sorted(lines, key=_feed)


def _feed(line: ledger.Line) -> int:
    return line.feed


def _letters(spark: Session, job: Job) -> dict[int, list[dict[str, Any]]]:
    place = Place(spark, f"{root(job)}/{letters.NAME}", APP)
    if not job.lenient or not place.exists():
        return {}
    found: dict[int, list[dict[str, Any]]] = {}
    for row in place.frame().collect():
        line = {name: row[name] for name in ("topic", "partition", "offset", "reason")}
        found.setdefault(row["feed"], []).append(line)
    return found


def _tables(spark: Session, job: Job, known: Known) -> dict[int, list[Table]]:
    """Return the tables of all changefeeds, with their rows; a job reads some of them."""
    sketches = [(feed, load(text)) for feed, texts in known.tables.items() for text in texts]
    tables = [(feed, Table(one.schema, one.name)) for feed, one in sketches]
    made = [
        (number, one, Place(spark, f"{root(job)}/{feed}/{one.path}", APP))
        for number, (feed, one) in enumerate(sketches)
        if one.made
    ]
    for number, text in table_rows(made):
        tables[number][1].insert(orjson.loads(text))
    found: dict[int, list[Table]] = {}
    for feed, table in sorted(tables, key=itemgetter(0)):
        found.setdefault(feed, []).append(table)
    for feed, changefeed in enumerate(job.changefeeds):
        if feed not in known.tables:  # nothing has come, so what was there at the start is there
            fold = Fold()
            fold.start(changefeed.tables)
            found[feed] = list(fold.tables)
    return found


def table_rows(tables: Iterable[tuple[int, Sketch, Place]]) -> Iterator[tuple[int, str]]:
    """Yield the rows of numbered tables in JSON: of small ones as they are, of others by Spark."""
    left: list[Frame] = []
    for number, sketch, place in tables:
        as_json = RowsAsJson(number, sketch.layout)
        small = small_table(place.uri)
        if small is None:
            left.append(place.frame().mapInArrow(as_json.rows, rows.sql(ROW_AS_JSON)))
            continue
        for batch in as_json.rows(small.batches(sketch.layout)):
            yield from rows.tuples(batch)
    for at in range(0, len(left), TOGETHER):
        union: Frame = reduce(lambda one, other: one.unionByName(other), left[at : at + TOGETHER])
        yield from map(tuple, union.collect())
