"""The bundled Spark consumers: many changefeeds of all protocols in one streaming query.

Law: nothing of the harness is imported but `cdc_spark.errors`. What is judged shares no code with
what judges it.

`source` reads all topics; `open_protocol`, `ticdc_avro` and `debezium_vitess` turn bytes into
events; `apply.hold`, `apply.arrivals` and `apply.transactions` say when an event takes effect;
`apply.fold` makes tables, `handback` writes the answer; `stream` and `session` are Spark's.

For others' own jobs: `decode_open`, `decode_avro`, `decode_vitess` and `dead_letters`, which are
loaded when they are asked for, because PyArrow is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdc_spark.decoding import (
        dead_letters,
        decode_avro,
        decode_open,
        decode_vitess,
    )

__all__ = ("dead_letters", "decode_avro", "decode_open", "decode_vitess")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the functions above
    """Load a public function when it is asked for."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module("cdc_spark.decoding"), name)
