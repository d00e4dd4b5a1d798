"""Flink SQL over each topic of a job, one bounded query a topic, all in one session.

PYFLINK_VARIANT is `careful`, `naive`, `lenient` (naive, with parse errors ignored) or `batch`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import mapping
from adapter import DEBEZIUM, HOME, JSON, Json, job, say, write_table
from columns import Shape, of_json, of_registry

VARIANT = os.environ["PYFLINK_VARIANT"]
CAREFUL = VARIANT == "careful"
TYPES = mapping.careful if CAREFUL else mapping.naive
AVRO = "io.confluent.connect.avro.AvroConverter"
CHANGE = re.compile(r"(\w+)> ([+-][IUD])\[(.*)\]")


class LackError(Exception):
    """What a topic needs that this adapter does not do."""


def converter(feed: Json) -> str:
    """Return the value's converter of a Debezium changefeed."""
    return str(feed["settings"].get("value.converter", JSON))


def shape_of(order: Json, feed: Json, topic: Json) -> Shape:
    """Return a topic's table; raises LackError."""
    is_avro = feed["protocol"] == "avro" or converter(feed) == AVRO
    if feed["protocol"] == "avro" and feed["settings"].get("avro-enable-watermark"):
        raise LackError("avro-enable-watermark")
    if feed["settings"].get("tz", "UTC") != "UTC":
        raise LackError(f"tz:{feed['settings']['tz']}")  # TIMESTAMPs are texts to it
    if feed["protocol"] in DEBEZIUM and converter(feed) not in {JSON, AVRO}:
        raise LackError(f"value.converter:{converter(feed)}")
    shape = (of_registry if is_avro else of_json)(order, topic)
    if len(shape.tables) > 1:
        raise LackError("topic:one-table")
    if CAREFUL and not shape.has_schema:
        raise LackError("value.converter.schemas.enable")  # nothing else tells a date from a number
    return shape


def options(order: Json, feed: Json, topic: Json, shape: Shape) -> dict[str, str]:
    """Return what CREATE TABLE says after WITH."""
    registry = (order["registry"] or {}).get("url", "")
    kafka = {
        "connector": "kafka",
        "topic": topic["name"],
        "properties.bootstrap.servers": order["kafka"]["java"]["bootstrap.servers"],
        "properties.isolation.level": order["kafka"]["java"]["isolation.level"],
        "properties.group.id": order["kafka"]["group_id"],
        "scan.bounded.mode": "latest-offset",
    }
    if feed["protocol"] == "avro" and CAREFUL:
        sides = ("key", "value")
        formats = {f"{side}.format": "avro-confluent" for side in sides}
        formats |= {f"{side}.avro-confluent.url": registry for side in sides}
        upsert = {"connector": "upsert-kafka", "value.fields-include": "ALL"}
        return kafka | upsert | formats
    kafka |= {"scan.startup.mode": "earliest-offset"}
    if feed["protocol"] == "avro":  # F13: rows without their tombstones
        return kafka | {"format": "avro-confluent", "avro-confluent.url": registry}
    if converter(feed) == AVRO:
        form = "debezium-avro-confluent"
        return kafka | {"format": form, f"{form}.url": registry}
    lenient = {"debezium-json.ignore-parse-errors": "true"} if VARIANT == "lenient" else {}
    included = str(shape.has_schema if CAREFUL else True).lower()  # F11
    return kafka | lenient | {"format": "debezium-json", "debezium-json.schema-include": included}


def statements(name: str, shape: Shape, given: dict[str, str]) -> tuple[str, str]:
    """Return CREATE TABLE, and the query that tells a row as JSON."""
    columns = [f"{_quoted(c.name)} {TYPES(c)}" for c in shape.columns.values()]
    key = [name for name in shape.key if name in shape.columns] if CAREFUL else []
    if key:
        columns.append(f"PRIMARY KEY ({', '.join(map(_quoted, key))}) NOT ENFORCED")
    pairs = ", ".join(f"{_text(k)} = {_text(v)}" for k, v in given.items())
    declared = ", ".join(f"KEY {_text(c.name)} VALUE {_value(c)}" for c in shape.columns.values())
    create = f"CREATE TABLE {name} ({', '.join(columns)}) WITH ({pairs})"
    query = f"SELECT JSON_OBJECT({declared} NULL ON NULL) FROM {name}"  # noqa: S608 - a name of ours
    return create, query


def _value(column: mapping.Column) -> str:
    name = _quoted(column.name)
    return name if TYPES(column) == "BYTES" else f"CAST({name} AS STRING)"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class Rows:
    """A table as its changelog leaves it: by key where there is one, else counted."""

    def __init__(self, shape: Shape) -> None:
        """Begin empty."""
        self.shape = shape
        self.by_key: dict[tuple[Any, ...], Json] = {}
        self.counted: Counter[str] = Counter()

    def apply(self, kind: str, text: str) -> None:
        """Apply one line of the changelog."""
        row = json.loads(text)
        if CAREFUL and self.shape.key:
            key = tuple(row.get(name) for name in self.shape.key)
            if kind in {"+I", "+U"}:
                self.by_key[key] = row
            else:
                self.by_key.pop(key, None)
        else:
            self.counted[text] += 1 if kind[0] == "+" else -1

    def values(self) -> list[Json]:
        """Return the rows in the contract's form."""
        kept = [json.loads(text) for text in self.counted.elements()]
        return [self._row(row) for row in [*self.by_key.values(), *kept]]

    def _row(self, row: Json) -> Json:
        columns = [(self.shape.columns[name], given) for name, given in row.items()]
        return {c.name: mapping.value(c, TYPES(c), given, unsigned=CAREFUL) for c, given in columns}


def session() -> Any:  # noqa: ANN401 - PyFlink's own
    """Return a Flink session; its Java prints what print tables are told into our output."""
    from pyflink.table import EnvironmentSettings, TableEnvironment  # noqa: PLC0415 - see main

    batch = VARIANT == "batch"
    settings = EnvironmentSettings
    made = settings.in_batch_mode() if batch else settings.in_streaming_mode()
    environment = TableEnvironment.create(made)
    jars = ";".join(f"file://{jar}" for jar in sorted((HOME / "pyflink" / "jars").glob("*.jar")))
    wanted = {"pipeline.jars": jars, "parallelism.default": "1", "table.local-time-zone": "UTC"}
    for name, value in wanted.items():
        environment.get_config().set(name, value)
    return environment


def answer(environment: Any, order: Json, feed: Json, printed: Path) -> None:  # noqa: ANN401
    """Read one changefeed, write its tables and its status."""
    tables: dict[str, Rows] = {}
    for number, topic in enumerate(t for t in feed["topics"] if t["role"] == "data"):
        shape = shape_of(order, feed, topic)
        if not shape.tables or not shape.columns:
            continue
        name = f"t{feed['dir']}_{number}"
        create, query = statements(name, shape, options(order, feed, topic, shape))
        # F3; without a key there is nothing to know a duplicate by
        deduplicated = str(CAREFUL and bool(shape.key)).lower()
        environment.get_config().set("table.exec.source.cdc-events-duplicate", deduplicated)
        environment.execute_sql(create)
        tables[name] = Rows(shape)
        if CAREFUL:
            sink = f"CREATE TABLE p{name} (j STRING) WITH ('connector' = 'print',"
            environment.execute_sql(f"{sink} 'print-identifier' = '{name}')")
            environment.execute_sql(f"INSERT INTO p{name} {query}").wait()
        else:
            collected(environment, name, tables[name])
    for line in printed.read_text(encoding="utf-8").splitlines():
        match = CHANGE.fullmatch(line)
        if match and match[1] in tables:
            tables[match[1]].apply(match[2], match[3])
    for rows in tables.values():
        write_table(order, feed, rows.shape.tables[-1], rows.values())


def collected(environment: Any, name: str, rows: Rows) -> None:  # noqa: ANN401
    """Read a table with collect(), as notebooks do."""
    kinds = {"INSERT": "+I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "+U", "DELETE": "-D"}
    names = list(rows.shape.columns)
    with environment.execute_sql(f"SELECT * FROM {name}").collect() as found:  # noqa: S608
        for one in found:
            plain = {n: _plain(v) for n, v in zip(names, one, strict=True)}
            rows.apply(kinds[one.get_row_kind().name], json.dumps(plain))


def _plain(value: object) -> object:
    if isinstance(value, bool | None):
        return None if value is None else str(value).upper()
    if isinstance(value, bytes | bytearray):
        import base64  # noqa: PLC0415 - only here

        return base64.b64encode(bytes(value)).decode()
    return str(value)


def cause(error: BaseException) -> str:
    """Return the deepest cause in a Java trace."""
    text = str(error)
    found = re.findall(r"^\s*Caused by: (.*)$", text, re.MULTILINE)
    said = re.findall(r"^(?:: )?(\S*(?:Exception|Error): .*)$", text, re.MULTILINE)
    return (found[-1:] or said or [repr(error)])[0][:600]


def main() -> None:
    """Answer for every changefeed of the job."""
    order = job()
    printed = Path(order["work_dir"], "printed.txt")
    # Java inherits our output when PyFlink starts it: hence the file before the import.
    with printed.open("wb") as file:
        os.dup2(file.fileno(), 1)
    environment = session()
    for feed in order["changefeeds"]:
        try:
            answer(environment, order, feed, printed)
        except LackError as lack:
            say(order, feed, status="not-applicable", needs=str(lack))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this changefeed's
            traceback.print_exc()
            say(order, feed, status="error", error=cause(error))
        else:
            say(order, feed, status="done")


if __name__ == "__main__":
    main()
