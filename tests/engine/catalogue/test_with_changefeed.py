"""A changefeed file laid over scenarios: what it changes, what is said of it, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.with_changefeed import WithChangefeed, lay_over
from harness.engine.catalogue.workspace import workspace
from harness.errors import Location, ScenarioError, UsageError
from harness.scenario.expand import EMBEDDED, Case, Laid
from tests.tree import ROOT

SPACE = workspace(ROOT)


def cases(expression: str) -> tuple[Case, ...]:
    """Return cases of one of the repository's own scenarios."""
    return selected(load(SPACE, [Path("keys.pk-chain")]), expression)


def laid(tmp_path: Path, text: str, expression: str) -> WithChangefeed:
    """Lay a file of this text over cases."""
    file = tmp_path / "feed.toml"
    file.write_text(text, encoding="utf-8")
    return lay_over(SPACE, cases(expression), file)


def test_the_file_wins(tmp_path: Path) -> None:
    """Its dispatchers replace the scenario's; the truth follows from the fold, as always."""
    text = """
    [[sink.dispatchers]]
    matcher = ["shop.*"]
    topic = "mine_{schema}_{table}"
    partition = "ts"
    """
    found = laid(tmp_path, text, "'keys.pk-chain[open,p4]'")
    (plan,) = found.plans
    assert plan.topics() == ("mine_shop_t", "ticdc")
    (table,) = plan.expected.tables.values()
    assert sorted(table.all_rows()) == [(2, 1), (3, 2)]
    assert found.notes[0].startswith("goldens are not compared")
    assert not any("does not hold" in note for note in found.notes)


def test_expectations_are_notes(tmp_path: Path) -> None:
    """A table that the file leaves out is told at the author's line, and is no problem."""
    found = laid(tmp_path, '[filter]\nrules = ["other.*"]\n', "'keys.pk-chain[open,p1'")
    assert [plan.case.delivery for plan in found.plans] == [None]
    assert found.plans[0].expected.tables == {}
    notes = "\n".join(found.notes)
    assert "keys/pk-chain.yaml:46:5: written for the scenario's own settings" in notes
    assert notes.count("is left out: ") == 3


def test_a_stop_is_a_note(tmp_path: Path) -> None:
    """A changefeed that stops under the file is told with the line; what was sent is the truth."""
    text = '[[sink.dispatchers]]\nmatcher = ["*.*"]\npartition = "columns"\ncolumns = ["nope"]\n'
    found = laid(tmp_path, text, "'keys.pk-chain[open,p1]'")
    assert found.plans[0].stopped is not None
    assert any("the changefeed stops with ErrDispatcherFailed" in note for note in found.notes)


def test_other_protocols_are_left_out(tmp_path: Path) -> None:
    """A file that names its protocol is about its cases only; Vitess never is."""
    text = '[sink]\nprotocol = "avro"\n[mounter]\nworker-num = 4\n'
    found = laid(tmp_path, text, "p1 and not replayed and not repeated")
    assert {case.protocol for case in found.cases} == {"avro"}
    notes = "\n".join(found.notes)
    assert "1 case of open, as " in notes
    assert "1 case of vitess, as " in notes
    assert "these keys show nowhere on the wire: mounter" in notes
    with pytest.raises(UsageError, match="is about none of the"):
        laid(tmp_path, text, "'keys.pk-chain[open,p1]'")


def test_an_embedded_file_is_replaced() -> None:
    """What a scenario embeds as a whole file gives way to the whole file that is laid over it."""
    (case,) = cases("'keys.pk-chain[open,p1]'")
    embedded = {EMBEDDED: "force-replicate = true", "max-batch-size": 3, "case-sensitive": True}
    scenario = replace(case.scenario, settings={"open": embedded})
    bare = replace(case, scenario=scenario)
    assert bare.settings == embedded
    laid_over = Laid("feed.toml", {"case-sensitive": False}, {})
    over = replace(bare, changefeed=laid_over)
    assert over.settings == {"max-batch-size": 3, "case-sensitive": False}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[filter\n", 1, "this is not TOML"),
        ("force-replicate = 3\n", 1, "force-replicate is 3"),
        ('\n[filter]\nruels = ["a.b"]\n', 3, "unknown key 'filter.ruels'"),
        ('\n[filter]\nrules = ["a.b", "[x"]\n', 3, ""),
    ],
)
def test_mistakes_have_their_place(tmp_path: Path, text: str, line: int, what: str) -> None:
    """What TiCDC would refuse of the file is refused with file, line and column."""
    with pytest.raises(ScenarioError) as caught:
        laid(tmp_path, text, "'keys.pk-chain[open,p1]'")
    (problem,) = caught.value.problems
    assert (problem.location.path, problem.location.line) == (str(tmp_path / "feed.toml"), line)
    assert what in problem.what


def test_a_mistake_of_one_protocol_only_has_its_place(tmp_path: Path) -> None:
    """A rule that is right for Open Protocol and wrong for Avro is refused at its line."""
    text = '[[sink.dispatchers]]\nmatcher = ["*.*"]\ntopic = "{schema}"\n'
    with pytest.raises(ScenarioError) as caught:
        laid(tmp_path, text, "'keys.pk-chain[avro,p1]'")
    (problem,) = caught.value.problems
    assert problem.location == Location(str(tmp_path / "feed.toml"), 3, 1)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A file that cannot be read is a usage error."""
    with pytest.raises(UsageError, match="cannot be read"):
        lay_over(SPACE, cases("'keys.pk-chain[open,p1]'"), tmp_path / "nowhere.toml")
