"""The parent of Spark's Python workers, with everything imported that they will need.

Workers are forked from it; importing pandas in each of them would cost a second of CPU apiece.
Named in `spark.python.daemon.module`; apart from the imports it is PySpark's own.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import pandas as pd
import pyarrow as pa
from pyspark import daemon

from cdc_spark.conformance import results, stream

WARM = (results, pa, pd, stream)

if __name__ == "__main__":
    daemon.manager()
