"""Every clause, fault and case has a standing, and it follows from what it rests on."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from harness.model.standing import MEANING, Standing, strongest, weakest
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.protocols.description import Claim
from harness.protocols.standings import fault_standing
from harness.scenario.expand import Case, cases
from harness.scenario.load import load_all
from harness.scenario.standing import case_standing, delivery_standing, step_standing
from tests.tree import ROOT

# Clauses that name a page and are the page's own words: "by the page", or its sample is right.
THE_PAGES_OWN = re.compile(r"By the page|as in the page's sample\.|as in the sample")


@cache
def catalogue() -> tuple[Case, ...]:
    """Return the cases of the whole catalogue."""
    return tuple(case for one in load_all(ROOT / "scenarios") for case in cases(one))


def test_the_order_is_document_program_beyond() -> None:
    """The weakest and the strongest of some standings are found by one order."""
    assert weakest(Standing) is Standing.BEYOND
    assert strongest(Standing) is Standing.DOCUMENT
    assert weakest((Standing.PROGRAM, Standing.DOCUMENT)) is Standing.PROGRAM
    assert set(MEANING) == set(Standing)


def test_a_clause_has_the_standing_of_its_source() -> None:
    """A clause is a program's exactly where its file is one of code or it names code besides."""
    for clause in CLAUSES.values():
        in_code = Path(clause.written.path).name[3:].startswith("code-")
        besides = clause.source.program not in {"", clause.source.url}
        assert in_code != (besides or clause.standing is Standing.DOCUMENT), clause.id
        program = clause.source.program
        assert (clause.standing is Standing.PROGRAM) == program.startswith("https://"), clause.id


def test_what_contradicts_a_page_is_no_documents() -> None:
    """A clause that says otherwise than its page, which it names, is the program's."""
    naming = re.compile(r"\bthe (page|document's|documents)\b", re.IGNORECASE)
    named = [clause for clause in CLAUSES.values() if naming.search(clause.text)]
    contradicting = [clause for clause in named if not THE_PAGES_OWN.search(clause.text)]
    assert len(contradicting) > 20
    wrong = [clause.id for clause in contradicting if clause.standing is Standing.DOCUMENT]
    assert wrong == []


@pytest.mark.parametrize(
    ("protocol", "fault"),
    [(name, fault) for name, row in PROTOCOLS.items() for fault in row.permissions],
)
def test_a_fault_has_a_standing_in_each_protocol(protocol: str, fault: str) -> None:
    """A fault is beyond exactly where it was merely seen; else a clause stands for it."""
    seen = PROTOCOLS[protocol].permissions[fault].claim is Claim.SEEN
    assert (fault_standing(protocol, fault) is Standing.BEYOND) == seen


def test_a_case_is_beyond_where_a_step_was_merely_seen() -> None:
    """Every case has a standing, `beyond` only by a step that cites a link, and never without."""
    assert len(catalogue()) > 2000
    for case in catalogue():
        steps = case.scenario.delivery.get(case.delivery or "", ())
        seen = any(step.seen_in for step in steps)
        assert (case_standing(case) is Standing.BEYOND) == seen, case.id
        assert (delivery_standing(case) is Standing.BEYOND) == seen, case.id


def test_a_case_of_documents_rests_on_nothing_else() -> None:
    """In a case that is a document's no step is weaker, and no cited clause of its protocol."""
    for case in catalogue():
        if case_standing(case) is not Standing.DOCUMENT:
            continue
        steps = case.scenario.delivery.get(case.delivery or "", ())
        assert {step_standing(step, case.protocol) for step in steps} <= {Standing.DOCUMENT}
        own = [CLAUSES[one] for one in case.scenario.clauses if one.startswith(case.protocol)]
        weaker = [one.id for one in own if one.standing is not Standing.DOCUMENT]
        assert all(CLAUSES[one].versions != "all" for one in weaker), case.id


def test_cases_of_every_standing_are_there() -> None:
    """The catalogue has cases of each standing, those that started the question among them."""
    found = {case.id: case_standing(case) for case in catalogue()}
    assert set(found.values()) == set(Standing)
    assert found["transport.empty-messages[avro,p2,null-value]"] is Standing.BEYOND
    assert found["duplicates.old-version-comes-late[avro,p1,old-again]"] is Standing.BEYOND
    assert found["transport.empty-messages[avro,p2]"] is not Standing.BEYOND
    assert found["hostile.data-lost[open,p1,lost]"] is Standing.DOCUMENT
