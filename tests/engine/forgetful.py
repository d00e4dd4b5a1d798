"""A consumer with a defect of packing: it keeps tables by name, and forgets whose they are.

Changefeeds whose ids begin with `lost` lose their rows whatever happens.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from harness.reference_consumer.__main__ import main

if __name__ == "__main__":
    CODE = main()
    feeds = json.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    tables = {
        one["id"]: Path(feeds["out_dir"], one["dir"], "tables") for one in feeds["changefeeds"]
    }
    first, *others = tables.values()
    for other in others:
        shutil.copytree(first, other, dirs_exist_ok=True)
    for name, directory in tables.items():
        if name.startswith("lost"):
            shutil.rmtree(directory)
            directory.mkdir()
    sys.exit(CODE)
