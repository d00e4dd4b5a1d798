"""A certificate says what a run showed and what it left out, and no text in it becomes markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.errors import UsageError
from harness.model.conditions import Conditions, Excuse, OwnedLoss
from harness.model.events import Event, RunFinished, RunStarted
from harness.model.finding import FINDINGS, Judgement
from harness.model.resumption import Resumption
from harness.report.certificate import Certificate, certificate, results_hash
from harness.report.certificate_forms import FORMS, html_page, markdown_page
from tests.report.samples import HOSTILE, case, every_judgement, run, written

CONDITIONS = Conditions(
    "harness certify ./consumer.yaml --deadline 300",
    "0123456789abcdef",
    "ca7a1093e",
    "each case's own id",
    services={"kafka": "embedded kafka:4.1.2"},
    declared={"version": "2.1.0", "design.applies": "on-arrival"},
    settings={"open": ("max-message-bytes = 700",)},
    losses=(OwnedLoss(("timestamp",), "It keeps seconds alone."),),
    excuses=(Excuse("b", "fail", "", "It rounds.", "https://x.org/1", "2027-01-31"),),
)
PASSED = case("a[open,p1]", Judgement.PASS)
SKIPPED = case("c[avro,p1]", Judgement.NOT_APPLICABLE, text="needs protocol:avro")
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "strong"} | {
    *("div", "table", "thead", "tbody", "tr", "th", "td", "pre", "code"),
}


def certified(*cases: Event, conditions: Conditions = CONDITIONS, only: str = "") -> list[Event]:
    """Return the events of a run over cases, under conditions."""
    events = list(run(*cases))  # type: ignore[arg-type]  # cases are events
    started, end = events[0], events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(end, RunFinished)
    return [replace(started, conditions=conditions), *events[1:-1], replace(end, only=only)]


def cells(one: Certificate, title: str) -> str:
    """Return a section's rows as text."""
    section = next(each for each in one.sections if each.title == title)
    return "\n".join(" | ".join(row) for row in section.rows) + "".join(section.sentences)


class Tags(HTMLParser):
    """Collects the names of elements."""

    def __init__(self) -> None:
        """Start without any."""
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the name."""
        del attrs
        self.found.add(tag)


def test_it_says_what_was_declared_excused_and_not_tried() -> None:
    """Manifest, losses, known failures with reason and day, and gaps stand each in a section."""
    known = case("b[open,p1]", Judgement.XFAIL, text="known to fail: It rounds. (https://x.org/1)")
    found = certificate(certified(PASSED, known, SKIPPED))
    assert "design.applies | on-arrival" in cells(found, "What the consumer declares")
    assert "timestamp (all): It keeps seconds alone." in cells(found, "What the consumer declares")
    excused = cells(found, "What was excused")
    assert "b | fail | It rounds. | https://x.org/1 | 2027-01-31 | 1" in excused
    assert "not applicable | needs protocol:avro | 1" in cells(found, "What was not tried")
    assert found.passed
    assert found.result == ("Passed. 50 % of 2 applicable cases passed, 1 excused; 3 cases in all.")


def test_it_says_what_was_read_again_after_a_kill() -> None:
    """Cases in which state survived and in which all was read again are counted, where any is."""
    title = "What was certified"
    assert "after a kill" not in cells(certificate(certified(PASSED)), title)
    again = [
        replace(case(f"k{n}[open,p1]", Judgement.PASS), resumed=one)
        for n, one in enumerate((*[Resumption.RESUMED] * 2, *Resumption))
    ]
    found = cells(certificate(certified(*again)), title)
    assert "state survived in 3 cases, everything was read again in 1" in found


def test_it_says_how_to_do_it_again() -> None:
    """Command, commit, versions, seed and both hashes are there."""
    found = certificate(certified(PASSED))
    command = next(each.code for each in found.sections if each.code)
    assert command == CONDITIONS.command
    text = cells(found, "Versions and hashes")
    for value in (CONDITIONS.commit, CONDITIONS.catalogue, CONDITIONS.seed, "kafka:4.1.2"):
        assert value in text
    assert results_hash([PASSED]) in text


def test_protocols_are_counted_by_dialect() -> None:
    """A case's dialect is a word of its id; without one it is the current one."""
    old = case("a[open,4.0.4,p1]", Judgement.PASS)
    found = certificate(certified(PASSED, old))
    rows = cells(found, "Protocols and dialects")
    assert "TiCDC Open Protocol (open) | 4.0.4 | 1 | 1 | 1" in rows
    assert "TiCDC Open Protocol (open) | current | 1 | 1 | 1" in rows


@pytest.mark.parametrize("judgement", sorted(FINDINGS))
def test_a_finding_is_never_passed(judgement: Judgement) -> None:
    """One finding among passes makes the certificate say NOT PASSED first, and names the case."""
    found = certificate(certified(PASSED, case("b[open,p1]", judgement)))
    assert not found.passed
    assert found.result.startswith("NOT PASSED: 1 case with findings")
    assert "b[open,p1]" in cells(found, "What did not pass")
    assert '<p class="result passed">' not in html_page(found)


def test_a_filtered_run_says_so_first() -> None:
    """A run over some of the catalogue never reads as one over all of it."""
    found = certificate(certified(PASSED, only="-k keys"))
    assert found.result.startswith("FILTERED, not the whole catalogue.")
    assert "not selected" in cells(found, "What was not tried")


def test_strict_excuses_nothing() -> None:
    """A strict run says so where others list what was excused."""
    strict = replace(CONDITIONS, strict="true")
    assert "--strict" in cells(
        certificate(certified(PASSED, conditions=strict)), "What was excused"
    )


def test_texts_stay_texts() -> None:
    """Names, reasons and findings add no element, no script and no table cell."""
    hostile = Conditions(
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        declared={HOSTILE: HOSTILE},
        settings={HOSTILE: (HOSTILE,)},
        losses=(OwnedLoss((HOSTILE,), HOSTILE),),
        excuses=(Excuse(*[HOSTILE] * 6),),
    )
    wrong = case(f"a[{HOSTILE}]", Judgement.FAIL, text=HOSTILE)
    found = certificate(certified(PASSED, wrong, conditions=hostile, only=HOSTILE))
    tags = Tags()
    page = html_page(found)
    tags.feed(page)
    assert tags.found <= TAGS
    assert "http-equiv" in page
    assert "src=" not in page.replace("style-src", "")
    text = markdown_page(found)
    assert "<" not in text.replace(HOSTILE, "").partition("````")[0]
    assert all(
        line.count("|") in {3, 4, 6, 7} for line in text.splitlines() if line.startswith("|")
    )


def test_the_results_hash_is_over_verdicts_alone() -> None:
    """Another run, log, order or wording has the same hash; another verdict or value has not."""
    wrong = case("b[open,p1]", Judgement.FAIL)
    same = replace(wrong, log="another", repeat="another", changefeed="c1")
    assert results_hash([PASSED, wrong]) == results_hash([same, PASSED])
    assert results_hash([PASSED, wrong]) != results_hash([PASSED])
    other = replace(wrong.verdict.findings[0], actual="another")
    changed = replace(wrong, verdict=replace(wrong.verdict, findings=(other,)))
    assert results_hash([wrong]) != results_hash([changed])


def test_half_a_run_has_no_certificate() -> None:
    """A run that did not finish, or whose events are too old for it, is refused with the reason."""
    with pytest.raises(UsageError, match="did not finish"):
        certificate(certified(PASSED)[:-1])
    with pytest.raises(UsageError, match="do not say under which conditions"):
        certificate(run(PASSED))


@pytest.mark.parametrize("ending", FORMS)
def test_the_command_writes_it(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kept run is named by its name; a filtered one is refused without --filtered."""
    home = tmp_path / ".harness" / "runs" / "0123ab"
    home.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    target = tmp_path / f"certificate{ending}"
    words = ["report", "0123ab", "--certificate", str(target)]
    (home / "events.ndjson").write_bytes(written("ndjson", certified(PASSED)))
    assert main(words) == 0
    assert target.read_text("utf-8") == FORMS[ending](certificate(certified(PASSED)))
    target.unlink()
    (home / "events.ndjson").write_bytes(written("ndjson", certified(PASSED, only="-k a")))
    assert main(words) == 2
    assert not target.exists()
    assert "--filtered makes the certificate" in capsys.readouterr().err
    assert main([*words, "--filtered"]) == 0
    assert "FILTERED" in target.read_text("utf-8")
    assert main(["report", "0123ab", "--certificate", "certificate.pdf"]) == 2


def test_every_verdict_can_be_certified() -> None:
    """No verdict that a run can come to breaks the certificate; all are counted in it."""
    found = certificate(certified(*every_judgement()))
    text = cells(found, "What was certified")
    assert all(f"{judgement.value} | 1" in text for judgement in Judgement)
