"""What of these tests can be imported at all."""

from __future__ import annotations

from importlib.util import find_spec

# These import what imports PySpark, which is in the environments of Spark alone.
collect_ignore = (
    [] if find_spec("pyspark") else ["test_cluster.py", "test_decode_input.py", "test_remote.py"]
)
