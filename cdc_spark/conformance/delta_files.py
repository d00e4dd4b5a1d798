"""The rows of a small Delta table, read where the driver is: a log's entries, and Parquet files.

Delta asks Spark for the state of a table's log: four queries before the first row, most of a second
of the processor, whatever the table has. A run of the harness reads thousands of tables of some
rows, each once, and a session that did nothing else would take longer for that than for all that
went before. What a log may have besides such entries is left to Delta: its checkpoints, deletion
vectors, partitions.

Source: Delta Transaction Log Protocol, §Delta log entries, §Actions, §Column mapping.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from cdc_spark.delta.columns import HIDDEN
from cdc_spark.delta.convert import arrow
from cdc_spark.delta.sketch import TableLayout
from cdc_spark.untyped import ArrowBatch

LOG = "_delta_log"
PHYSICAL = "delta.columnMapping.physicalName"


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A table's files, and how each of its columns is called in them."""

    files: Sequence[Path]
    physical: Mapping[str, str]

    def batches(self, layout: TableLayout) -> Iterator[ArrowBatch]:
        """Yield the rows; a column that a file lacks, as it came later, is NULL in all of them."""
        kinds = {**{one.name: one.type for one in layout}, **HIDDEN}
        for path in self.files:
            held = pq.ParquetFile(path).read()
            arrays = [
                held.column(self.physical[name]).cast(arrow(kind)).combine_chunks()
                if self.physical[name] in held.column_names
                else pa.nulls(held.num_rows, arrow(kind))
                for name, kind in kinds.items()
            ]
            yield from pa.Table.from_arrays(arrays, names=list(kinds)).to_batches()


def small_table(uri: str) -> SmallTable | None:
    """Return a table as its log has it; None where that is for Delta to read."""
    place = Path(url2pathname(urlsplit(uri).path))
    files_there = (one for one in (place / LOG).glob("*") if one.is_file())
    entries = sorted(one for one in files_there if one.suffix != ".crc")
    names = [f"{version:020}.json" for version in range(len(entries))]
    if [one.name for one in entries] != names:
        return None
    schema: Mapping[str, Any] | None = None
    files: dict[str, None] = {}
    for action in _actions(entries):
        match action:
            case {"metaData": {"partitionColumns": [], "schemaString": str(text)}}:
                schema = orjson.loads(text)
            case {"metaData": _} | {"add": {"deletionVector": {}}}:
                return None
            case {"add": {"path": str(path)}}:
                files[unquote(path)] = None
            case {"remove": {"path": str(path)}}:
                files.pop(unquote(path), None)
            case _:
                pass
    if schema is None:
        return None
    physical = {one["name"]: one["metadata"].get(PHYSICAL, one["name"]) for one in schema["fields"]}
    return SmallTable([place / path for path in files], physical)


def _actions(entries: Sequence[Path]) -> Iterator[Any]:
    for entry in entries:
        yield from map(orjson.loads, entry.read_bytes().splitlines())
