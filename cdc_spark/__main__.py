"""`python -m cdc_spark`: a command, or the consumer of `conformance.consumer`.

| command | what it does |
| --- | --- |
| `health CHECKPOINT` | says where a query stands (`query_health`) |
| none | runs the job of `HARNESS_JOB`, as the consumer contract asks (`conformance.consumer`) |
"""

from __future__ import annotations

import os
import sys

from cdc_spark.errors import USAGE, CdcSparkError


def main(arguments: list[str]) -> int:
    """Run a command, or the consumer; return the exit code."""
    if not arguments:
        from cdc_spark.conformance import consumer  # noqa: PLC0415 - a command needs no PySpark

        return consumer.main(os.environ)
    if arguments[0] != "health":
        sys.stderr.write(f"there is no command {arguments[0]!r}\n    expected: health\n")
        return USAGE
    from cdc_spark import query_health  # noqa: PLC0415 - the consumer does without

    try:
        sys.stdout.write(f"{query_health.main(arguments[1:])}\n")
    except CdcSparkError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # PySpark's threads may be complaining that Java is gone; an orderly exit of Python aborts when
    # one of them holds the lock of standard error just then.
    os._exit(code)
