"""From `consumer.yaml` to the consumer that it declares.

Law: what the manifest says is checked before anything starts, and a mistake is told with its line
and column. Paths in it are relative to the manifest, wherever the user stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.documents.nearest import did_you_mean
from harness.documents.yaml_file import YamlFile
from harness.errors import Location, Problem, ScenarioError, UsageError
from harness.model.columns import ColumnKind
from harness.model.level import Level
from harness.runner.call import CANNOT_LOAD
from harness.runner.commands import PYTHON, RELATIVE, Whereabouts, executable, python_path
from harness.runner.manifest import Consumer, Guarantee, Lossy
from harness.runner.manifests.attached import read_attach
from harness.runner.manifests.document import document
from harness.runner.result import IN_FILES, Holder, Maker, Result

SUFFIXES = (".yaml", ".yml")


def read_manifest(target: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer of a manifest; raises ScenarioError with every problem of the file."""
    path = Path(whereabouts.directory, target).resolve()
    if not path.is_file():
        raise UsageError(
            f"there is no manifest {target}",
            expected="the path of a consumer.yaml",
            hint="docs/guides/certify-your-consumer.md has one to start from",
        )
    source = document(path, target, "consumer")
    data: Mapping[str, Any] = source.data
    beside = Whereabouts(path.parent, whereabouts.environment)
    problems = [*_unknown_types(source), *_absent(source, beside), *_unread(source)]
    problems += _unattainable(source)
    attach = read_attach(source, beside, problems) if "attach" in data else None
    argv, environment, unusable = _command(source, beside, problems)
    if problems:
        raise ScenarioError(tuple(problems))
    protocols = data.get("protocols")
    known = data.get("expectations")
    return Consumer(
        name=data["name"],
        argv=argv,
        protocols=None if protocols is None else frozenset(protocols),
        max_changefeeds=data.get("max-changefeeds", 1),
        guarantee=Guarantee(data.get("guarantee", Guarantee.EXACTLY_ONCE)),
        environment=environment,
        unusable_code=unusable,
        capabilities=frozenset(data.get("capabilities", ())),
        crash_points=frozenset(data.get("crash-points", ())),
        version=data.get("version", ""),
        homepage=data.get("homepage", ""),
        lossy=tuple(_lossy(row) for row in data.get("lossy", ())),
        target=target,
        expectations="" if known is None else str(path.parent / known),
        result=_result(data.get("result")),
        attach=attach,
        levels=frozenset(map(Level, data["levels"])) if "levels" in data else None,
    )


def _result(row: Mapping[str, Any] | None) -> Result:
    if row is None:
        return IN_FILES
    tables = Maker(row.get("tables", Maker.CREATED))
    return Result(Holder(row["in"]), tables, row.get("table", IN_FILES.table))


def _unread(source: YamlFile) -> list[Problem]:
    """Return a problem for each key of `result` that only a database gives a meaning."""
    row = source.data.get("result", {})
    return [
        Problem(
            source.place(("result", key)),
            f"`{key}` says something of a database, and the result is in files",
            hint="write `in: database`, or leave the key out",
        )
        for key in ("tables", "table")
        if key in row and row["in"] == Holder.FILES
    ]


def _unattainable(source: YamlFile) -> list[Problem]:
    """Return a problem for each level that a system which runs already cannot be certified at."""
    levels: list[str] = source.data.get("levels", []) if "attach" in source.data else []
    return [
        Problem(
            source.place(("levels", at)),
            f"at level {level} a consumer is started, and this one runs already",
            "materialise",
        )
        for at, level in enumerate(levels)
        if level != Level.MATERIALISE
    ]


def _command(
    source: YamlFile, beside: Whereabouts, problems: list[Problem]
) -> tuple[tuple[str, ...], dict[str, str], int | None]:
    """Return the words to start, what is added to the environment, and the wrapper's own code."""
    data = source.data
    passed = {name: beside.environment.get(name) for name in data.get("pass-environment", ())}
    added = {name: value for name, value in passed.items() if value is not None}
    added |= data.get("environment", {})
    if "callable" in data:
        own = python_path(beside, (str(beside.directory),))
        return (*PYTHON, "harness.runner.call", data["callable"]), own | added, CANNOT_LOAD
    if "attach" in data:
        return (), {}, None
    words: list[str] = data["command"]
    try:
        first = executable(words[0], beside)
    except UsageError as error:
        place = source.place(("command", 0))
        problems.append(Problem(place, error.what, error.expected, error.hint))
        first = words[0]
    rest = (
        str((beside.directory / w).resolve()) if w.startswith(RELATIVE) else w for w in words[1:]
    )
    return (first, *rest), added, None


def _lossy(row: Mapping[str, Any]) -> Lossy:
    protocols = row.get("protocols")
    named = None if protocols is None else frozenset(protocols)
    return Lossy(frozenset(row["types"]), named, row["reason"])


def _unknown_types(source: YamlFile) -> list[Problem]:
    """Return a problem for each type of `lossy` that no column has."""
    kinds = [kind.value for kind in ColumnKind]
    return [
        Problem(
            source.place(("lossy", number, "types", at)),
            f"there is no column type {name!r}",
            "a type as job.json names it, such as timestamp",
            did_you_mean(name, kinds),
        )
        for number, row in enumerate(source.data.get("lossy", ()))
        for at, name in enumerate(row["types"])
        if name not in kinds
    ]


def _absent(source: YamlFile, beside: Whereabouts) -> list[Problem]:
    """Return a problem for each file and variable that the manifest counts on and that is not."""
    data = source.data
    problems = [
        Problem(
            source.place(("pass-environment", at)),
            f"the variable {name} is not set",
            hint="set it, or take it out of the manifest",
        )
        for at, name in enumerate(data.get("pass-environment", ()))
        if name not in beside.environment
    ]
    known = data.get("expectations")
    if known is not None and not (beside.directory / known).is_file():
        where: Location = source.place(("expectations",))
        problems.append(Problem(where, f"there is no file {known} beside the manifest"))
    return problems
