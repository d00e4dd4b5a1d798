"""A consumer with a defect of packing: it keeps tables by name, and forgets whose they are.

A changefeed that has the value LOST loses its rows whatever happens.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from harness.reference_consumer.__main__ import main

LOST = 70

if __name__ == "__main__":
    CODE = main()
    feeds = json.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    tables = {
        one["id"]: Path(feeds["out_dir"], one["dir"], "tables") for one in feeds["changefeeds"]
    }
    lost = [
        directory
        for directory in tables.values()
        if any(
            LOST in json.loads(line).values()
            for file in directory.iterdir()
            for line in file.read_text("utf-8").splitlines()
        )
    ]
    first, *others = tables.values()
    for other in others:
        shutil.copytree(first, other, dirs_exist_ok=True)
    for directory in lost:
        shutil.rmtree(directory)
        directory.mkdir()
    sys.exit(CODE)
