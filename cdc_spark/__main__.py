"""`python -m cdc_spark`: the consumer of `conformance.consumer`, which says what it takes."""

from __future__ import annotations

import os
import sys

from cdc_spark.conformance import consumer

if __name__ == "__main__":
    code = consumer.main(os.environ)
    sys.stdout.flush()
    sys.stderr.flush()
    # PySpark's threads may be complaining that Java is gone; an orderly exit of Python aborts when
    # one of them holds the lock of standard error just then.
    os._exit(code)
