"""A kind of finding or a judgement: what it says, where to look first, and who is found so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from harness.model.finding import APPLICABLE, FINDINGS, FindingKind, Judgement
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.causes import CAUSES
from harness.protocols.clauses import cause_clause
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.products import product_lines
from harness.report.explain.text import fact, listed, paragraph

# Kind -> what it says, and what to look at first.
KINDS: Mapping[FindingKind, tuple[str, str]] = MappingProxyType(
    {
        FindingKind.WRONG_VALUE: (
            "A row of the right key and version holds another value in one column.",
            "how the column's type is decoded: exactness, sign, scale, encoding, time zone",
        ),
        FindingKind.UNREADABLE_VALUE: (
            "A value is none of its column's type, however it is spelt.",
            "the table of values in docs/reference/consumer-contract.md",
        ),
        FindingKind.STALE_ROW: (
            "A row is as an earlier version of it was: a later one is missing.",
            "how versions of a key are compared: a copy that came late, a change that was dropped",
        ),
        FindingKind.MISSING_ROW: (
            "A row that the stream leaves in the table is not there.",
            "whether its insert was read, or another row's delete taken for its own",
        ),
        FindingKind.EXTRA_ROW: (
            "A row is there that the stream deleted, moved, or never sent.",
            "deletes and the old half of a changed key",
        ),
        FindingKind.DUPLICATE_ROW: (
            "A row is there more often than the stream says.",
            "whether a message that is sent again is applied again",
        ),
        FindingKind.MISSING_COLUMN: (
            "A row lacks a column that its table has at the end.",
            "DDL and new schemas that add columns; columns without a value in older messages",
        ),
        FindingKind.EXTRA_COLUMN: (
            "A row has a column that its table has not at the end.",
            "dropped and renamed columns; fields of the protocol taken for columns",
        ),
        FindingKind.MISSING_TABLE: (
            "A table with rows is not there.",
            "how names are made of database and table; renamed tables",
        ),
        FindingKind.EXTRA_TABLE: (
            "A table is there that the stream dropped or renamed, or never had.",
            "DDL; names that differ in their database alone",
        ),
        FindingKind.DDL_MISSING: (
            "A statement of the stream was not executed.",
            "what of DDL is taken for a copy; statements of one ts",
        ),
        FindingKind.DDL_REPEATED: (
            "A statement was executed more than once.",
            "copies of a DDL event, one in each partition, and after a restart",
        ),
        FindingKind.DDL_UNEXPECTED: (
            "A statement was executed that the stream does not have.",
            "the text of the statement: it is to be reported as it arrived",
        ),
        FindingKind.DDL_ORDER: (
            "Statements were executed in another order than the stream's.",
            "whether DDL waits until all partitions have resolved up to its ts",
        ),
        FindingKind.EVENT_MISSING: (
            "A row event that every consumer must apply is not in events.jsonl.",
            "what is dropped as a copy, or held and never released",
        ),
        FindingKind.EVENT_UNEXPECTED: (
            "events.jsonl has an event that the stream does not have.",
            "the operation and both images of the row",
        ),
        FindingKind.EVENT_ORDER: (
            "Events of one key were applied in another order than they happened.",
            "how held events are sorted before they are applied",
        ),
        FindingKind.CONSUMER: (
            "The consumer gave no tables: it crashed, hung, gave up, or broke the contract.",
            "its last output, and the message that it names",
        ),
    }
)
# Judgement -> what it says.
JUDGEMENTS: Mapping[Judgement, str] = MappingProxyType(
    {
        Judgement.PASS: "All that the case asks for holds.",
        Judgement.FAIL: "The answer differs from the truth; the findings say where.",
        Judgement.CRASH: "The command ended with an error, or was killed, without its answer.",
        Judgement.TIMEOUT: "The command still ran at its deadline (--deadline).",
        Judgement.INVALID: "The answer breaks the consumer contract.",
        Judgement.UNDECIDED: "The protocol leaves open what is right, and the answer is one of it.",
        Judgement.NOT_APPLICABLE: "The consumer declares that it lacks what the case needs.",
        Judgement.INCONCLUSIVE: "The consumer ended before what was to happen to it.",
        Judgement.HARNESS_ERROR: "The harness itself failed; nothing is said of the consumer.",
        Judgement.XFAIL: "It fails as its list of known failures says.",
        Judgement.XPASS: "It passes although its list of known failures names it.",
        Judgement.DECLARED_LOSSY: "It differs only where its manifest declares a lossy mapping.",
        Judgement.BEYOND: "Nobody promises what the case rests on: shown apart, not counted.",
    }
)


def kind_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a kind of finding."""
    del catalogue
    kind = FindingKind(name)
    says, look = KINDS[kind]
    yield f"finding {name}"
    yield from paragraph(says)
    yield from fact("look at", look)
    items = [
        list(paragraph(f"{mutant.name}: {mutant.difference}", 2, 4))
        for mutant in MUTANTS.values()
        if any(kind in sign.kinds for sign in mutant.signs)
    ]
    yield from listed("Wrong consumers that are found so", items)
    yield from product_lines(lambda one: any(said == name for said, _ in one.named))


def judgement_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a judgement."""
    del catalogue
    judgement = Judgement(name)
    yield f"verdict {name}"
    yield from paragraph(JUDGEMENTS[judgement])
    counted = "applicable" if judgement in APPLICABLE else "not counted as applicable"
    code = "exit code 1" if judgement in FINDINGS else "no finding"
    yield from fact("counts as", f"{counted}, {code}")


def cause_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a cause, and the clause that it breaks in each protocol."""
    del catalogue
    yield f"cause {name}"
    yield from paragraph(f"The answer is exactly what follows where {CAUSES[name]}.")
    for protocol in PROTOCOLS:
        yield from fact(protocol, cause_clause(protocol, name))
