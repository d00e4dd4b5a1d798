"""A consumer to begin with: a small working program that passes, with its manifest and README.

The programs are real files under `harness/scaffolds/<language>/`: what is alike for all protocols
in `runner`, the rest in others. Here they are put together, and the names that they
bear are changed.

A directory with something in it is never touched, and what is written is there as a whole or
not at all.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UsageError, next_step
from harness.scaffolds import NAME, OFFERED, PROTOCOL, parts

NAME_MAX = 60
# Files that would mean something in our own repository -> their names in the user's.
RENAMED: Mapping[str, str] = {"gitignore": ".gitignore"}
GUIDE = "docs/guides/write-a-consumer.md"
LEFT_OUT = frozenset({"__pycache__"})
# A name that npm, Maven, Go and a consumer.yaml all take.
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class ScaffoldOptions:
    """What to begin with; `directory` None and `name` "" follow from each other."""

    language: str
    protocol: str = ""
    directory: Path | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Created:
    """A new consumer: its directory, its files relative to it, and the protocol that it reads."""

    directory: Path
    name: str
    protocol: str
    files: tuple[Path, ...]


def create(options: ScaffoldOptions) -> Created:
    """Write a new consumer; UsageError when it cannot be, and nothing is written."""
    protocol = _protocol(options)
    name = _name(options)
    directory = options.directory or Path(name)
    _refuse_occupied(directory)
    sources = parts(options.language, protocol)
    words = {NAME: name, PROTOCOL: protocol}
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=directory.parent))
    except OSError as error:
        raise UsageError(
            f"cannot write {directory}: {error.strerror}", hint=next_step(error)
        ) from None
    try:
        files = tuple(sorted(f for one in sources for f in _written(one, scratch, words)))
        scratch.chmod(0o755)
        scratch.replace(directory)
    except OSError as error:
        raise UsageError(
            f"cannot write {directory}: {error.strerror}", hint=next_step(error)
        ) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Created(directory, name, protocol, files)


def _protocol(options: ScaffoldOptions) -> str:
    offered = OFFERED[options.language]
    if options.protocol and options.protocol not in offered:
        speakers = [language for language, names in OFFERED.items() if options.protocol in names]
        raise UsageError(
            f"there is no scaffold in {options.language} for {options.protocol}",
            expected=f"--protocol {' or '.join(offered)} in {options.language}",
            hint=f"{options.protocol} is offered in {', '.join(speakers)}"
            if speakers
            else f"no language has one; begin with the example of {GUIDE}",
        )
    return options.protocol or offered[0]


def _name(options: ScaffoldOptions) -> str:
    """Return the consumer's name: what is said, else what its directory is called."""
    name = options.name or (NAME if options.directory is None else options.directory.resolve().name)
    if not _NAME.fullmatch(name) or len(name) > NAME_MAX:
        raise UsageError(
            f"{name!r} cannot be a consumer's name",
            expected="lower-case letters and digits, joined by single hyphens, such as my-consumer",
            hint="" if options.name else "name it with --name",
        )
    return name


def _refuse_occupied(directory: Path) -> None:
    try:
        occupied = directory.is_symlink() or any(directory.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise UsageError(f"{directory} is a file", hint="choose another directory") from None
    except OSError as error:
        raise UsageError(
            f"cannot read {directory}: {error.strerror}", hint=next_step(error)
        ) from None
    if occupied:
        raise UsageError(
            f"{directory} is not empty; nothing is overwritten", hint="choose another directory"
        )


def _written(source: Path, target: Path, words: Mapping[str, str]) -> Iterator[Path]:
    """Copy a directory's files, words changed; yield their names relative to the target."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_dir() or LEFT_OUT & set(relative.parts):
            continue
        relative = relative.with_name(RENAMED.get(relative.name, relative.name))
        copy = target / relative
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        for word, meant in words.items():
            text = text.replace(word, meant)
        copy.write_text(text, encoding="utf-8")
        yield relative
