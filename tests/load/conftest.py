"""What of these tests can be imported at all."""

from __future__ import annotations

from importlib.util import find_spec

# It is Spark's alone, and asks for PySpark as soon as it is imported.
collect_ignore = [] if find_spec("pyarrow") else ["test_compare.py"]
