"""Where scenarios and goldens are: beside the user, or inside the installed package."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.engine.catalogue.kept_runs import EVENTS, hold, remove_old
from harness.errors import Location, Problem, UsageError
from harness.scenario.files import name_of, real, scenario_files

BUNDLE = Path(__file__).resolve().parents[2] / "_bundle"
RUNS = ".harness"
# What `--scenarios` takes for the package's own, where ./scenarios stands before them.
BUNDLED = Path("bundled")
# What lies in the directory of a scenario's goldens.
LOCK = "changes.jsonl"
RECORDS, TABLES = GOLDENS = (".records.txt", ".tables.txt")


def in_ci(environment: Mapping[str, str]) -> bool:
    """Return whether CI is set, as CI services set it; there nobody reviews what a run writes."""
    return environment.get("CI", "").lower() not in {"", "0", "false"}


@dataclass(frozen=True, slots=True)
class Workspace:
    """The roots of a run; `here` is the directory that shown paths are relative to."""

    here: Path
    scenarios: Path
    golden: Path

    def options(self) -> tuple[str, ...]:
        """Return the options of a command line that finds the same roots from the same place."""
        words: list[str] = []
        own = {Path("scenarios"), self.here / "scenarios"}
        if real(self.scenarios) == real(BUNDLE / "scenarios"):
            words += ["--scenarios", str(BUNDLED)] if (self.here / "scenarios").is_dir() else []
        elif self.scenarios not in own:
            words += ["--scenarios", str(self.scenarios)]
        if self.golden != self.scenarios.parent / "golden":
            words += ["--golden", str(self.golden)]
        return tuple(words)

    @property
    def hides_bundled(self) -> bool:
        """Return whether scenarios of the user's stand before those of the package."""
        return real(self.scenarios) != real(bundled() / "scenarios")

    @property
    def runs(self) -> Path:
        """Return the directory that keeps runs."""
        return runs(self.here)


def runs(here: Path) -> Path:
    """Return the directory here that keeps runs; it ignores itself, so that git stays clean."""
    directory = here / RUNS
    directory.mkdir(exist_ok=True)
    ignore = directory / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return directory


def new_run(parent: Path) -> tuple[str, Path]:
    """Return a fresh name for a run, and its directory below `parent`, which exists from now on.

    What the oldest runs left there goes.
    """
    run, directory = part_of_run(parent)
    hold(directory)
    remove_old(parent)
    return run, directory


def part_of_run(parent: Path) -> tuple[str, Path]:
    """Return the same below the directory of a run, which goes as a whole."""
    run = secrets.token_hex(3)
    directory = parent / run
    directory.mkdir(parents=True)
    return run, directory


def kept_runs(here: Path) -> tuple[Path, ...]:
    """Return the events of the runs that were started here, newest first."""
    found = (here / RUNS / "runs").glob(f"*/{EVENTS}")
    return tuple(sorted(found, key=lambda file: (file.stat().st_mtime_ns, file), reverse=True))


def bundled() -> Path:
    """Return what holds the package's own `scenarios` and `golden`; in a checkout, its root."""
    return BUNDLE if BUNDLE.is_dir() else BUNDLE.parents[1]


def workspace(here: Path, scenarios: Path | None = None, golden: Path | None = None) -> Workspace:
    """Find the roots: as given, else `scenarios/` and `golden/` here, else those of the package.

    Raises UsageError when a directory that was asked for is not there.
    """
    if scenarios is None:
        own = here / "scenarios"
        scenarios = own if own.is_dir() else bundled() / "scenarios"
    elif scenarios == BUNDLED and not scenarios.is_dir():
        scenarios = bundled() / "scenarios"
    elif not scenarios.is_dir():
        raise UsageError(
            f"there is no directory {scenarios}",
            expected="the root of scenario files",
            hint="without the option it is ./scenarios; `bundled` is the package's own",
        )
    if golden is None:
        golden = scenarios.parent / "golden"
    return Workspace(here, _shown(scenarios, here), _shown(golden, here))


def _shown(path: Path, here: Path) -> Path:
    """Return a path as a person standing here would write it."""
    if here == Path.cwd() and path.is_relative_to(here):
        return path.relative_to(here)
    return path


def orphan_goldens(space: Workspace) -> tuple[Problem, ...]:
    """Return a problem for each directory with a lock or goldens that no scenario here owns."""
    root = real(space.scenarios)
    files = [file for file in scenario_files(root) if isinstance(file, Path)]
    owned = {space.golden / name_of(file, root) for file in files}
    homes = {Path(home): sorted(names) for home, _, names in os.walk(space.golden)}
    return tuple(
        Problem(
            Location(str(home)),
            "no scenario owns these goldens",
            hint=f"bring the scenario back under its permanent id, or: rm {' '.join(found)}",
        )
        for home, names in sorted(homes.items())
        if home not in owned
        and (found := [shlex.quote(str(home / name)) for name in names if _is_golden(name)])
    )


def _is_golden(name: str) -> bool:
    return name == LOCK or name.endswith(GOLDENS)
