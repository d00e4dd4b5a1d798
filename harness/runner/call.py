"""Runs a Python function as a consumer: `python -m harness.runner.call pkg.mod:fn`.

The function gets the job as a dict and writes its answer as any other consumer does. The exit code
separates a function that cannot be loaded (the user named the wrong thing) from one that failed.
"""

from __future__ import annotations

import difflib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

CANNOT_LOAD = 69  # EX_UNAVAILABLE of sysexits.h
FAILED = 70  # EX_SOFTWARE

Function = Callable[[dict[str, Any]], object]


def main(target: str) -> int:
    """Load the function, call it with the job that `$HARNESS_JOB` names; return the exit code."""
    module_name, _, function_name = target.partition(":")
    function = _load(module_name, function_name)
    if function is None:
        return CANNOT_LOAD
    job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    return _call(function, target, job)


def _load(module_name: str, function_name: str) -> Function | None:
    """Return the function; None, with the reason on standard error, when there is none."""
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        _explain(f"cannot import {module_name}: there is no module {error.name!r}")
        _explain(f"looked in {os.pathsep.join(filter(None, sys.path))}")
        return None
    except BaseException as error:  # noqa: BLE001 - a module may fail in any way, even by exiting
        _print_trace(error)
        _explain(f"importing {module_name} failed with {type(error).__name__}: {error}")
        return None
    function: Any = getattr(module, function_name, None)
    if function is None:
        close = difflib.get_close_matches(function_name, dir(module), n=1)
        meant = f"; did you mean {module_name}:{close[0]}?" if close else ""
        _explain(f"{module_name} has no {function_name}{meant}")
        return None
    if not callable(function):
        _explain(f"{module_name}:{function_name} is {type(function).__name__}, not a function")
        return None
    return cast("Function", function)


def _call(function: Function, target: str, job: dict[str, Any]) -> int:
    try:
        function(job)
    except SystemExit as request:
        return _exit_code(request)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the consumer's
        _print_trace(error)
        _explain(f"{target} raised {type(error).__name__}: {error}")
        return FAILED
    return 0


def _exit_code(request: SystemExit) -> int:
    """Return what Python would exit with, save the code that has a meaning of its own here."""
    if isinstance(request.code, str):
        _explain(request.code)
        return 1
    code = request.code or 0
    return FAILED if code == CANNOT_LOAD else code


def _print_trace(error: BaseException) -> None:
    """Show the user's own frames: ours and the import machinery's explain nothing."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    sys.stderr.writelines(traceback.format_list(frames))


def _explain(words: str) -> None:
    sys.stderr.write(f"{words}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
