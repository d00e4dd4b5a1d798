"""TiCDC and Debezium messages in Kafka -> change events, changes in order, Delta tables.

A library for PySpark jobs, streaming or batch. All that is public is here:

| name | what it does |
| --- | --- |
| `decode_open`, `decode_avro` | a Kafka DataFrame of TiCDC's -> its change events |
| `decode_vitess`, `decode_debezium` | the same of Debezium's: Vitess; MariaDB and MySQL |
| `kafka_columns` | any DataFrame of messages -> the columns that decoders read |
| `dead_letters` | events -> the messages that could not be read |
| `Changefeed`, `in_order` | a Kafka stream -> the changes that take effect, bucket by bucket |
| `sort_by_effect` | changes of a micro-batch -> the same, in the order of the whole changefeed |
| `change_data` | ordered changes -> change data, for files or a writer of one's own |
| `write_delta`, `read_delta` | ordered changes -> Delta tables, exactly once |
| `write_tables`, `TableWriter`, `Step` | ordered changes -> tables of any kind, by a writer |
| `Metrics` | a listener: the figures of each micro-batch, as a line of JSON or to a function |
| `Replica` | events -> rows and columns of tables in memory: DDL for a sink of one's own |
| `health` | where a query stands, read from its checkpoint |
| `read_dead_letters` | the messages that `write_delta` set aside, as Kafka had them |
| `EVENT_SCHEMA`, `ORDERED_SCHEMA` | the columns of events and of ordered changes, as Spark's DDL |
| `CdcSparkError` and its kinds | what is wrong, where, and the next step (`errors`) |
| `error_of` | the error of ours in a failure of a query |

Executors need this package and what it depends on (PyArrow, NumPy, pandas, orjson, fastavro,
sqlglot, urllib3). Names are loaded when they are asked for, because PyArrow is.
`python -m cdc_spark.query_health CHECKPOINT` says where a query stands; `python -m cdc_spark` alone
(`conformance`) runs the same pipeline as a consumer that can be certified.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cdc_spark.errors import (
    CdcSparkError,
    DecodingError,
    ForeignTablesError,
    GrowthError,
    LostTablesError,
    PoisonError,
    RegistryAwayError,
    SetupError,
    StateFormatError,
    StatementError,
    UsageError,
    error_of,
)

if TYPE_CHECKING:
    from cdc_spark.apply.replica import Replica
    from cdc_spark.change_rows import change_data
    from cdc_spark.changefeed import ORDERED_SCHEMA, Changefeed, in_order, sort_by_effect
    from cdc_spark.decoding import (
        EVENT_SCHEMA,
        dead_letters,
        decode_avro,
        decode_debezium,
        decode_open,
        decode_vitess,
        kafka_columns,
    )
    from cdc_spark.delta.tables import read_dead_letters, read_delta, write_delta
    from cdc_spark.metrics import Metrics
    from cdc_spark.query_health import health
    from cdc_spark.table_writer import Step, TableWriter, write_tables

__all__ = (
    "EVENT_SCHEMA",
    "ORDERED_SCHEMA",
    "CdcSparkError",
    "Changefeed",
    "DecodingError",
    "ForeignTablesError",
    "GrowthError",
    "LostTablesError",
    "Metrics",
    "PoisonError",
    "RegistryAwayError",
    "Replica",
    "SetupError",
    "StateFormatError",
    "StatementError",
    "Step",
    "TableWriter",
    "UsageError",
    "change_data",
    "dead_letters",
    "decode_avro",
    "decode_debezium",
    "decode_open",
    "decode_vitess",
    "error_of",
    "health",
    "in_order",
    "kafka_columns",
    "read_dead_letters",
    "read_delta",
    "sort_by_effect",
    "write_delta",
    "write_tables",
)

_MODULES: Mapping[str, str] = {
    "Metrics": "cdc_spark.metrics",
    "change_data": "cdc_spark.change_rows",
    "Replica": "cdc_spark.apply.replica",
    "health": "cdc_spark.query_health",
    **dict.fromkeys(("Step", "TableWriter", "write_tables"), "cdc_spark.table_writer"),
    **dict.fromkeys(
        ("ORDERED_SCHEMA", "Changefeed", "in_order", "sort_by_effect"), "cdc_spark.changefeed"
    ),
    **dict.fromkeys(("read_dead_letters", "read_delta", "write_delta"), "cdc_spark.delta.tables"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the names above
    """Load a public name when it is asked for."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(_MODULES.get(name, "cdc_spark.decoding")), name)
