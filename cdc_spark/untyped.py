"""Names for values of PySpark, PyArrow and pandas, whose types are missing or too loose to help.

Law: these names are the only `Any` of the Spark parts; nothing below `open_protocol` and `apply`
knows them.
"""

from __future__ import annotations

from typing import Any

Session = Any  # pyspark.sql.SparkSession
Frame = Any  # pyspark.sql.DataFrame
Query = Any  # pyspark.sql.streaming.StreamingQuery
State = Any  # pyspark.sql.streaming.state.GroupState
Column = Any  # pyarrow.Array
ArrowBatch = Any  # pyarrow.RecordBatch
PandasFrame = Any  # pandas.DataFrame
