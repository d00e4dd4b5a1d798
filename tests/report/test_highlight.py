"""What differs between two similar lines is found from both ends; labels have one look."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.model.finding import Judgement
from harness.model.standing import Standing
from harness.report.finding_text import case_lines
from harness.report.highlight import LABELS, differing_part, styled
from tests.report.samples import every_judgement


@given(st.text("ab"), st.text("ab"))
def test_the_differing_part_is_all_that_differs(one: str, other: str) -> None:
    """Without its differing part either line is the same."""
    (a, b), (c, d) = differing_part(one, other), differing_part(other, one)
    assert one[:a] + one[b:] == other[:c] + other[d:]


def test_every_label_of_a_finding_is_dim() -> None:
    """Whatever is said of a case and its findings stands behind a label of one look."""
    (case,) = (one for one in every_judgement() if one.verdict.judgement is Judgement.FAIL)
    (finding,) = case.verdict.findings
    told = replace(finding, cause="passed over", standing=Standing.PROGRAM)
    verdict = replace(case.verdict, findings=(told,))
    whole = replace(case, verdict=verdict, standing=Standing.DOCUMENT, settings="a=b")
    lines = list(case_lines(whole))
    labels = {line.strip().split("  ")[0] for line in lines if re.match(r" {2,4}\S.*\S {2,}", line)}
    assert labels == set(LABELS)
    for line, text in zip(lines, styled(lines), strict=True):
        assert bool(text.spans) == any(line.strip().startswith(f"{label} ") for label in LABELS)
