"""Where a query stands, read from its checkpoint: `python -m cdc_spark health CHECKPOINT`.

The offsets of a checkpoint are text, and need no Spark. Its state and the ledger of the tables do:
`--state` and `--root` start a session, or take the one of `spark-submit`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from cdc_spark.delta import ledger, letters
from cdc_spark.delta.writes import Place
from cdc_spark.errors import SetupError, UsageError
from cdc_spark.ordering.state_summary import StateSummary, summary, together
from cdc_spark.untyped import Session, fs

_LOGICAL_BITS = 18  # of a TiDB timestamp; those above them are milliseconds
_STATE_SINCE = 4  # Spark 4.0 brought the data source `statestore`
Health = dict[str, Any]


def health(checkpoint: str, *, spark: Session | None = None, root: str = "") -> Health:
    """Return where a query stands, as JSON has it.

    `batch` is the last batch that is done, `begun` one that is not: the next start does it again.
    `partitions` have `read` (the offset up to which all is applied or held) and `planned` (that of
    the batch begun). With a session each partition has its `watermark` and the rows `held`, and
    there is a `state`, from Spark 4.0 on; with the root of Delta tables there are `tables`, and its
    dead letters.
    """
    files = _Checkpoint(checkpoint)
    done, begun = files.newest("commits"), files.newest("offsets")
    read = {} if done is None else files.offsets(done)
    planned = {} if begun is None or begun == done else files.offsets(begun)
    places = sorted({*read, *planned})
    found: Health = {
        "query": files.query(),
        "batch": done,
        "begun": begun if begun != done else None,
        "partitions": [
            {"topic": topic, "partition": number, "read": read.get((topic, number), 0)}
            | ({"planned": planned[topic, number]} if (topic, number) in planned else {})
            for topic, number in places
        ],
    }
    if spark is not None and done is not None and _reads_state(spark):
        _add_state(found, _state(spark, checkpoint))
    if spark is not None and root:
        _add_tables(found, spark, root.rstrip("/"))
    return found


class _Checkpoint:
    """The text files of a checkpoint, wherever Arrow can read."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        try:
            self._files, self._path = fs.FileSystem.from_uri(uri)
        except (ValueError, OSError) as error:
            raise UsageError(
                f"the checkpoint {uri} cannot be read: {error}",
                expected="the address of a directory, such as s3://bucket/path",
            ) from error

    def query(self) -> str:
        """Return the query's id; raises UsageError where there is no checkpoint."""
        try:
            return str(json.loads(self._text("metadata"))["id"])
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(
                f"{self._uri} is no checkpoint of a streaming query: {error}",
                expected="a directory with metadata, offsets and commits",
            ) from error

    def newest(self, log: str) -> int | None:
        """Return the number of the newest batch in a log."""
        selector = fs.FileSelector(f"{self._path}/{log}", allow_not_found=True)
        names = [one.base_name for one in self._files.get_file_info(selector)]
        return max((int(name) for name in names if name.isdigit()), default=None)

    def offsets(self, batch: int) -> dict[tuple[str, int], int]:
        """Return the offsets up to which a batch reads, of Kafka's partitions.

        A file holds a version, a line of metadata, and a line for each source (Structured
        Streaming, OffsetSeqLog version 1).
        """
        found: dict[tuple[str, int], int] = {}
        for line in self._text(f"offsets/{batch}").splitlines()[2:]:
            document: Mapping[str, Any] = json.loads(line) if line.startswith("{") else {}
            for topic, partitions in document.items():
                if isinstance(partitions, dict):
                    offsets = cast("Mapping[str, int]", partitions)
                    found |= {(topic, int(one)): at for one, at in offsets.items()}
        return found

    def _text(self, name: str) -> str:
        with self._files.open_input_stream(f"{self._path}/{name}") as stream:
            return bytes(stream.read()).decode()


def _reads_state(spark: Session) -> bool:
    """Return whether this Spark has a data source for the state of a query."""
    return int(str(spark.version).partition(".")[0]) >= _STATE_SINCE


def _state(spark: Session, checkpoint: str) -> StateSummary | None:
    """Return what the states of all buckets say; None where there is none."""
    rows = spark.read.format("statestore").load(checkpoint).select("value.groupState.hold")
    stored = [bytes(row[0]) for row in rows.collect() if row[0] is not None]
    return together([summary(one) for one in stored]) if stored else None


def _add_state(found: Health, state: StateSummary | None) -> None:
    if state is None:
        return
    known = {(one["topic"], one["partition"]): one for one in found["partitions"]}
    for (topic, number), one in state.partitions.items():
        line = known.setdefault((topic, number), {"topic": topic, "partition": number})
        line["held"] = one.held
        line["watermark"] = one.watermark
    found["partitions"] = [known[place] for place in sorted(known)]
    found["state"] = {
        "next_seq": state.seq,
        "watermark": state.watermark,
        "oldest_held": state.oldest,
        "transactions": state.waiting,
        "keys": state.remembered,
    }


def _add_tables(found: Health, spark: Session, root: str) -> None:
    known = ledger.load(Place(spark, f"{root}/{ledger.NAME}", ""))
    found["tables"] = {
        "query": known.query,
        "batch": known.batch,
        "seq": known.seqs.get(0, -1),
        "number": sum(len(texts) for texts in known.tables.values()),
        "stopped": next(iter(known.stopped.get(0, {}).values()), None),
    }
    place = Place(spark, f"{root}/{letters.NAME}", "")
    found["dead_letters"] = place.frame().count() if place.exists() else 0


def text_of(found: Health) -> str:
    """Return where a query stands, for people."""
    begun = found["begun"]
    lines = [f"query {found['query']}: batch {found['batch']} is done"]
    if begun is not None:
        lines.append(f"batch {begun} is begun and not done; the next start does it again")
    lines += [_line(one) for one in found["partitions"]]
    lines += [
        f"{part}: {', '.join(f'{name} {value}' for name, value in found[part].items())}"
        for part in ("state", "tables")
        if part in found
    ]
    if "dead_letters" in found:
        lines.append(f"dead letters: {found['dead_letters']}")
    return "\n".join(lines)


def _line(one: Mapping[str, Any]) -> str:
    parts = [f"topic {one['topic']}, partition {one['partition']}: read to {one.get('read', 0)}"]
    if "planned" in one:
        parts.append(f"the batch begun reads to {one['planned']}")
    if "held" in one:
        parts.append(f"{one['held']} rows held")
    if one.get("watermark") is not None:
        parts.append(f"watermark {one['watermark']} ({moment(one['watermark'])})")
    elif "watermark" in one:
        parts.append("no resolved event yet: it keeps all rows waiting")
    return ", ".join(parts)


def moment(ts: int) -> str:
    """Return when a commit ts of TiDB's was, in UTC."""
    try:
        return datetime.fromtimestamp((ts >> _LOGICAL_BITS) / 1000, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return "beyond any clock"


def main(arguments: Sequence[str]) -> str:
    """Return what the command prints; raises UsageError, SetupError."""
    parser = argparse.ArgumentParser("python -m cdc_spark health", description=__doc__)
    parser.add_argument("checkpoint", help="the checkpoint's path or URI")
    parser.add_argument("--root", default="", help="the root of the Delta tables, with a session")
    parser.add_argument("--state", action="store_true", help="read the state, with a session")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    spark = _session(given)
    if spark is not None and given.state and not _reads_state(spark):
        raise SetupError(
            f"Spark {spark.version} cannot read the state of a query",
            expected="Spark 4.0 or later",
            hint="without --state the command says all else",
        )
    found = health(given.checkpoint, spark=spark, root=given.root)
    return json.dumps(found) if given.json else text_of(found)


def _session(given: argparse.Namespace) -> Session | None:
    if not (given.state or given.root):
        return None
    from pyspark.sql import SparkSession  # noqa: PLC0415 - offsets are read without it

    return SparkSession.builder.getOrCreate()
