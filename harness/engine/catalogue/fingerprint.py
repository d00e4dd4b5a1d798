"""One sha256 over what a run was asked: the cases, and the files that say what is right in them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from harness.engine.catalogue.workspace import GOLDENS, LOCK, Workspace
from harness.scenario.expand import Case
from harness.scenario.files import SUFFIX


def fingerprint(space: Workspace, cases: Sequence[Case]) -> str:
    """Return the digest of the cases' ids, their scenario files, locks and goldens.

    It depends on no path of the machine: equal files of equal names have equal digests.
    """
    whole = sha256()
    for case in sorted(one.id for one in cases):
        whole.update(f"case {case}\n".encode())
    for path in sorted({case.scenario.path for case in cases}):
        home = space.golden / path
        files = [space.scenarios / f"{path}{SUFFIX}", home / LOCK]
        files += sorted(one for end in GOLDENS for one in home.glob(f"*{end}"))
        for file in files:
            content = sha256(file.read_bytes()).hexdigest() if file.is_file() else "absent"
            whole.update(f"file {path} {file.name} {content}\n".encode())
    return whole.hexdigest()
