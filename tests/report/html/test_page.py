"""The HTML report is one file that shows everything, fetches nothing and runs nobody's data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from harness.model.events import CaseFinished
from harness.model.finding import Judgement
from harness.report.html.data import EVIDENCE_SHOWN
from harness.report.html.page import SCRIPTS, STYLES
from tests.report.samples import HOSTILE, case, every_judgement, run, written
from tests.report.wrong_run import wrong_run

ONE = ["keys/composite-key-moves.yaml"]


def data_of(page: bytes) -> dict[str, Any]:
    """Return the page's data as a browser reads it."""
    found = re.search(r'id="data">(.*?)</script>', page.decode(), re.DOTALL)
    assert found
    return json.loads(found[1])


class Tags(HTMLParser):
    """Counts tags and keeps the attributes that could fetch something."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.tags: list[str] = []
        self.fetching: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one tag."""
        self.tags.append(tag)
        self.fetching += [f"{tag} {name}" for name, _ in attrs if name in {"src", "srcset", "data"}]


def tags(page: bytes) -> Tags:
    """Return what an HTML parser sees in the page."""
    parser = Tags()
    parser.feed(page.decode())
    return parser


def test_data_adds_no_markup() -> None:
    """Whatever a run's texts hold, the page has the tags of its frame and no others."""
    plain = tags(written("html", run(*every_judgement())))
    hostile = tags(written("html", run(*every_judgement(HOSTILE), consumer=HOSTILE)))
    assert hostile.tags == plain.tags
    assert plain.fetching == hostile.fetching == []


def test_hostile_text_is_kept_as_it_is() -> None:
    """Nothing is lost on the way to the page: the data hold the very text, as data."""
    data = data_of(written("html", run(case("dml.a[open,p1]", Judgement.FAIL, text=HOSTILE))))
    assert data["runs"][0]["cases"][0]["findings"][0]["message"] == HOSTILE


def test_the_policy_allows_the_pages_own_parts_alone() -> None:
    """The page forbids itself everything but the style and the script that stand in it."""
    text = written("html", run(*every_judgement())).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert all(rules[name].startswith("'sha256-") for name in ("style-src", "script-src"))
    assert "unsafe" not in policy[1]


def test_every_part_is_in_the_page() -> None:
    """No style or script lies beside the page unused, and each is used once."""
    there = {path.name for path in (files("harness.report.html") / "parts").iterdir()}
    assert sorted((*STYLES, *SCRIPTS, "page.html")) == sorted(there)


@pytest.mark.parametrize("judgement", Judgement)
def test_every_case_is_in_the_page(judgement: Judgement) -> None:
    """A case of any judgement is there with its title, its command and its clauses' texts."""
    data = data_of(written("html", run(case("dml.a[open,p1]", judgement))))
    (found,) = data["runs"][0]["cases"]
    assert found["judgement"] == judgement.value
    assert found["repeat"].startswith("harness certify")
    assert data["scenarios"]["dml.a"]["file"] == "scenarios/dml/a.yaml"
    assert data["clauses"]["open.type.int"]["text"]


def test_a_case_that_failed_brings_what_explains_it() -> None:
    """Beside a finding lie the differing table, the records with their bytes, and a timeline."""
    data = data_of(written("html", wrong_run("deletes-ignored", ONE)))
    found = data["runs"][0]["cases"][0]
    assert found["judgement"] == "fail"
    evidence = found["evidence"]
    assert "+" in {row["mark"] for table in evidence["tables"] for row in table["rows"]}
    blamed = [record for record in evidence["records"] if record["blamed"]]
    assert blamed
    assert all(bytes.fromhex(record["value"]) for record in blamed)
    assert {point["kind"] for point in evidence["timeline"]} >= {"ddl", "resolved"}


def test_a_page_stays_small_enough_to_open() -> None:
    """Of a consumer that fails everywhere only so many cases bring their evidence."""
    broken = next(e for e in wrong_run("deletes-ignored", ONE) if isinstance(e, CaseFinished))
    many = run(*(broken for _ in range(EVIDENCE_SHOWN + 20)))
    cases = data_of(written("html", many))["runs"][0]["cases"]
    assert len(cases) == EVIDENCE_SHOWN + 20
    assert sum(found["evidence"] is not None for found in cases) == EVIDENCE_SHOWN


def test_several_runs_make_one_page() -> None:
    """Runs one after the other stay apart, each with its consumer and its own cases."""
    events = (*wrong_run("reference", ONE), *wrong_run("deletes-ignored", ONE, "000002"))
    first, second = data_of(written("html", events))["runs"]
    assert (first["consumer"], second["consumer"]) == ("reference", "deletes-ignored")
    assert first["cases"][0]["judgement"] == "pass"
    assert second["cases"][0]["judgement"] == "fail"


def test_a_run_that_did_not_finish_says_so() -> None:
    """A page of a killed run does not show numbers of a whole one."""
    data = data_of(written("html", run(*every_judgement())[:-1]))
    assert data["runs"][0]["finished"] is False
    assert "did not finish" in data["runs"][0]["headline"]
