"""From `consumer.yaml` to the consumer that it declares.

What the manifest says is checked before anything starts, and each mistake has its line and column.
Paths in it are relative to the manifest, wherever the user stands.
"""

from __future__ import annotations

from pathlib import Path

from harness.documents.nearest import did_you_mean
from harness.documents.typed import read_yaml
from harness.documents.yaml_file import YamlFile
from harness.errors import Problem, ScenarioError, UsageError
from harness.model.columns import ColumnKind
from harness.model.level import Level
from harness.runner.call import CANNOT_LOAD
from harness.runner.commands import PYTHON, RELATIVE, Whereabouts, executable, is_file, python_path
from harness.runner.manifest import Consumer
from harness.runner.manifests.attached import read_attach
from harness.runner.manifests.files import ManifestFile
from harness.runner.result import IN_FILES, Holder

SUFFIXES = (".yaml", ".yml")


def read_manifest(target: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer of a manifest; raises ScenarioError with every problem of the file."""
    path = Path(whereabouts.directory, target).resolve()
    if not is_file(path):
        raise UsageError(
            f"there is no manifest {target}",
            expected="the path of a consumer.yaml",
            hint="`harness new consumer` writes one, and what it is for beside it",
        )
    file, manifest = read_yaml(path, target, ManifestFile)
    beside = Whereabouts(path.parent, whereabouts.environment)
    problems = [*_unknown_types(file, manifest), *_absent(file, manifest, beside)]
    problems += [*_misplaced(file, manifest), *_unattainable(file, manifest)]
    system = manifest.attach
    attach = None if system is None else read_attach(file, system, beside, problems)
    argv, environment, unusable = _command(file, manifest, beside, problems)
    if problems:
        raise ScenarioError(tuple(problems))
    return Consumer(
        name=manifest.name,
        argv=argv,
        protocols=manifest.protocols,
        max_changefeeds=manifest.max_changefeeds,
        max_starts=manifest.max_starts,
        guarantee=manifest.guarantee,
        environment=environment,
        unusable_code=unusable,
        capabilities=manifest.capabilities,
        crash_points=manifest.crash_points,
        version=manifest.version,
        homepage=manifest.homepage,
        lossy=manifest.lossy,
        target=target,
        expectations=manifest.expectations and str(path.parent / manifest.expectations),
        result=manifest.result or IN_FILES,
        attach=attach,
        levels=manifest.levels,
        design=manifest.design.design(),
    )


def _misplaced(file: YamlFile, manifest: ManifestFile) -> list[Problem]:
    """Return a problem for each key, those of `result` too, that has a meaning elsewhere alone."""
    if manifest.attach is not None and manifest.max_starts is not None:
        what = "`max-starts` is of a command, and a system that runs already is not started"
        return [Problem(file.place(("max-starts",)), what, hint="leave the key out")]
    if manifest.result is None:
        return []
    if manifest.attach is not None:
        what = "`result` is of a command"
        return [Problem(file.place(("result",)), what, hint="say it under `attach`")]
    return [
        Problem(
            file.place(("result", key)),
            f"`{key}` says something of a database, and the result is in files",
            hint="write `in: database`, or leave the key out",
        )
        for key in ("tables", "table")
        if key in file.data["result"] and manifest.result.holder is Holder.FILES
    ]


def _unattainable(file: YamlFile, manifest: ManifestFile) -> list[Problem]:
    """Return a problem for each level that a system which runs already cannot be certified at."""
    if manifest.attach is None or manifest.levels is None:
        return []
    return [
        Problem(
            file.place(("levels", at)),
            f"at level {level} a consumer is started, and this one runs already",
            "materialise",
        )
        for at, level in enumerate(file.data["levels"])
        if level != Level.MATERIALISE
    ]


def _command(
    file: YamlFile, manifest: ManifestFile, beside: Whereabouts, problems: list[Problem]
) -> tuple[tuple[str, ...], dict[str, str], int | None]:
    """Return the words to start, what is added to the environment, and the wrapper's own code."""
    passed = {name: beside.environment.get(name) for name in manifest.pass_environment}
    added = {name: value for name, value in passed.items() if value is not None}
    added |= manifest.environment
    if manifest.callable:
        own = python_path(beside, (str(beside.directory),))
        return (*PYTHON, "harness.runner.call", manifest.callable), own | added, CANNOT_LOAD
    if manifest.attach is not None:
        return (), {}, None
    first, *rest = manifest.command
    try:
        first = executable(first, beside)
    except UsageError as error:
        place = file.place(("command", 0))
        problems.append(Problem(place, error.what, error.expected, error.hint))
    paths = (str((beside.directory / w).resolve()) if w.startswith(RELATIVE) else w for w in rest)
    return (first, *paths), added, None


def _unknown_types(file: YamlFile, manifest: ManifestFile) -> list[Problem]:
    """Return a problem for each type of `lossy` that no column has."""
    kinds = [kind.value for kind in ColumnKind]
    return [
        Problem(
            file.place(("lossy", number, "types", at)),
            f"there is no column type {name!r}",
            "a type as job.json names it, such as timestamp",
            did_you_mean(name, kinds),
        )
        for number, row in enumerate(manifest.lossy)
        for at, name in enumerate(row.types)
        if name not in kinds
    ]


def _absent(file: YamlFile, manifest: ManifestFile, beside: Whereabouts) -> list[Problem]:
    """Return a problem for each file and variable that the manifest counts on and that is not."""
    problems = [
        Problem(
            file.place(("pass-environment", at)),
            f"the variable {name} is not set",
            hint="set it, or take it out of the manifest",
        )
        for at, name in enumerate(manifest.pass_environment)
        if name not in beside.environment
    ]
    known = manifest.expectations
    if known and not is_file(beside.directory / known):
        where = file.place(("expectations",))
        what = f"there is no file {known} beside the manifest"
        problems.append(Problem(where, what, "a path from the manifest's directory"))
    return problems
