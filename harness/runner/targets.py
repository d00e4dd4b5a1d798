"""From a command line to a consumer: `spark`, `py:…`, `exec:…`, `image:…`, `path/consumer.yaml`.

A target that cannot run is refused here, before any service starts, with the spelling that would
have worked.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from harness.errors import UsageError
from harness.protocols import OWN, PROTOCOLS
from harness.runner.call import CANNOT_LOAD
from harness.runner.commands import (
    PYTHON,
    RELATIVE,
    Whereabouts,
    argument,
    executable,
    is_file,
    python_path,
)
from harness.runner.manifest import Capability, Consumer, CrashPoint
from harness.runner.manifests.read import SUFFIXES, read_manifest

BUNDLED: Mapping[str, Consumer] = {
    "spark": Consumer(
        name="spark",
        argv=(*PYTHON, "cdc_spark"),
        protocols=frozenset(OWN),
        max_changefeeds=300,
        capabilities=frozenset({Capability.GROWING_TOPICS, Capability.JOBS}),
    ),
    # The same, into Delta tables that are read back: a commit a table and micro-batch, so smaller
    # packs.
    "spark-delta": Consumer(
        name="spark-delta",
        argv=(*PYTHON, "cdc_spark"),
        environment={"HARNESS_SPARK_SINK": "delta"},
        protocols=frozenset(OWN),
        max_changefeeds=100,
        capabilities=frozenset({Capability.GROWING_TOPICS, Capability.JOBS}),
        crash_points=frozenset({CrashPoint.WRITE}),
    ),
    "reference": Consumer(
        name="reference",
        argv=(*PYTHON, "harness.reference_consumer"),
        protocols=frozenset(PROTOCOLS),
        max_changefeeds=500,
        capabilities=frozenset(
            {Capability.GROWING_TOPICS, Capability.INSTANCES, Capability.LOST_DATA}
        ),
        crash_points=frozenset({CrashPoint.RECORD, CrashPoint.WRITE}),
    ),
}
EXPECTED = (
    "spark, spark-delta, reference, py:pkg.mod:fn, exec:./command arguments, image:name:tag"
    ", attach:consumer.yaml or path/consumer.yaml"
)
# [registry[:port]/]path[:tag][@digest], as Docker reads it.
IMAGE = re.compile(
    r"(?:(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+(?=:\d))(?::\d+)?/)?"
    r"[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?"
    r"(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)
ATTACH = "attach"
MANIFEST = "consumer.yaml"
CALLABLE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*)")


def parse(target: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer that a target names; raises UsageError when nothing can run."""
    if target in BUNDLED:
        bundled = BUNDLED[target]
        found = {**python_path(whereabouts, ()), **bundled.environment}
        return replace(bundled, environment=found)
    scheme, colon, rest = target.partition(":")
    if scheme not in SCHEMES and target.endswith(SUFFIXES):
        return read_manifest(target, whereabouts)
    if not colon or scheme not in SCHEMES:
        raise UsageError(
            f"there is no consumer {target!r}",
            expected=EXPECTED,
            hint=_beside(target, whereabouts.directory) or _suggestion(target),
        )
    return SCHEMES[scheme](rest.strip(), whereabouts)


def _callable(words: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer for `py:`: our wrapper, which imports as the user's directory would."""
    if not CALLABLE.fullmatch(words):
        raise UsageError(
            f"'py:{words}' does not name a function",
            expected="py:package.module:function",
            hint=f"exec:{words}" if words.startswith(RELATIVE) else "",
        )
    return Consumer(
        name=f"py:{words}",
        argv=(*PYTHON, "harness.runner.call", words),
        environment=python_path(whereabouts, (str(whereabouts.directory),)),
        unusable_code=CANNOT_LOAD,
    )


def _command(words: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer for `exec:`: words as a shell splits them, no shell."""
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise UsageError(
            f"'exec:{words}' cannot be split into words: {error}",
            expected="a command and its arguments, quoted as in a shell",
        ) from None
    if not parts:
        raise UsageError("'exec:' names no command", expected="exec:./command arguments")
    command = executable(parts[0], whereabouts)
    arguments = [argument(part, whereabouts.directory) for part in parts[1:]]
    return Consumer(name=f"exec:{words}", argv=(command, *arguments))


def _image(words: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer for `image:`; whether Docker has it is asked when it is to be run."""
    del whereabouts  # an image brings all it needs
    if not IMAGE.fullmatch(words):
        raise UsageError(
            f"'image:{words}' does not name an image",
            expected="image:name or image:name:tag, in lower case, without arguments",
            hint="its own entry point is the consumer's command",
        )
    return Consumer(name=f"image:{words}", argv=(words,), image=words)


def _attached(manifest: str, whereabouts: Whereabouts) -> Consumer:
    """Return the running system of a manifest, which has to declare one."""
    consumer = read_manifest(manifest, whereabouts)
    if consumer.attach is None:
        raise UsageError(
            f"{manifest} declares no running system",
            expected="a manifest with the key `attach`",
            hint=f"a consumer that is started goes by {manifest} alone",
        )
    return replace(consumer, target=f"{ATTACH}:{manifest}")


def _beside(target: str, directory: Path) -> str:
    """Return how the file or the directory is named that a target means; "" for neither."""
    path = Path(directory, target)
    if target and is_file(path):
        here = "" if target.startswith((*RELATIVE, "/")) else "./"
        return f"did you mean exec:{here}{target}?"
    if target and is_file(path / MANIFEST):
        return f"did you mean {Path(target, MANIFEST)}?"
    return ""


def _suggestion(target: str) -> str:
    """Return what the user may have meant."""
    if target.startswith((*RELATIVE, "/")):
        return f"did you mean exec:{target}?"
    if CALLABLE.fullmatch(target):
        return f"did you mean py:{target}?"
    scheme, colon, rest = target.partition(":")
    known = list(SCHEMES) if colon else [*BUNDLED, *SCHEMES]
    close = difflib.get_close_matches(scheme.lower(), known, n=1)
    if not close:
        return ""
    return f"did you mean {close[0]}{':' + rest if close[0] in SCHEMES else ''}?"


SCHEMES: Mapping[str, Callable[[str, Whereabouts], Consumer]] = {
    ATTACH: _attached,
    "py": _callable,
    "exec": _command,
    "image": _image,
}
