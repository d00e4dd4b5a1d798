"""The words of a command line name a consumer, or are refused with what would have worked."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.runner.commands import Whereabouts
from harness.runner.targets import BUNDLED, SCHEMES, parse


@pytest.fixture
def here(tmp_path: Path) -> Whereabouts:
    """Stand in a directory with a program, a text, a jar, and a PATH that has one command."""
    for name, mode in {
        "consume": 0o755,
        "notes.txt": 0o644,
        "bin/tool": 0o755,
        "mine/consumer.yaml": 0o644,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(mode)
    return Whereabouts(tmp_path, {"PATH": str(tmp_path / "bin"), "PYTHONPATH": "lib"})


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_consumers_go_by_name(name: str, here: Whereabouts) -> None:
    """A bundled consumer is a module of ours, run by this Python, and takes hundreds at once."""
    consumer = parse(name, here)
    assert consumer.name == name
    assert consumer.argv[:-1] == (sys.executable, "-m")
    assert consumer.max_changefeeds >= 100
    assert consumer.supports("open")
    assert not consumer.supports("no-such-protocol")


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_consumers_exist(name: str) -> None:
    """Each can be started with `python -m`."""
    assert importlib.util.find_spec(f"{BUNDLED[name].argv[-1]}.__main__")


def test_the_delta_sink_has_a_name(here: Whereabouts) -> None:
    """`spark-delta` is the Spark consumer with the production sink, and `spark` is without."""
    assert parse("spark-delta", here).environment["HARNESS_SPARK_SINK"] == "delta"
    assert "HARNESS_SPARK_SINK" not in parse("spark", here).environment


def test_a_python_function_is_found_as_from_the_users_directory(here: Whereabouts) -> None:
    """The user's directory comes first, then their PYTHONPATH made absolute, then ours."""
    consumer = parse("py:pkg.mod:fn", here)
    assert consumer.name == "py:pkg.mod:fn"
    assert consumer.argv == (sys.executable, "-m", "harness.runner.call", "pkg.mod:fn")
    entries = consumer.environment["PYTHONPATH"].split(os.pathsep)
    assert entries[:2] == [str(here.directory), str(here.directory / "lib")]
    assert consumer.max_changefeeds == 1
    assert consumer.supports("anything")


def test_a_command_is_split_and_resolved(here: Whereabouts) -> None:
    """Words are a shell's; what begins with ./ is resolved, and nothing else is touched."""
    consumer = parse("exec:./consume ./notes.txt 'a b' --file=x -v ../up", here)
    directory = here.directory
    assert consumer.name == "exec:./consume ./notes.txt 'a b' --file=x -v ../up"
    assert consumer.argv == (
        str(directory / "consume"),
        str(directory / "notes.txt"),
        "a b",
        "--file=x",
        "-v",
        str(directory.parent / "up"),
    )
    assert parse("exec:tool", here).argv == (str(directory / "bin/tool"),)
    assert parse(f"exec:{directory}/consume", here).argv == (str(directory / "consume"),)


REFUSED = {
    "sparc": ("there is no consumer 'sparc'", "did you mean spark?"),
    "Spark": ("there is no consumer 'Spark'", "did you mean spark?"),
    "nonsense": ("there is no consumer 'nonsense'", ""),
    "": ("there is no consumer ''", ""),
    "./consume": ("there is no consumer './consume'", "did you mean exec:./consume?"),
    "consume": ("there is no consumer 'consume'", "did you mean exec:./consume?"),
    "mine": ("there is no consumer 'mine'", "did you mean mine/consumer.yaml?"),
    "mine/": ("there is no consumer 'mine/'", "did you mean mine/consumer.yaml?"),
    "pkg.mod:fn": ("there is no consumer 'pkg.mod:fn'", "did you mean py:pkg.mod:fn?"),
    "exe:./consume": ("there is no consumer 'exe:./consume'", "did you mean exec:./consume?"),
    "imag:me/mine:1": ("there is no consumer 'imag:me/mine:1'", "did you mean image:me/mine:1?"),
    "image:Me/mine": ("'image:Me/mine' does not name an image", "entry point"),
    "py:pkg.mod": ("'py:pkg.mod' does not name a function", ""),
    "py:./mod.py": ("does not name a function", "exec:./mod.py"),
    "py:": ("'py:' does not name a function", ""),
    "exec:": ("'exec:' names no command", ""),
    "exec:'x": ("cannot be split into words: No closing quotation", ""),
    "exec:consume": ("'consume' is not on the PATH", "exec:./consume"),
    "exec:nothing": ("'nothing' is not on the PATH", ""),
    "exec:./nothing": ("/nothing does not exist", ""),
    "exec:./bin": ("/bin is a directory", ""),
    "exec:./notes.txt": ("/notes.txt is not executable", "or name its interpreter before it"),
    "exec:./consume notes.txt": ("'notes.txt' would not be found", "write ./notes.txt"),
}


@pytest.mark.parametrize(("target", "words"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_run_is_refused_before_anything_starts(
    target: str, words: tuple[str, str], here: Whereabouts
) -> None:
    """Each refusal says what was wrong, what was expected and, when it can, what would work."""
    with pytest.raises(UsageError) as refusal:
        parse(target, here)
    what, hint = words
    assert what in refusal.value.what
    assert refusal.value.expected
    assert hint in refusal.value.hint
    assert bool(hint) == bool(refusal.value.hint)


def test_the_refusal_lists_every_kind_of_target(here: Whereabouts) -> None:
    """A new kind of target cannot be added without being offered."""
    with pytest.raises(UsageError) as refusal:
        parse("nonsense", here)
    assert all(word in refusal.value.expected for word in [*BUNDLED, *(f"{s}:" for s in SCHEMES)])
