"""Names for PySpark, PyArrow, NumPy and pandas, whose types are missing or too loose to help.

These names are the only `Any` of the parts that know Spark or Arrow; row by row decoding
(`events` and `values` of each protocol) and `apply` know none of them.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

from typing import Any

import numpy as _numpy  # noqa: ICN001 - the short name is the untyped one
import pyarrow as _pyarrow  # noqa: ICN001 - as above
import pyarrow.compute as _compute
import pyarrow.fs as _fs

np: Any = _numpy
pa: Any = _pyarrow
pc: Any = _compute
fs: Any = _fs

Session = Any  # pyspark.sql.SparkSession
Frame = Any  # pyspark.sql.DataFrame
Query = Any  # pyspark.sql.streaming.StreamingQuery
State = Any  # pyspark.sql.streaming.state.GroupState
Column = Any  # pyarrow.Array
ArrowBatch = Any  # pyarrow.RecordBatch
PandasFrame = Any  # pandas.DataFrame
