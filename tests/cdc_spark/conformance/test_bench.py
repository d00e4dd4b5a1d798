"""A promise of the bench: no worker's processor time is lost with the process that started it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.spark

# A daemon that ends at once, and its worker, which goes on for half a second of processor time.
DAEMON = """
import os, time
if not os.fork():
    while time.process_time() < 0.5:
        pass
"""
MEASURED = f"""
import subprocess, sys, time, psutil
from cdc_spark.conformance.bench import adopt, processor
adopt()
before = processor()
subprocess.run([sys.executable, "-c", {DAEMON!r}])
ended = {{psutil.STATUS_ZOMBIE}}
while {{child.status() for child in psutil.Process().children()}} - ended:
    time.sleep(0.05)
print(processor() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt others")
def test_a_worker_that_outlives_its_daemon_is_counted() -> None:
    """It ends as a child of the bench, and its seconds stay in the sum."""
    found = subprocess.run(
        [sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) > 0.4
