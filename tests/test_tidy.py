"""The house rules that no linter knows, each as a test over the whole tree.

A rule that is not checked here (or by ruff, mypy, pyright, import-linter) does not exist. Every
failure names the file and the line, and says what to do instead.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from harness.protocols import OWN
from tests.tree import hold, line_of, pyproject, python_files, text_files, text_of, tracked, under

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
CONFTEST_LINES_MAX = 30
CONFTEST = Path("conftest.py")

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
    r"(?<![\w.])/(?:work|home|root|Users)/[a-z]": "a path of somebody's machine",
    r"/tmp/[d]ev\b": "a path of somebody's machine",
    r"\.\./[s]hared": "a path outside the repository",
    r"(?i)\b(?:previous|earlier|this|next|last) [s]ession (?:of|did|will|has|was)": "a work diary",
    r"\b[C]laude\b|(?i:\bsub-?[a]gent)|\bas an AI\b": "who typed it is no part of the product",
    r"\b[T]ODO\b|\b[F]IXME\b|\b[X]XX\b": "unfinished work belongs in an issue",
}
MAY_NAME_A_NEIGHBOUR = {Path(".ci/run"), Path("tests/test_tidy.py")}

# Directories of tests that judge no single package: the command line as a whole, the types, the
# files of the runner's own corpus, and a protocol from outside.
WITHOUT_A_PACKAGE = frozenset({"bounded", "corpus", "docs", "fourth_protocol", "system", "typing"})

# The package beside the harness, whose tests mirror it likewise.
SPARK = "cdc_spark"

# Packages so thin that only the whole can judge them: tests/system runs them as a user does.
JUDGED_WHOLE = frozenset({"bench", "cli"})

# Protocol classes that are no roles: shapes of a library's objects, and seams within one package.
NO_ROLES = {
    "harness.authoring.rounds.Saves": "the watcher of files, which is the command line's",
    "harness.codecs.debezium.emitter.SourceState": "a position of one of our connectors",
    "harness.codecs.debezium_vitess.emission.RowWriter": "two writers of one package",
    "harness.codecs.open.batch.OpenMessages": "two batchers of one package",
    "harness.database.driver.Address": "the address of a service, or a URL's parts",
    "harness.faults.delivery.FaultStep": "the scenario's delivery step, which is above",
    "harness.record.image.Meta": "an object of mysql-replication",
    "harness.record.image.Packet": "an object of mysql-replication",
    "harness.record.recorder.Event": "what a `Source` of row events gives",
    "harness.sources.tidb.eligibility.DdlRules": "two architectures of TiCDC",
}

# What a package that claims to be pure may not call; imports are the layers contract's business.
IMPURE_CALLS = frozenset(
    {
        *("open", "print", "input", "read_text", "read_bytes", "write_text", "write_bytes"),
        *("now", "today", "utcnow"),
    }
)

# Modules of pure packages that read files all the same -> why.
MAY_READ = {
    Path("harness/spec/load.py"): "clauses are data files of their package",
    Path("harness/protocols/description.py"): "a protocol's words are a data file beside its row",
    Path(
        "harness/spec/source_documents.py"
    ): "the documents' lines are data files of their package",
}

# Where a protocol's name may stand in the code of the harness -> why; all else reads its row.
MAY_NAME_PROTOCOLS = {
    "harness/protocols": "the rows",
    "harness/codecs": "a format's own package; `avro` is a converter's word too",
    "harness/projections": "a format's own projection",
    "harness/sources": "TiCDC's `sink.protocol`, and Vitess, which is a source as well",
    "harness/mutants": "the protocols whose promise a mutant breaks",
    "harness/scaffolds": "programs of their own, each for one protocol",
    "harness/truth": "the kinds of vendors' vectors",
    "harness/cli/truth.py": "the kinds of vendors' vectors",
    "harness/bench": "the streams that are measured",
    "harness/oracles": "an oracle is one protocol's program",
    "harness/cli/oracle.py": "the names of the oracles",
    "harness/report/production.py": "kcat's word for Avro",
}


# Pure packages whose mappings have a type; what is on a wire is of any shape, and is `codecs`' and
# `wire`'s to read.
TYPED = (
    "contracts.py",
    "ddl",
    "engine/plan",
    "faults",
    "projections",
    "protocols",
    "scenario",
    "sources",
    "spec",
    "stream_rules",
    "verdict",
)
# Where the harness asks for the date -> why; whatever it judges or waits for does not depend on it.
COUNTED = re.compile(
    r" (cases|changes|clauses|columns|events|files|findings|lines|messages|mutants|outputs"
    r"|partitions|problems|records|reports|rows|scenarios|shards|statements|steps|tables)\b"
)
# What these count is more than one where it is said, or is no count; goldens hold the last one.
MANY = {
    ("harness/ddl/alter/partitions.py", "table.partition_kind"),
    ("harness/ddl/definitions/partitioning.py", "method.kind"),
    ("harness/documents/explain.py", "len(choices)"),
    ("harness/engine/plan/one_case.py", "len(found)"),
    ("harness/engine/run/attached/run.py", "len(plans)"),
    ("harness/fuzz/found.py", "kept.path"),
    ("harness/record/reads.py", "len(columns)"),
    ("harness/report/mutation_matrix.py", "len(mutants)"),
    ("harness/report/teeth_lines.py", "len(found)"),
    ("harness/sources/vitess/place.py", "len(topology.shards)"),
    ("harness/verdict/text.py", "place.event_count"),
}
MAY_ASK_FOR_THE_DATE = {
    "harness/services/keeper.py": "how long ago a warm set was used, by the times of files",
    "harness/engine/deliver/perform.py": "a timestamp that is later than others in a partition",
    "harness/engine/run/headline.py": "when a run began, for people",
    "harness/oracles": "when a recording was made; what a vendor's program stamped meanwhile",
    "harness/cli/execute.py": "which expectations have expired",
    "harness/cli/live.py": "which expectations have expired",
}
CLOCK = {
    ("time", "time"),
    ("time", "time_ns"),
    ("time", "localtime"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a syntax tree, methods and inner ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the public definitions of a module and of its public classes."""
    bodies = [tree.body]
    while bodies:
        for node in bodies.pop():
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if not node.name.startswith("_"):
                yield node
                bodies.extend([node.body] if isinstance(node, ast.ClassDef) else [])


def contract(name: str, option: str) -> list[str]:
    """Return the modules that an option of a contract in .importlinter lists."""
    contracts = configparser.ConfigParser()
    contracts.read_string(text_of(".importlinter"))
    return contracts[f"importlinter:contract:{name}"][option].split()


def members(package: str) -> set[str]:
    """Return the modules and packages directly within a package, by their full names."""
    home = Path(*package.split("."))
    names = {
        path.relative_to(home).parts[0].removesuffix(".py")
        for path in under("harness", ".py")
        if path.is_relative_to(home)
    }
    return {f"{package}.{name}" for name in names if not name.startswith("__")}


def test_files_fit_in_a_head() -> None:
    """No Python file is longer than 500 lines, and conftest.py stays at 30."""
    hold(
        f"{path}: {lines} lines, the cap is {cap}; split it by idea"
        for path, text, _ in python_files()
        for cap in [CONFTEST_LINES_MAX if path == CONFTEST else FILE_LINES_MAX]
        for lines in [len(text.splitlines())]
        if lines > cap
    )


def test_functions_fit_on_a_screen() -> None:
    """No function is longer than 70 lines, docstring included."""
    hold(
        f"{path}:{node.lineno}: {node.name} has {length} lines, the cap is {FUNCTION_LINES_MAX}"
        for path, _, tree in python_files()
        for node in functions(tree)
        for length in [(node.end_lineno or node.lineno) - node.lineno + 1]
        if length > FUNCTION_LINES_MAX
    )


def test_modules_open_with_their_idea() -> None:
    """Every module starts with a docstring."""
    hold(
        f"{path}:1: no docstring; say what belongs here and which rule it keeps"
        for path, _, tree in python_files()
        if not (ast.get_docstring(tree) or "").strip()
    )


def test_public_names_and_tests_say_their_promise() -> None:
    """Every public class and function, and every test, has a docstring."""
    hold(
        f"{path}:{node.lineno}: {node.name} has no docstring"
        for path, _, tree in python_files()
        for node in public(tree)
        if not (ast.get_docstring(node) or "").strip()
    )


def test_files_are_named_after_ideas() -> None:
    """No file is called utils, helpers, common or base."""
    hold(
        f"{path}: {EMPTY_NAMES[path.stem]}"
        for path in tracked()
        if path.suffix == ".py" and path.stem in EMPTY_NAMES
    )


def test_text_speaks_to_strangers() -> None:
    """No file names a private path, a work diary or an unfinished thought."""
    hold(
        f"{path}:{line_of(text, hit.start())}: {hit.group()!r} is {why}"
        for path, text in text_files()
        if path not in MAY_NAME_A_NEIGHBOUR and path.parts[0] != "golden"
        for pattern, why in FORBIDDEN_TEXT.items()
        for hit in re.finditer(pattern, text)
    )


def test_pure_packages_touch_nothing() -> None:
    """No pure package opens a file, prints, or asks for the time of day."""
    pure = tuple(name.replace(".", "/") for name in contract("sans_io", "source_modules"))
    hold(
        f"{path}:{node.lineno}: {name}() in a pure package; take the value as an argument"
        for path, _, tree in python_files()
        if str(path).startswith(tuple(f"{name}{end}" for name in pure for end in ("/", ".py")))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and path not in MAY_READ
        for name in [getattr(node.func, "id", getattr(node.func, "attr", ""))]
        if name in IMPURE_CALLS
    )


def test_protocols_are_named_by_their_rows() -> None:
    """No other module names a protocol, so that a new one is a row and not a search."""
    hold(
        f"{path}:{node.lineno}: {node.value!r} is a protocol's name; ask its row in PROTOCOLS"
        for path, _, tree in python_files()
        if path.parts[0] == "harness"
        if not any(path.is_relative_to(known) for known in MAY_NAME_PROTOCOLS)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in OWN
    )


def test_mappings_of_the_core_have_a_type() -> None:
    """A `Mapping[str, Any]` says nothing: name it `PlainObject`, `Settings`, or make it a type."""
    anything = re.compile(r"(?:Mapping|dict)\[str, Any\]")
    hold(
        f"{path}:{number}: {line.strip()}: name what it is"
        for path, text, _ in python_files()
        if any(path.is_relative_to(Path("harness", name)) for name in TYPED)
        for number, line in enumerate(text.splitlines(), start=1)
        if anything.search(line)
    )


def test_a_count_of_one_is_singular() -> None:
    """No message says `1 cases`: what may be one is written by `harness.errors.plural`.

    A constant in capitals and what MANY lists is always more than one.
    """
    hold(
        f"{path}:{part.lineno}: {ast.unparse(value)} {noun}: write plural(…)"
        for path, _, tree in python_files()
        if path.parts[0] == "harness" and "scaffolds" not in path.parts
        for part in ast.walk(tree)
        if isinstance(part, ast.JoinedStr)
        for value, noun in counted_nouns(part)
        if not ast.unparse(value).isupper() and (path.as_posix(), ast.unparse(value)) not in MANY
    )


def counted_nouns(text: ast.JoinedStr) -> Iterator[tuple[ast.expr, str]]:
    """Yield each value of an f-string before a noun that is counted, with the noun."""
    for value, after in pairwise(text.values):
        if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
            noun = COUNTED.match(str(after.value))
            if noun and not value.format_spec:
                yield value.value, noun[1]


def test_only_these_ask_for_the_date() -> None:
    """The clock may be set in the middle of a run: nothing waits or judges by it."""
    found = {
        str(path)
        for path, _, tree in python_files()
        if path.parts[0] == "harness"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in CLOCK
    }
    allowed = {
        one for one in found if any(Path(one).is_relative_to(x) for x in MAY_ASK_FOR_THE_DATE)
    }
    assert sorted(found - allowed) == []
    for known in MAY_ASK_FOR_THE_DATE:
        assert any(Path(one).is_relative_to(known) for one in found), f"{known} asks no more"


def test_what_is_pure_is_covered() -> None:
    """Coverage is measured over just the packages that the layers contract holds to be pure."""
    omit = pyproject()["tool"]["coverage"]["run"]["omit"]
    omitted = {f"harness.{Path(name).parts[1]}" for name in omit} - {"harness.__main__.py"}
    pure = set(contract("sans_io", "source_modules"))
    assert omitted == members("harness") - pure
    tests = configparser.ConfigParser(interpolation=None)
    tests.read_string(text_of("tox.ini"))
    packages = {name for name in pure if Path(name.replace(".", "/")).is_dir()}
    folders = {f"tests/{name.split('.')[1]}" for name in packages if name.count(".") == 1}
    assert folders == set(tests["fast"]["pure"].split())
    assert folders == set(tests["fast"]["not_pure"].split()) - {"--ignore"}


def test_roles_are_on_one_page() -> None:
    """harness/contracts.py holds, or names, every role that can be played."""
    page = Path("harness/contracts.py")
    named = set(re.findall(r"^\| `([\w.]+)` \|", text_of(page), re.MULTILINE))
    there = {
        ".".join((*path.with_suffix("").parts, node.name))
        for path in under("harness", ".py")
        if path != page
        for node in ast.parse(text_of(path)).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        if "Protocol" in {base.id for base in node.bases if isinstance(base, ast.Name)}
    }
    assert named | NO_ROLES.keys() == there
    assert not named & NO_ROLES.keys()


def test_tests_mirror_the_package() -> None:
    """Every package has a directory of tests by the same name, and no directory tests a ghost."""
    packages, mirrors = (
        {path.parts[1] for path in tracked() if path.parts[0] == top and len(path.parts) > 2}
        for top in ("harness", "tests")
    )
    mirrors.discard(SPARK)
    hold(
        [
            f"harness/{name}/: tests/{name}/ does not exist"
            for name in sorted(packages - mirrors - JUDGED_WHOLE)
        ]
        + [
            f"tests/{name}/: harness/{name}/ does not exist; tests/README.md says where tests go"
            for name in sorted(mirrors - packages - WITHOUT_A_PACKAGE)
        ]
    )
