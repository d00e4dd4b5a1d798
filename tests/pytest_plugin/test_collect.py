"""Which files are scenarios, what their cases are called, and how they are selected."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project

CHAIN = "scenarios/keys/pk-chain.yaml"


def test_cases_have_node_ids_of_file_and_axes(project: Project) -> None:
    """A case is `file::[protocol,partitions]`, and that names it on the command line."""
    project.scenarios("keys/pk-chain")
    every = project.inside("--collect-only", "-q", "scenarios")
    every.stdout.fnmatch_lines([f"{CHAIN}::[[]open,p1]", f"{CHAIN}::[[]open,p4,repeated]"])
    one = project.inside("--collect-only", "-q", f"{CHAIN}::[open,p4]")
    one.stdout.fnmatch_lines([f"{CHAIN}::[[]open,p4]", "1 test collected*"])


@pytest.mark.parametrize(
    ("expression", "cases"),
    [
        ("keys and not p4", 14),
        ("replayed", 16),  # two variants, four protocols, each with one and four partitions
        ("open.txn.deletes-first", 0),  # a clause: --harness-clause
        ("keys.pk-chain[open", 8),
        ("basics", 14),
        ("nothing-like-it", 0),
    ],
)
def test_k_selects_by_id_and_tag(project: Project, expression: str, cases: int) -> None:
    """`-k` knows a case by its id and its scenario's tags, as `harness list -k` does."""
    project.scenarios("keys/pk-chain", "dml/insert-update-delete")
    found = project.inside("--collect-only", "-q", "-k", expression)
    found.stdout.fnmatch_lines([f"{cases or 'no'}*tests collected*"])


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["--harness-protocol", "open"], 10),
        (["--harness-protocol", "open", "--harness-protocol", "avro"], 22),
        (["--harness-clause", "open.txn.deletes-first"], 8),
        (["--harness-clause", "open.txn", "--harness-protocol", "open", "-k", "p4"], 4),
    ],
)
def test_protocols_and_clauses_choose_cases_alone(
    project: Project, options: list[str], cases: int
) -> None:
    """Both leave out cases, and no test of anybody else."""
    project.scenarios("keys/pk-chain", "dml/insert-update-delete")
    project.write("test_own.py", "def test_p4():\n    pass\n")
    found = project.inside("--collect-only", "-q", *options)
    found.stdout.fnmatch_lines([f"{cases + 1}*tests collected*"])


def test_a_choice_of_nothing_says_what_would_match(project: Project) -> None:
    """An unknown clause, and a protocol that no case has, end pytest with the words that fit."""
    project.scenarios("keys/pk-chain")
    for options, said in {
        ("--harness-clause", "open.txn.delete-first"): "*open.txn.deletes-first*",
        ("--harness-protocol", "opn"): "*did you mean `open`*",
    }.items():
        ended = project.inside("--collect-only", *options)
        assert ended.ret == pytest.ExitCode.USAGE_ERROR
        ended.stderr.fnmatch_lines([said])


def test_tags_are_markers_even_where_markers_are_strict(project: Project) -> None:
    """A tag selects with `-m`, is registered, and so are `harness` and the protocol."""
    project.scenarios("keys/pk-chain", "dml/insert-update-delete")
    for expression, cases in {
        "basics": 14,
        "harness and not basics": 28,
        "protocol_open": 10,
    }.items():
        found = project.inside("--collect-only", "-q", "-m", expression)
        found.stdout.fnmatch_lines([f"{cases}*tests collected*"])


def test_a_tag_cannot_skip_its_cases(project: Project) -> None:
    """A tag that is a word of pytest's own stays a word for `-k`."""
    project.scenarios("dml/insert-update-delete")
    project.edit("scenarios/dml/insert-update-delete.yaml", "[basics]", "[skip, basics]")
    project.inside("--collect-only", "-q", "-m", "skip").stdout.fnmatch_lines(["no tests*"])
    project.inside("--collect-only", "-q", "-k", "skip").stdout.fnmatch_lines(["14 tests*"])


def test_yaml_that_is_no_scenario_is_left_alone(project: Project) -> None:
    """A directory `scenarios` of another tool, and YAML anywhere, are nobody's business."""
    project.write("scenarios/molecule.yml", "platforms: [{name: a}]\n")
    project.write("deploy/values.yaml", "id: 7\nimage: {tag: x}\n")
    project.write("broken.yaml", "a: [\n")
    project.write("test_it.py", "def test_it(): pass\n")
    found = project.inside("--collect-only", "-q")
    found.stdout.fnmatch_lines(["test_it.py::test_it", "1 test collected*"])
    assert found.ret == 0


def test_a_scenario_anywhere_is_found_by_its_keys(project: Project) -> None:
    """Outside `scenarios` a file is known by its first line or keys; its id tells the root."""
    project.scenarios("keys/pk-chain")
    (project.path / "scenarios").rename(project.path / "cdc")
    found = project.inside("--collect-only", "-q", "cdc")
    found.stdout.fnmatch_lines(["cdc/keys/pk-chain.yaml::[[]open,p1]", "28 tests collected*"])


def test_it_works_from_a_subdirectory(project: Project) -> None:
    """Started below the root, cases keep the names that they have from the root."""
    project.scenarios("keys/pk-chain")
    project.monkeypatch.chdir(project.path / "scenarios" / "keys")
    found = project.inside("--collect-only", "-q", f"--rootdir={project.path}", ".")
    found.stdout.fnmatch_lines([f"{CHAIN}::[[]open,p1]"])


def test_problems_are_reported_with_line_and_hint_and_no_traceback(project: Project) -> None:
    """A bad scenario is a collection error: every problem with its place, nothing of ours."""
    project.scenarios("keys/pk-chain")
    project.edit(CHAIN, "\ntitle:", "\ntitel:")
    project.edit(CHAIN, "partitions: [1, 4]", "partitions: [1, 0]")
    found = project.inside("scenarios")
    found.stdout.fnmatch_lines(
        [
            f"*ERROR collecting {CHAIN}*",
            f"{CHAIN}:3:1: unknown key `titel`",
            "    hint: did you mean `title`?",
            f"{CHAIN}:19:19: *",
        ]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*load.py*")
    assert found.ret == pytest.ExitCode.INTERRUPTED


def test_a_misnamed_scenario_is_reported(project: Project) -> None:
    """A scenario in a `.yml` file is not passed over."""
    project.scenarios("keys/pk-chain")
    file = project.path / CHAIN
    file.rename(file.with_suffix(".yml"))
    found = project.inside("scenarios")
    found.stdout.fnmatch_lines(["*hint: rename it to pk-chain.yaml*"])
