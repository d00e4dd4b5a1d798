"""The matrix expands to just the cases that nothing excludes, each under a name of its own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.protocols import OWN
from harness.protocols import PROTOCOLS as REGISTERED
from harness.scenario.document import Matrix, Scenario
from harness.scenario.expand import Case, cases, combinations, select
from harness.scenario.load import load
from tests.scenario.corpus import SOUND

AXES = ("protocol", "dialect", "partitions", "delivery")
PROTOCOLS = st.lists(st.sampled_from([*OWN]), min_size=1, unique=True)
DIALECTS = st.lists(st.sampled_from(["current", "4.0.4", "6", "documented"]), unique=True)
PARTITIONS = st.lists(st.integers(1, 6), min_size=1, unique=True)
VARIANTS = st.lists(st.sampled_from(["twice", "replayed", "late"]), unique=True)


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """A small scenario."""
    root = tmp_path_factory.mktemp("scenarios")
    (root / "bad").mkdir()
    (root / "bad" / "file.yaml").write_text(SOUND, encoding="utf-8")
    return load(root / "bad" / "file.yaml", root)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Matrix, list[str]]:
    """Draw a matrix with the names of its delivery variants; exclusions name what exists."""
    protocols, partitions = draw(PROTOCOLS), draw(PARTITIONS)
    dialects, variants = draw(DIALECTS), draw(VARIANTS)
    values: dict[str, list[Any]] = {
        "protocol": protocols,
        "dialect": dialects or ["current"],
        "partitions": partitions,
        "delivery": ["plain", *variants],
    }
    entry = st.fixed_dictionaries(
        {}, optional={axis: st.sampled_from(choices) for axis, choices in values.items()}
    ).filter(bool)
    exclude = tuple(draw(st.lists(entry, max_size=4)))
    return Matrix(tuple(protocols), tuple(partitions), tuple(dialects), exclude), variants


def with_matrix(scenario: Scenario, matrix: Matrix, variants: list[str]) -> Scenario:
    """Return the scenario with another matrix and variants."""
    return replace(scenario, matrix=matrix, delivery=dict.fromkeys(variants, ()))


def place(case: Case) -> tuple[Any, ...]:
    """Return a case's values in the order of the axes."""
    return (case.protocol, case.dialect, case.partitions, case.delivery or "plain")


@given(drawn=matrices())
def test_every_combination_runs_unless_it_is_excluded(
    sound: Scenario, drawn: tuple[Matrix, list[str]]
) -> None:
    """A case exists if its protocol has its dialect and no exclusion agrees with all it names."""
    matrix, variants = drawn
    wanted = {
        values
        for values in product(
            matrix.protocols,
            matrix.dialects or ("current",),
            matrix.partitions,
            ["plain", *variants],
        )
        if values[1] in REGISTERED[values[0]].codec.dialects
        and not any(
            all(
                dict(zip(AXES, values, strict=True))[axis] == value for axis, value in entry.items()
            )
            for entry in matrix.exclude
        )
    }
    found = [place(case) for case in cases(with_matrix(sound, matrix, variants))]
    assert len(found) == len(set(found))
    assert set(found) == wanted


@given(drawn=matrices())
def test_case_ids_are_unique(sound: Scenario, drawn: tuple[Matrix, list[str]]) -> None:
    """No two cases of a scenario share an id, and each id begins with the scenario's."""
    ids = [case.id for case in cases(with_matrix(sound, *drawn))]
    assert len(ids) == len(set(ids))
    assert all(name.startswith(f"{sound.id}[") and name.endswith("]") for name in ids)


@given(drawn=matrices())
def test_expansion_is_deterministic(sound: Scenario, drawn: tuple[Matrix, list[str]]) -> None:
    """The same scenario gives the same cases in the same order."""
    scenario = with_matrix(sound, *drawn)
    assert cases(scenario) == cases(scenario)


def test_no_axis_no_combination() -> None:
    """An axis without values leaves nothing, and no axis at all leaves one empty assignment."""
    assert list(combinations({"a": [], "b": [1]}, [])) == []
    assert list(combinations({}, [])) == [{}]


def test_case_ids_name_what_is_not_the_default(sound: Scenario) -> None:
    """The dialect shows when it is not `current`, the variant when there is one."""
    matrix = Matrix(
        ("open",), (1, 2), ("current", "4.0.4"), ({"dialect": "4.0.4", "partitions": 1},)
    )
    assert [case.id for case in cases(with_matrix(sound, matrix, ["replayed"]))] == [
        "bad.file[open,p1]",
        "bad.file[open,p1,replayed]",
        "bad.file[open,p2]",
        "bad.file[open,p2,replayed]",
        "bad.file[open,4.0.4,p2]",
        "bad.file[open,4.0.4,p2,replayed]",
    ]


# Expression -> the cases of `chosen` that it selects, by number.
SELECTIONS = [
    ("bad", [0, 1, 2, 3]),
    ("BAD.FILE", [0, 1, 2, 3]),
    ("p2", [2, 3]),
    ("p1 and late", [1]),
    ("p1 and not late", [0]),
    ("not p1 and not late", [2]),
    ("not (p1 or late)", [2]),
    ("p1 and late or p2", [1, 2, 3]),
    ("p2 or p1 and late", [1, 2, 3]),
    ("not not late", [1, 3]),
    ("bad.file[open,p1]", [0]),
    ("'bad.file[open,p1,late]' or \"p2]\"", [1, 2]),
    ("open.row.insert", []),  # a clause
    ("bad and slow", [0, 1, 2, 3]),
    ("open.row.delete", []),
    ("android", []),
    ("  late  ", [1, 3]),
    ("((late))", [1, 3]),
]


@pytest.mark.parametrize(("expression", "wanted"), SELECTIONS, ids=[e for e, _ in SELECTIONS])
def test_expressions_select_cases(sound: Scenario, expression: str, wanted: list[int]) -> None:
    """Words match parts of id and tags; `not` binds tighter than `and`, that than `or`."""
    scenario = replace(
        with_matrix(sound, Matrix(("open",), (1, 2)), ["late"]), tags=("slow", "two words")
    )
    every = cases(scenario)
    assert [every.index(case) for case in select(every, expression)] == wanted
    assert len(select(every, '"two words"')) == len(every)


# Expression -> what is said about it.
UNREADABLE = [
    ("", "column 1: the end", "a word, `not`, or `(`"),
    ("late and", "column 9: the end", "a word, `not`, or `(`"),
    ("and late", "column 1: `and`", "a word, `not`, or `(`"),
    ("late p1", "column 6: `p1`", "`and`, `or`, or the end"),
    ("(late", "column 6: the end", "`and`, `or`, or `)`"),
    ("late)", "column 5: `)`", "`and`, `or`, or the end"),
    ("not", "column 4: the end", "a word, `not`, or `(`"),
    ("()", "column 2: `)`", "a word, `not`, or `(`"),
    ("late or 'p1", "column 9: `'`", "a closing quote"),
    ("(" * 60 + "x" + ")" * 60, "column 52: `(`", "at most 50 levels"),
    ("not " * 60 + "x", "column 205: `not`", "at most 50 levels"),
]


@pytest.mark.parametrize(
    ("expression", "what", "expected"), UNREADABLE, ids=[e[:12] for e, _, _ in UNREADABLE]
)
def test_an_unreadable_expression_is_reported_with_its_place(
    expression: str, what: str, expected: str
) -> None:
    """The message names the column and what could stand there."""
    with pytest.raises(UsageError) as caught:
        select((), expression)
    assert caught.value.what == f"-k {expression!r} cannot be read at {what}"
    assert caught.value.expected == expected


@given(st.text(st.sampled_from("ab ()'\"andorot"), max_size=30))
def test_any_expression_selects_or_is_reported(expression: str) -> None:
    """No expression leads to anything but a selection or a UsageError."""
    with suppress(UsageError):
        assert select((), expression) == ()


def test_profiles_run_beside_the_scenarios_own_settings(sound: Scenario) -> None:
    """A profile is a case for each protocol that it names, with its settings laid over."""
    scenario = replace(
        with_matrix(sound, Matrix(("open", "avro")), ["late"]),
        settings={"avro": {"a": 1, "b": 1}},
        profiles={"text": {"avro": {"b": 2}}},
    )
    found = {case.id: case.settings for case in cases(scenario)}
    assert found == {
        "bad.file[open,p1]": {},
        "bad.file[open,p1,late]": {},
        "bad.file[avro,p1]": {"a": 1, "b": 1},
        "bad.file[avro,p1,late]": {"a": 1, "b": 1},
        "bad.file[avro,+text,p1]": {"a": 1, "b": 2},
        "bad.file[avro,+text,p1,late]": {"a": 1, "b": 2},
    }
