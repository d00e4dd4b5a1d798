"""Finds a fit Java, or says which ones were found and why they will not do.

JAVA_HOME comes first, then every `java` on PATH. The version is read from the `release` file that
every JDK since 9 carries, because asking `java -version` starts a JVM.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import SetupError

# What each part runs on: Kafka's broker wants 17 or later (Kafka 4.1, §Java Version), so does
# Apicurio 3; Spark 4.0 wants 17 or 21; later ones than these were not tried.
FIT: Mapping[str, frozenset[int]] = {
    "kafka": frozenset(range(17, 26)),
    "registry": frozenset(range(17, 26)),
    "spark": frozenset({17, 21}),
}
# What a cut-down Java (jlink) may lack; Spark's launcher adds it to every session.
NEEDS: Mapping[str, frozenset[str]] = {"spark": frozenset({"jdk.incubator.vector"})}
ASK_DEADLINE_S = 20.0
INSTALL = "install a JDK or JRE of version 17 or 21, or let JAVA_HOME name one"


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation: its home directory and its full version, such as `17.0.15`.

    `modules` are those that its `release` file lists, empty where it lists none.
    """

    home: Path
    version: str
    modules: frozenset[str] = frozenset()

    @property
    def executable(self) -> Path:
        """Return the path of the `java` command."""
        return self.home / "bin" / "java"

    @property
    def major(self) -> int:
        """Return the feature release: 8 for `1.8.0_402`, 17 for `17.0.15`."""
        return feature_release(self.version)


def feature_release(version: str) -> int:
    """Return the feature release of a version text; 0 when it is none."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else 0


def find_java(for_: str = "kafka", env: Mapping[str, str] = os.environ) -> Java:
    """Return the first Java that `for_` (`kafka` or `spark`) runs on.

    Raises SetupError that names every version found, and where, when none fits.
    """
    fit = FIT[for_]
    wanted = f"Java {_spoken(fit)} for {for_.capitalize()}"
    found: list[str] = []
    for executable in _candidates(env):
        java = _inspect(executable)
        if java is None:
            found.append(f"no working Java in {executable}")
            continue
        lacks = java.modules and NEEDS.get(for_, frozenset()) - java.modules
        if java.major in fit and not lacks:
            return java
        without = f" without the module {', '.join(sorted(lacks))}" if lacks else ""
        found.append(f"{java.version} in {java.home}{without}")
    if not found:
        raise SetupError(
            "Java was not found, neither in JAVA_HOME nor on PATH", expected=wanted, hint=INSTALL
        )
    raise SetupError(f"no suitable Java: found {'; '.join(found)}", expected=wanted, hint=INSTALL)


def _candidates(env: Mapping[str, str]) -> Iterator[Path]:
    seen: set[Path] = set()
    found = [Path(env["JAVA_HOME"]) / "bin" / "java"] if env.get("JAVA_HOME") else []
    for directory in env.get("PATH", "").split(os.pathsep):
        # `which` passes over directories that this user may not enter.
        there = shutil.which("java", path=directory) if directory else None
        found += [Path(there)] if there else []
    for executable in found:
        real = executable.resolve()
        if real not in seen:
            seen.add(real)
            yield executable


def _inspect(executable: Path) -> Java | None:
    home = executable.resolve().parent.parent
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _ask(executable)
    match = re.search(r'^JAVA_VERSION="?([^"\n]+)', release, re.MULTILINE)
    if match is None or not shutil.which(home / "bin" / "java"):
        return _ask(executable)
    modules = re.search(r'^MODULES="?([^"\n]+)', release, re.MULTILINE)
    return Java(home, match[1], frozenset(modules[1].split() if modules else ()))


def _ask(executable: Path) -> Java | None:
    """Ask the command itself: no `release` file, or macOS's launcher of a JDK elsewhere."""
    try:
        answer = subprocess.run(
            [executable, "-XshowSettings:properties", "-version"],
            capture_output=True,
            check=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=ASK_DEADLINE_S,
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    home = re.search(r"java\.home = (.+)", answer)
    version = re.search(r"java\.version = (\S+)", answer)
    return Java(Path(home[1].strip()), version[1]) if home and version else None


def _spoken(releases: frozenset[int]) -> str:
    low, high = min(releases), max(releases)
    if len(releases) == high - low + 1:
        return f"{low} to {high}"
    return " or ".join(str(release) for release in sorted(releases))


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return what a service on Java is given of an environment.

    Nothing like JAVA_TOOL_OPTIONS or CLASSPATH may change how it runs, and paths are UTF-8,
    whatever the user's locale: Java reads them in the locale's encoding.
    """
    return {name: env[name] for name in ("PATH", "HOME") if name in env} | {
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
