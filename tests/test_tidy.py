"""The house rules that no linter knows, each as a law over the whole tree.

Law: a rule that is not checked here (or by ruff, mypy, pyright, import-linter) is a wish. Every
failure names the file and the line, and says what to do instead.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
CONFTEST_LINES_MAX = 30
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# Name of a file that says nothing -> what to call it instead.
EMPTY_NAMES = {
    "utils": "name the file after the one idea that it holds",
    "util": "name the file after the one idea that it holds",
    "helpers": "name the file after the one idea that it holds",
    "common": "name the file after the one idea that it holds",
    "misc": "name the file after the one idea that it holds",
    "base": "roles are typing.Protocol classes in harness/contracts.py",
}

# What a published repository must not say -> why. Written so that this file does not match itself.
FORBIDDEN_TEXT = {
    r"/(?:work|home|root|Users)/[a-z]": "a path of somebody's machine",
    r"/tmp/[d]ev": "a path of somebody's machine",
    r"\.\./[s]hared": "a path outside the repository",
    r"(?i)\b(?:previous|earlier|this|next|last) [s]ession (?:of|did|will|has|was)": "work diary",
    r"(?i)\bas (?:an )?AI\b|\b[C]laude\b|\bsub-?[a]gent": "who typed it is no part of the product",
    r"\b[T]ODO\b|\b[F]IXME\b|\b[X]XX\b": "unfinished work belongs in an issue",
}
MAY_NAME_SHARED = (".ci/run", "tests/test_tidy.py")


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file that git knows or would add, relative to the root, in order."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = {Path(name) for name in listed.split("\0") if name}
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def python_files() -> Iterator[tuple[Path, str, ast.Module]]:
    """Yield each Python file's relative path, text and syntax tree."""
    for path in tracked():
        if path.suffix == ".py":
            text = (ROOT / path).read_text(encoding="utf-8")
            yield path, text, ast.parse(text)


@cache
def pyproject() -> dict[str, Any]:
    """Return pyproject.toml as a dict."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def report(broken: list[str]) -> None:
    """Fail with one line a breach; pass when there is none."""
    assert not broken, "\n" + "\n".join(broken)


def test_files_fit_in_a_head() -> None:
    """No Python file is longer than 500 lines, and conftest.py stays at 30."""
    report(
        [
            f"{path}: {lines} lines, the cap is {cap}; split it by idea"
            for path, text, _ in python_files()
            for lines, cap in [
                (
                    len(text.splitlines()),
                    CONFTEST_LINES_MAX if path == Path("conftest.py") else FILE_LINES_MAX,
                )
            ]
            if lines > cap
        ]
    )


def test_functions_fit_on_a_screen() -> None:
    """No function is longer than 70 lines, docstring included."""
    report(
        [
            f"{path}:{node.lineno}: {node.name} has {length} lines, the cap is {FUNCTION_LINES_MAX}"
            for path, _, tree in python_files()
            for node in ast.walk(tree)
            if isinstance(node, FunctionNode)
            for length in [(node.end_lineno or node.lineno) - node.lineno + 1]
            if length > FUNCTION_LINES_MAX
        ]
    )


def test_modules_open_with_their_law() -> None:
    """Every module starts with a docstring of at least one sentence."""
    report(
        [
            f"{path}:1: no docstring; say what belongs here and which law it keeps"
            for path, _, tree in python_files()
            if not (ast.get_docstring(tree) or "").strip()
        ]
    )


def test_public_names_and_tests_say_their_promise() -> None:
    """Every public class and function, and every test, has a docstring."""
    report(
        [
            f"{path}:{node.lineno}: {node.name} has no docstring"
            for path, _, tree in python_files()
            for node in _public(tree)
            if not (ast.get_docstring(node) or "").strip()
        ]
    )


def _public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the public definitions of a module and of its public classes."""
    bodies = [tree.body]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, DOCUMENTED) and not node.name.startswith("_"):
                yield node
                if isinstance(node, ast.ClassDef):
                    bodies.append(node.body)


def test_files_are_named_after_ideas() -> None:
    """No file is called utils, helpers, common or base."""
    report(
        [
            f"{path}: {EMPTY_NAMES[path.stem]}"
            for path in tracked()
            if path.suffix == ".py" and path.stem in EMPTY_NAMES
        ]
    )


def test_text_speaks_to_strangers() -> None:
    """No file names a private path, a work diary or an unfinished thought."""
    broken: list[str] = []
    for path in tracked():
        if str(path) in MAY_NAME_SHARED or path.parts[0] in {"golden", "requirements"}:
            continue
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        broken.extend(
            f"{path}:{text.count(chr(10), 0, hit.start()) + 1}: {hit.group()!r} is {why}"
            for pattern, why in FORBIDDEN_TEXT.items()
            for hit in re.finditer(pattern, text)
        )
    report(broken)


def test_tests_mirror_the_package() -> None:
    """A directory under tests/ exists for a package of the same name, and no other."""
    mirrored = {
        path.parts[1] for path in tracked() if path.parts[0] == "tests" and len(path.parts) > 2
    }
    packages = {
        path.parts[1] for path in tracked() if path.parts[0] == "harness" and len(path.parts) > 2
    }
    report(
        [
            f"tests/{name}/: harness/{name}/ does not exist; tests/README.md says where tests go"
            for name in sorted(mirrored - packages - {"typing"})
        ]
    )


def locked(name: str) -> dict[str, set[str]]:
    """Return the versions that requirements/<name>.txt pins, by normalised project name."""
    pins: dict[str, set[str]] = {}
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    for project, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE):
        pins.setdefault(canonicalize_name(project), set()).add(version)
    return pins


def declared() -> dict[str, list[Requirement]]:
    """Return pyproject's requirements: `run`, one list an extra, one a dependency group."""
    project = pyproject()["project"]
    lists = {"run": project["dependencies"]} | project["optional-dependencies"]
    lists |= pyproject()["dependency-groups"]
    return {
        name: [
            requirement
            for requirement in map(Requirement, lines)
            if canonicalize_name(requirement.name) != project["name"]
        ]
        for name, lines in lists.items()
    }


# Which lists of pyproject.toml each lock must hold.
LOCKS = {
    "all": ("run", "spark", "build", "lint", "test", "types"),
    "build": ("build",),
    "lint": ("lint",),
    "run-spark": ("run", "spark"),
    "spark": ("run", "spark", "test"),
    "test": ("run", "test"),
    "types": ("run", "spark", "types"),
}


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_satisfy_what_is_declared(lock: str) -> None:
    """Every declared requirement is in the lock, at versions that satisfy it."""
    pins = locked(lock)
    report(
        [
            f"requirements/{lock}.txt: {requirement} is locked at {versions or 'nothing'}; "
            f"run: tox run -e lock"
            for name in LOCKS[lock]
            for requirement in declared()[name]
            for versions in [pins.get(canonicalize_name(requirement.name), set())]
            if not versions or not all(requirement.specifier.contains(v) for v in versions)
        ]
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_agree_with_each_other(lock: str) -> None:
    """One version of a project serves every environment, and every pin has its hashes."""
    everything = locked("all")
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    assert all(versions <= everything[name] for name, versions in locked(lock).items())
    _, *entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_host(lock: str) -> None:
    """A lock holds names, versions and hashes; where to fetch them is each site's own affair."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    assert not re.search(r"(?i)https?:|--(?:extra-)?index-url|--find-links| @ ", text)


def test_every_lock_is_known() -> None:
    """A lock file that no environment declares is dead, and a missing one breaks a run."""
    on_disk = {path.stem for path in (ROOT / "requirements").glob("*.txt")}
    assert on_disk == set(LOCKS)


def test_every_dependency_has_its_reason() -> None:
    """docs/reference/dependencies.md lists what is declared, no more, each with a reason."""
    page = (ROOT / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    explained = dict(re.findall(r"^\| `([^`]+)` \| (\S[^|]+)\|", page, re.MULTILINE))
    wanted = {canonicalize_name(r.name) for lines in declared().values() for r in lines}
    assert {canonicalize_name(name) for name in explained} == wanted
    assert all(len(reason.split()) >= 4 for reason in explained.values())
