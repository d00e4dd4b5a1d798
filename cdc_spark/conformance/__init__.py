"""The adapter between this library and the harness's consumer contract; no part of the library.

`job` reads job.json, `stream` and `decode_input` do what it asks, `results` and `result_writer`
write the result files, `session` starts Spark with the settings of the environment, `consumer` runs
all of them. Nothing outside of this package imports it, but for `python -m cdc_spark`.
"""

from __future__ import annotations
