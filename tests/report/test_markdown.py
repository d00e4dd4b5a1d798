"""Markdown summaries say the headline first and let no data become markup."""

from __future__ import annotations

import re

from harness.model.finding import COUNTED, Judgement
from harness.report.markdown import CASES_SHOWN
from tests.report.samples import HOSTILE, case, every_judgement, run, written

FENCED = re.compile(r"^(`{3,})text\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def page(*cases: Judgement, text: str = "n is 2, not 1") -> str:
    """Return the summary of a run over a case of each judgement."""
    events = run(*(case("dml.a[open,p1]", one, text=text) for one in cases), consumer=text)
    return written("markdown", events).decode()


def test_the_headline_comes_first() -> None:
    """Below the title stands the sentence with all three numbers."""
    lines = page(Judgement.PASS, Judgement.FAIL, Judgement.NOT_APPLICABLE).splitlines()
    assert lines[2] == (
        "**passed 1 / applicable 2 / total 3 (50 % of what was applicable by its own claims)**"
    )


def test_the_matrix_counts_folders_by_verdict() -> None:
    """Each folder is a row, each verdict that occurs a column, and the last row sums up."""
    text = written("markdown", run(*every_judgement())).decode()
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    head, _, *body = [[cell.strip() for cell in row] for row in rows]
    counted = [judgement.value for judgement in Judgement if judgement in COUNTED]
    assert head == ["scenarios", *counted]
    assert [row[0] for row in body] == [".", "dml", "types", "**all**"]
    assert body[-1][1:] == ["1"] * len(COUNTED)


def test_a_finding_opens_with_clause_and_record() -> None:
    """What did not pass is a block to open, with clause, record and the command to repeat it."""
    text = page(Judgement.FAIL)
    assert "<details><summary><b>fail</b> <code>dml.a[open,p1]</code></summary>" in text
    (block,) = FENCED.findall(text)
    for part in (
        "open.type.int (MUST, document)",
        "ticdc/0@2",
        "repeat",
        "scenarios/dml/a.yaml:13",
    ):
        assert part in block[1]


def test_what_passed_or_was_not_asked_is_not_explained() -> None:
    """Only findings are explained; the rest is in the matrix."""
    assert "<details>" not in page(Judgement.PASS, Judgement.NOT_APPLICABLE, Judgement.UNDECIDED)


def test_hostile_data_stays_data() -> None:
    """Outside code blocks no tag, pipe, link or control character of the data is left."""
    text = page(Judgement.FAIL, text=HOSTILE)
    blocks = FENCED.findall(text)
    assert len(blocks) == 1
    assert "<script>" in blocks[0][1]
    outside = FENCED.sub("", text)
    ours = re.compile(r"</?(details|summary|b|code)>")
    assert "<" not in ours.sub("", outside)
    assert "😀" in outside
    for forbidden in ("\x1b", "\x00", "\u202e", "](", "|a|", "[bold]"):
        assert forbidden not in outside
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text) is None


def test_a_long_list_is_cut_and_counted() -> None:
    """Thousands of failing cases leave a page that a CI system still shows."""
    text = page(*[Judgement.FAIL] * (CASES_SHOWN + 7), text="x" * 5000)
    assert text.count("<details>") == CASES_SHOWN
    assert "and 7 more cases" in text
    assert len(text) < 1_000_000


def test_a_run_that_did_not_finish_says_so() -> None:
    """Without its last event the headline is no headline."""
    text = written("markdown", run(case("dml.a[open,p1]", Judgement.PASS))[:-1]).decode()
    assert "did not finish" in text
    assert "passed" not in text
