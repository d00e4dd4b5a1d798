"""Dependencies are declared once, locked for every environment, and each has its reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.services.sparks import RELEASES
from tests.tree import ROOT, hold, pyproject, python_files, text_of

PACKAGES = frozenset({"cdc_spark", "harness"})

# Which lists of pyproject.toml each lock must hold; RUN is what the package itself may import.
EXTRAS = ("connect", "containers", "fuzz", "oracles", "parquet", "pytest", "spark", "upstream")
RUN = ("run", *EXTRAS)
LOCKS = {
    "all": (*RUN, "browser", "build", "docs", "lint", "test", "types"),
    "browser": ("run", "pytest", "test", "browser"),
    "build": ("build",),
    "docs": ("docs",),
    "lint": ("lint",),
    "run-spark": ("run", "parquet", "spark", "upstream"),
    "spark": (*RUN, "test"),
    "test": ("run", "containers", "oracles", "parquet", "pytest", "upstream", "test"),
    "types": (*RUN, "types"),
}

OTHERS_IMPORT = frozenset({"connect"})  # PySpark imports what this extra brings

# Module -> the project that brings it, where the names differ.
PROJECTS = {
    "Crypto": "pycryptodome",
    "docker": "testcontainers",  # whose client it is
    "google": "protobuf",
    "grpc": "grpcio",
    "mysql": "mysql-connector-python",
    "py4j": "pyspark",  # whose errors surface through it
    "pymysql": "mysql-replication",  # likewise
    "pymysqlreplication": "mysql-replication",
    "re2": "google-re2",
    "yaml": "pyyaml",
}


def locked(name: str) -> dict[str, set[str]]:
    """Return the versions that requirements/<name>.txt pins, by normalised project name."""
    return locked_in(f"requirements/{name}.txt")


def locked_in(file: str) -> dict[str, set[str]]:
    """Return the versions that a lock pins, by normalised project name."""
    pins: dict[str, set[str]] = {}
    text = text_of(file)
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


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_satisfy_what_is_declared(lock: str) -> None:
    """Every declared requirement is in the lock, at versions that satisfy it."""
    pins = locked(lock)
    hold(
        f"requirements/{lock}.txt: {requirement} is locked at {versions or 'nothing'}; "
        "run: tox run -e lock"
        for name in LOCKS[lock]
        for requirement in declared()[name]
        for versions in [pins.get(canonicalize_name(requirement.name), set())]
        if not versions or not all(requirement.specifier.contains(v) for v in versions)
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_agree_with_each_other(lock: str) -> None:
    """One version of a project serves every environment, and every pin has its hashes."""
    everything = locked("all")
    _, *entries = re.split(
        r"^(?=[a-z0-9])", text_of(f"requirements/{lock}.txt"), flags=re.MULTILINE
    )
    assert entries
    assert all(versions <= everything[name] for name, versions in locked(lock).items())
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_host(lock: str) -> None:
    """A lock holds names, versions and hashes; where to fetch them is each site's own affair."""
    text = text_of(f"requirements/{lock}.txt")
    assert not re.search(r"(?i)https?:|--(?:extra-)?index-url|--find-links| @ ", text)


def imported(*packages: str) -> set[str]:
    """Return the projects whose modules these packages import, at whatever depth."""
    names: set[str] = set()
    for path, _, tree in python_files():
        ours = path.parts[0] in packages and path.parts[1] != "scaffolds"  # those pin their own
        for node in ast.walk(tree) if ours else ():
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(str(node.module).partition(".")[0])
    strangers = names - sys.stdlib_module_names - PACKAGES
    return {canonicalize_name(PROJECTS.get(name, name)) for name in strangers}


def test_what_is_imported_is_declared() -> None:
    """Our packages import what pyproject.toml declares to run, nothing less and nothing more."""
    ours = (name for name in RUN if name not in OTHERS_IMPORT)
    wanted = {canonicalize_name(r.name) for name in ours for r in declared()[name]}
    assert imported(*PACKAGES) == wanted


def library() -> list[str]:
    """Return what the Spark library alone declares."""
    alone = tomllib.loads(text_of("packaging/cdc-spark/pyproject.toml"))["project"]
    return [*alone["dependencies"], *alone["optional-dependencies"]["conformance"]]


def test_the_spark_library_alone_declares_what_it_imports() -> None:
    """Its own pyproject.toml has what it imports, in the ranges of the repository's."""
    listed = library()
    assert {canonicalize_name(Requirement(one).name) for one in listed} == imported("cdc_spark")
    whole = pyproject()["project"]
    ours = {
        *whole["dependencies"],
        *(one for of in whole["optional-dependencies"].values() for one in of),
    }
    pyspark = next(one for one in listed if Requirement(one).name == "pyspark")
    assert {*listed} - {pyspark} <= ours
    assert {version for version in RELEASES if version in Requirement(pyspark).specifier} == {
        *RELEASES
    }


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_of_spark_has_a_lock(release: str) -> None:
    """It has that PySpark, and of everything else the version that serves all environments."""
    pins, everything = locked_in(f"harness/services/pyspark/{release}.txt"), locked("all")
    assert pins.pop("pyspark") == {release}
    assert pins.pop("py4j")
    assert all(versions <= everything[name] for name, versions in pins.items())
    assert {canonicalize_name(Requirement(one).name) for one in library()} <= {*pins, "pyspark"}


def test_the_default_release_is_one_of_them() -> None:
    """What the extra `spark` installs has jars in the lock."""
    (pinned,) = (one for one in declared()["spark"] if one.name == "pyspark")
    assert any(pinned.specifier.contains(release) for release in RELEASES)
    assert str(pinned.specifier).startswith("==")


def test_every_extra_is_known() -> None:
    """`all` is every extra, and no extra escapes the locks."""
    extras = pyproject()["project"]["optional-dependencies"]
    assert set(extras) == {"all", *EXTRAS}
    assert Requirement(*extras["all"]).extras == set(EXTRAS)


def test_every_lock_is_known() -> None:
    """A lock that no environment installs is dead, and a missing one breaks a run."""
    on_disk = {path.stem for path in (ROOT / "requirements").glob("*.txt")}
    installed = set(re.findall(r"-r requirements/([a-z-]+)\.txt", text_of("tox.ini")))
    assert on_disk == set(LOCKS)
    assert on_disk == installed | {"all", "build"}


def test_every_dependency_has_its_reason() -> None:
    """docs/reference/dependencies.md lists what is declared, no more, each with a reason."""
    page = text_of("docs/reference/dependencies.md")
    explained = dict(re.findall(r"^\| `([^`]+)` \| (\S[^|]+)\|", page, re.MULTILINE))
    wanted = {canonicalize_name(r.name) for lines in declared().values() for r in lines}
    assert {canonicalize_name(name) for name in explained} == wanted
    assert all(len(reason.split()) >= 4 for reason in explained.values())
