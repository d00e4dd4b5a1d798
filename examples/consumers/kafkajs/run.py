"""Start the Node consumer with the modules that fetch.py installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import HOME, installed, job

if __name__ == "__main__" and installed(job(), "kafkajs", "node_modules/kafkajs"):
    script = Path(__file__).with_name("consumer.cjs")
    modules = {"NODE_PATH": str(HOME / "kafkajs" / "node_modules")}
    os.execvpe("node", ["node", str(script)], os.environ | modules)
