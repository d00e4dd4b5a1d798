"""Start the adapter in the environment that fetch.py made; it starts the worker."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import HOME, installed, job

if __name__ == "__main__" and installed(job(), "connect-jdbc", "worker", "venv/bin/python"):
    python = str(HOME / "connect-jdbc" / "venv" / "bin" / "python")
    os.execv(python, [python, str(Path(__file__).with_name("consume.py"))])
