"""Which Java Spark would run on; looked at, and asked its version when it failed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

ANSWER_S = 20.0


def command(environment: Mapping[str, str]) -> str:
    """Return the java command that Spark's launcher takes: JAVA_HOME's, else the first on PATH."""
    home = environment.get("JAVA_HOME")
    if home:
        return str(Path(home, "bin", "java"))
    return shutil.which("java", path=environment.get("PATH", os.defpath)) or "java"


def version(environment: Mapping[str, str]) -> str:
    """Return what that Java says it is, in words."""
    java = command(environment)
    try:
        run = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{java}, which cannot be run"
    return next(iter(run.stderr.splitlines()), java)
