"""What a command line chooses, and what it says where that is nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.engine.catalogue.selection import WORDS_SHOWN, Selection, chosen
from harness.engine.catalogue.workspace import BUNDLED, workspace
from harness.errors import HarnessError, UsageError
from tests.tree import ROOT

SPACE = workspace(ROOT)


def ids(selection: Selection) -> list[str]:
    """Return the ids of the cases that a selection means."""
    return [case.id for case in chosen(SPACE, selection)]


@pytest.mark.parametrize(
    "place",
    ["keys.pk-chain", "keys/pk-chain", "keys/pk-chain.yaml", "scenarios/keys/pk-chain.yaml"],
)
def test_a_scenario_has_several_names(place: str) -> None:
    """Its id, its path below the root, and its file mean the same."""
    found = ids(Selection((place,)))
    assert found
    assert all(case.startswith("keys.pk-chain[") for case in found)


def test_a_folder_is_named_as_it_stands_below_the_root() -> None:
    """`keys`, `keys/` and `scenarios/keys` mean the same."""
    whole = ids(Selection(("scenarios/keys",)))
    assert whole == ids(Selection(("keys/",))) == ids(Selection(("keys",)))
    assert {case.partition(".")[0] for case in whole} == {"keys"}


def test_a_pattern_takes_words_of_cases() -> None:
    """Words in brackets are those that a case must have, in any order, with others beside them."""
    found = ids(Selection(("types.*[avro]",)))
    assert found
    assert all(case.startswith("types.") and "[avro" in case for case in found)
    some = ids(Selection(("*[p2,open]",)))
    assert some
    assert all("[open" in case and ",p2" in case for case in some)
    assert ids(Selection(("types[avro]",))) == ids(Selection(("types/*[avro]",))) == found


def test_the_id_of_a_case_is_that_case_alone() -> None:
    """`keys.pk-chain[open,p1]` does not mean its disturbed variants as well."""
    assert ids(Selection(("keys.pk-chain[open,p1]",))) == ["keys.pk-chain[open,p1]"]
    assert len(ids(Selection(("keys.pk-chain[open,p*]",)))) > 1


def test_places_add_up() -> None:
    """Several places mean the cases of each, once."""
    both = ids(Selection(("keys.pk-chain[open,p1]", "types.year[avro]", "keys.pk-chain[open,p1]")))
    assert both[0] == "keys.pk-chain[open,p1]"
    assert {case.partition("[")[0] for case in both} == {"keys.pk-chain", "types.year"}


def test_ids_with_further_dots_are_found() -> None:
    """A dot within a file's name is none of a folder."""
    name = "dialects.marks-promise-less-in-4.0.4"
    assert all(case.startswith(f"{name}[") for case in ids(Selection((name,))))


def test_k_matches_ids_and_tags_alone() -> None:
    """A word that only clauses have selects nothing, and the message says how to."""
    assert all("[avro" not in case for case in ids(Selection(("keys.pk-chain",), "open")))
    with pytest.raises(UsageError, match=r"clauses are chosen by --clause open\.txn\.net-effect"):
        ids(Selection(("keys.pk-chain",), "open.txn.net-effect"))


def test_a_clause_selects_what_rests_on_it() -> None:
    """Only cases whose protocol the clause governs, also by the beginning of ids."""
    found = ids(Selection(("keys.pk-chain",), clauses=("open.txn.net-effect",)))
    assert found
    assert all("[open," in case for case in found)
    assert set(found) <= set(ids(Selection(("keys.pk-chain",), clauses=("open.txn",))))


def test_a_protocol_selects_its_cases() -> None:
    """Several protocols add up."""
    found = ids(Selection(("keys.pk-chain",), protocols=("open", "vitess")))
    assert {case.partition("[")[2].partition(",")[0] for case in found} == {"open", "vitess"}


def test_what_failed_is_narrowed_like_all_else() -> None:
    """Of the cases that failed those that are chosen."""
    failed = frozenset({"keys.pk-chain[open,p1]", "types.year[avro,p1]"})
    assert ids(Selection(("keys/",), failed=failed)) == ["keys.pk-chain[open,p1]"]


# What is chosen -> a part of what is said.
MISTAKES = [
    (Selection(("tipes/*",)), "did you mean `types`"),
    (Selection(("pk-chain",)), "did you mean `keys.pk-chain`"),
    (Selection(("open",)), "--protocol open"),
    (Selection(("keys/pk-chian.yaml",)), "did you mean `pk-chain.yaml`"),
    (Selection(("keys.pk-chain[opne]",)), "no case has `opne`"),
    (Selection(("keys.pk-chain[opne]",)), "did you mean `open`"),
    (Selection(("types.*[opne]",)), "newarch, open, p1, p2, vitess, +adaptive"),
    (Selection(("elsewhere/keys/pk-chain.yaml",)), "did you mean `keys.pk-chain`?"),
    (Selection(("types.*[opne]",)), " more\n"),
    (Selection(("keys.pk-chain[open",)), "no closing bracket"),
    (Selection(protocols=("opn",)), "did you mean `open`"),
    (Selection(("ddl.truncate-by-index",), protocols=("vitess",)), "open ("),
    (Selection(clauses=("open.txn.net-efect",)), "did you mean `open.txn.net-effect`"),
    (Selection(("types.year",), clauses=("open.ddl.once",)), "harness explain open.ddl.once"),
    (Selection(expression="pkchain"), "did you mean `pk-chain`"),
    (Selection(("types.year",), failed=frozenset({"a.b[open,p1]"})), "a.b[open,p1]"),
]


@pytest.mark.parametrize(("selection", "said"), MISTAKES)
def test_a_choice_of_nothing_says_what_would_match(selection: Selection, said: str) -> None:
    """A place, word, protocol or clause that leads nowhere is exit code 2, with the one meant."""
    with pytest.raises(HarnessError) as caught:
        ids(selection)
    assert caught.value.exit_code == 2
    assert said in str(caught.value)


def test_of_many_words_some_are_shown() -> None:
    """A mistake over the whole catalogue is answered on a line, not with each profile's name."""
    with pytest.raises(UsageError) as caught:
        ids(Selection(("types.*[opne]",)))
    said = next(line for line in str(caught.value).splitlines() if "words of theirs" in line)
    named = said.partition("theirs: ")[2].split(", ")
    assert len(named) == WORDS_SHOWN
    assert re.fullmatch(r"\S+ and [1-9]\d* more", named[-1])


def test_own_scenarios_hide_the_packages_and_the_message_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who finds nothing among their own is told how to name the package's own; the name works."""
    shown = SPACE.scenarios / "keys" / "pk-chain.yaml"
    (tmp_path / "scenarios" / "keys").mkdir(parents=True)
    own = tmp_path / "scenarios" / "keys" / "pk-chain.yaml"
    own.write_bytes(shown.read_bytes())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--scenarios bundled is the package's own"):
        chosen(workspace(tmp_path), Selection(expression="types"))
    assert chosen(workspace(tmp_path, BUNDLED), Selection(("types",)))


def test_a_folder_of_that_name_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--scenarios bundled` is a directory where there is one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bundled").mkdir()
    assert workspace(tmp_path, BUNDLED).scenarios == Path("bundled")
