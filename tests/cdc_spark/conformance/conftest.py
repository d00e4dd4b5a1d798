"""What of these tests can be imported at all."""

from __future__ import annotations

from importlib.util import find_spec

# These import what imports PySpark, which is in the environments of Spark alone.
NEED_SPARK = (
    "test_cluster.py",
    "test_decode_input.py",
    "test_remote.py",
    "test_stream_ends.py",
)
collect_ignore = [] if find_spec("pyspark") else list(NEED_SPARK)
