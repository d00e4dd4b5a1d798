"""Every name can be explained, and one that does not exist is answered with those like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.errors import UsageError
from harness.mutants.table import MUTANTS
from harness.protocols.clauses import CLAUSES
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.clause import settings_of
from harness.report.explain.finding import JUDGEMENTS
from harness.report.explain.finding import KINDS as FINDING_KINDS
from harness.report.explain.names import KINDS, all_names, explained
from harness.report.explain.products import failures, products
from tests.tree import ROOT, hold

FILES = (
    "keys/pk-chain",
    "duplicates/row-returns",
    "numbers/beyond-2-to-the-53",
    "hostile/malformed-open",
    "types/decimals",
)


@pytest.fixture(scope="module")
def catalogue() -> ScenarioCatalogue:
    """Return a catalogue of few scenarios."""
    space = workspace(ROOT)
    return ScenarioCatalogue(
        space, load(space, [ROOT / "scenarios" / f"{name}.yaml" for name in FILES])
    )


def said(catalogue: ScenarioCatalogue, name: str) -> str:
    """Return an explanation as one text, its line breaks as blanks."""
    return " ".join(" ".join(explained(catalogue, name)).split())


@pytest.mark.parametrize("kind", KINDS)
def test_all_of_a_kind_are_explained(catalogue: ScenarioCatalogue, kind: str) -> None:
    """No name of any kind is without lines, and the first names it."""
    names = list(dict.fromkeys(KINDS[kind].names(catalogue)))
    if kind in {"clause", "case"}:  # all of them are tried when they are asked for
        names = names[:: 25 if kind == "clause" else 7]
    hold(
        f"{kind} {name}: {first}"
        for name in names
        for first, *_ in [list(KINDS[kind].lines(catalogue, name))]
        if name not in first
    )


def test_findings_and_verdicts_have_a_sentence() -> None:
    """Each kind of finding, and each judgement, is in its table."""
    assert set(FINDING_KINDS) == set(KINDS["finding"].names(ScenarioCatalogue(workspace(ROOT), ())))
    assert set(JUDGEMENTS) == set(KINDS["verdict"].names(ScenarioCatalogue(workspace(ROOT), ())))


def test_a_clause_has_its_source_standing_record_and_wrong_consumer(
    catalogue: ScenarioCatalogue,
) -> None:
    """The clause of repeated rows names its page, who demands it, and the row that decides."""
    text = said(catalogue, "open.delivery.at-least-once")
    assert "standing document: a document demands it" in text
    assert "https://docs.pingcap.com/" in text
    assert "dedupe-by-content on duplicates.row-returns[open" in text
    assert "does It takes a row that returns to what it was for a copy of that time." in text
    assert "is found stale-row: shop.lamp" in text
    assert "record ticdc/0@" in text
    assert 'value {"u":' in text
    assert "materialize/issues/13309" in text


def test_a_clause_that_no_consumer_breaks_shows_a_record(catalogue: ScenarioCatalogue) -> None:
    """Where only producers can be wrong, a record of the simplest scenario stands instead."""
    text = said(catalogue, "open.txn.net-effect")
    assert "A record of keys.pk-chain[open,p1]" in text
    assert "open-born-and-gone-sent" in text
    assert "standing program" in text


def test_a_case_has_its_answer_and_who_fails_it(catalogue: ScenarioCatalogue) -> None:
    """Its clauses, what happens to its messages, the right tables, and wrong consumers."""
    text = said(catalogue, "keys.pk-chain[open,p1,replayed]")
    assert "replay {from: moved}: document, open.delivery.at-least-once" in text
    assert "{a: 2, b: 1} {a: 3, b: 2}" in text
    assert "wrong consumers" not in text.casefold()  # the scenario claims none
    text = said(catalogue, "duplicates.row-returns")
    assert "Wrong consumers that it catches" in text


def test_a_case_has_the_products_that_fail_it(catalogue: ScenarioCatalogue) -> None:
    """The defect of a product whose run was kept stands under the case that shows it."""
    text = said(catalogue, "numbers.beyond-2-to-the-53[avro,p1]")
    assert "kafkajs-naive" in text
    assert "N1: A long beyond 2^53 cannot be decoded." in text


def test_a_setting_has_what_it_takes_and_who_sets_it(catalogue: ScenarioCatalogue) -> None:
    """A setting says its values, its clauses, and where it is without effect."""
    text = said(catalogue, "avro-decimal-handling-mode")
    assert "takes precise | string default precise" in text
    assert "avro.type.decimal.string (MUST" in text
    assert "types.decimals: " in text
    assert "without effect it is of Avro" in text
    assert "variable HARNESS_TOPICS_KEEP" in said(catalogue, "topics.keep")
    assert "avro-decimal-handling-mode" in settings_of("avro.type.decimal.string")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("open.txn.net-efect", "`open.txn.net-effect`"),
        ("pk-chain", "`keys.pk-chain`"),
        ("stale-rows", "`stale-row`"),
        ("dedupe-by-contents", "`dedupe-by-content`"),
    ],
)
def test_an_unknown_name_is_answered_with_those_like_it(
    catalogue: ScenarioCatalogue, word: str, meant: str
) -> None:
    """A typo, and a part of a name, lead to the name."""
    with pytest.raises(UsageError, match=r"nothing is called") as caught:
        list(explained(catalogue, word))
    assert meant in str(caught.value)


def test_what_is_like_nothing_is_answered_with_where_to_look(catalogue: ScenarioCatalogue) -> None:
    """Without a name that is near, the message says where the names stand."""
    with pytest.raises(UsageError, match="harness list"):
        list(explained(catalogue, "qqqqqqqq"))


def test_kept_runs_name_clauses_and_kinds_that_exist() -> None:
    """What is known of products refers to clauses and findings of today."""
    hold(
        f"{name}: {failure.case}: {kind} {clause}"
        for name, product in products().items()
        for failure in failures(product)
        for kind, clause in failure.named
        if clause not in CLAUSES or kind not in set(FINDING_KINDS)
    )


def test_no_name_means_nothing_twice_by_accident(catalogue: ScenarioCatalogue) -> None:
    """A mutant is called like no clause and no scenario."""
    names = all_names(catalogue)
    assert len(names) == len(set(names))
    assert not set(MUTANTS) & set(CLAUSES)


def test_the_package_brings_what_is_known_of_products() -> None:
    """The file stands beside the code that reads it, so that a wheel has it."""
    assert Path(ROOT, "harness", "report", "explain", "third_parties.json").is_file()


def test_a_word_that_no_name_has_leads_to_the_clauses_that_speak_of_it(
    catalogue: ScenarioCatalogue,
) -> None:
    """A field of a message is no name, and some clause says what it is."""
    with pytest.raises(UsageError) as raised:
        said(catalogue, "_tidb_op")
    assert "clauses that speak of it: `avro.extension" in (raised.value.hint or "")
