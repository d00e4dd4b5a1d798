"""A Python environment with another PySpark than ours, for `--spark VERSION`.

`pip` makes it once, in the cache, from a lock of this package; where it fetches from is the site's
own affair. It has what `cdc_spark` needs and nothing of the harness: of the consumer itself it is
given the sources that run here.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import filelock

from harness.errors import SetupError
from harness.services.repository import cache_directory
from harness.services.service import ServiceEvent

LOCKS = Path(__file__).with_name("pyspark")
DEADLINE_S = 1800.0
BUILDERS = ("packaging", "setuptools", "wheel")
SHOWN = 2000


@dataclass(frozen=True, slots=True)
class SparkPython:
    """An interpreter with a PySpark, and the directory by which it finds a package of ours."""

    executable: Path
    path: Path


def spark_python(
    spark: str,
    package: Path,
    *,
    on_event: Callable[[ServiceEvent], None],
    env: Mapping[str, str] | None = None,
) -> SparkPython:
    """Return the interpreter for a release of Spark, which is made when it is missing.

    `package` is the directory of the Python package that is to run there. Raises SetupError.
    """
    cache = cache_directory(os.environ if env is None else env) / "pyspark"
    lock = LOCKS / f"{spark}.txt"
    marks = (lock.read_text(encoding="utf-8"), sys.version, os.path.realpath(sys.executable))
    home = cache / f"{spark}-{_digest(*marks)}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(f"{home}.lock", timeout=DEADLINE_S):
            if not (home / "complete").is_file():
                on_event(ServiceEvent(f"PySpark {spark}", "preparing", "once, in the cache"))
                _make(home, lock, spark)
        return SparkPython(home / "bin" / "python", _only(package, cache))
    except filelock.Timeout as error:
        raise SetupError(
            f"another run has been making {home} for {DEADLINE_S:g} s",
            hint="end that run; the lock is released with it",
        ) from error
    except OSError as error:
        raise SetupError(
            f"the cache in {cache} cannot be written: {error.strerror}",
            hint="make room or give rights there, or name another place with HARNESS_CACHE_DIR",
        ) from error


def _make(home: Path, lock: Path, spark: str) -> None:
    shutil.rmtree(home, ignore_errors=True)  # of a run that was killed
    python = str(home / "bin" / "python")
    install = (python, "-m", "pip", "install", "--require-hashes", "--no-build-isolation")
    _run(spark, (sys.executable, "-m", "venv", str(home)), "python3-venv, where Debian splits it")
    builders = home / "builders.txt"
    entries = re.split(r"^(?=\w)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    builders.write_text("".join(one for one in entries if one.startswith(BUILDERS)), "utf-8")
    _run(spark, (*install, "--requirement", str(builders)), "an index that pip reaches")
    _run(spark, (*install, "--no-deps", "--requirement", str(lock)), "an index that pip reaches")
    (home / "complete").touch()


def _run(spark: str, command: tuple[str, ...], expected: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    what = f"the environment of PySpark {spark} cannot be made"
    try:
        subprocess.run(
            command,
            env=env,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=DEADLINE_S,
        )
    except subprocess.CalledProcessError as error:
        said = error.stdout.decode(errors="replace")[-SHOWN:].strip()
        raise SetupError(
            f"{what}: {' '.join(command[1:4])} ended with {error.returncode}:\n{said}",
            expected=expected,
            hint="or an environment of your own with that PySpark, without --spark",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"{what} within {DEADLINE_S:g} s", expected=expected) from error


def _only(package: Path, cache: Path) -> Path:
    """Return a directory with a link to the package and nothing else.

    What lies beside an installed package, such as our own PySpark, is not to be found there.
    """
    directory = cache / f"sources-{_digest(str(package))}"
    directory.mkdir(exist_ok=True)
    link = directory / package.name
    if not link.is_symlink():
        try:
            link.symlink_to(package, target_is_directory=True)
        except FileExistsError:
            assert link.is_symlink(), link  # another run was faster
    return directory


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
