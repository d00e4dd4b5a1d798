"""Workloads of any size, made on Spark's executors, and outputs of any size compared with them.

Everything follows from the spec. A generator partition is a pure function of the spec and its
number, so the same spec gives the same bytes whatever the number of tasks, and the expected state
is computed from the generator, never from what was written.

`spec` says what to make; `shapes`, `workload` and `repeats` are the generator; `tables`, `ticdc`,
`vstream` and `binlog` turn its events into vendor input; `encoding` makes records of that with the
encoders that everything else uses; `executors`, `session`, `topics` and `job` run it on Spark and
Kafka; `surviving_tables`, `outputs` and `compare` are the other half, `harness verify`.
"""

from __future__ import annotations
