"""Whatever comes in is read, or refused with a reason; nothing is ever raised besides."""

from __future__ import annotations

import pytest

from harness.ddl import DdlError, parse
from harness.ddl.sql.tree import DEEPEST
from harness.ddl.statements import parse_expression
from harness.runner.commands import Whereabouts, executable
from harness.sources.tidb.regexes import PATTERN_MAX, RegexError, go_regex
from tests.bounded.mutate import PIECES
from tests.bounded.readers import READERS, ROOT, Reader
from tests.bounded.trial import RIGHT, trial

EDITED = 60


@pytest.mark.parametrize("name", READERS)
def test_a_right_input_is_read(name: str) -> None:
    """Inputs are spoiled from what the reader takes, or the trial would stay at its door."""
    seeds = READERS[name].seeds()
    assert seeds
    for seed in seeds[:RIGHT]:
        READERS[name].read(seed)


@pytest.mark.parametrize("name", READERS)
def test_spoiled_inputs_are_settled(name: str) -> None:
    """Deep, long, huge, torn and garbled inputs are read or refused."""
    result = trial(name, READERS[name], EDITED, seed=1)
    assert result.tried > EDITED + len(PIECES)
    assert not result.defects, result.defects.keys()


def test_a_careless_reader_is_a_defect() -> None:
    """The trial tells refusals from other exceptions."""
    careless = Reader(lambda: [b"1"], lambda content: int(content[:10]))
    assert any("ValueError" in place for place in trial("careless", careless, EDITED, 1).defects)


# What may stand between two operands: a chain of them nests to the left.
BETWEEN = ("+", "-", "*", "/", " DIV ", "^", "|", "<<", "=", "<=>", " OR ", " XOR ", " AND ", "||")
DEEP = (
    *("(" * 900 + "1" + ")" * 900, "-" * 20_000, "NOT " * 20_000, "CASE WHEN " * 900),
    *("1" + f"{operator}1" * 5_000 for operator in BETWEEN),
    "a" + " IS NULL" * 5_000,
    "a" + " COLLATE utf8mb4_bin" * 5_000,
)


@pytest.mark.parametrize("text", DEEP, ids=lambda text: text[:4])
def test_sql_that_nests_too_deeply_has_a_place(text: str) -> None:
    """A text that no recursive reading can follow is refused where it was left."""
    for read in (parse_expression, lambda text: parse(f"CREATE TABLE t (a INT DEFAULT ({text}))")):
        with pytest.raises(DdlError, match="line 1, column"):
            read(text)


@pytest.mark.parametrize("operator", BETWEEN)
def test_what_is_read_can_be_walked(operator: str) -> None:
    """A chain as long as is read can be compared, hashed, written back and read again."""
    text = "1" + f"{operator}1" * DEEPEST
    read = parse_expression(text)
    assert hash(read) == hash(parse_expression(f" {text}"))
    assert parse_expression(read.restore()) == read
    with pytest.raises(DdlError, match="nests too deeply"):
        parse_expression(f"{text}{operator}1")


def test_a_number_without_end_is_refused_at_once() -> None:
    """Digits are looked at once each, and no more of them than any column holds."""
    for text in ("1" * 200_000, "1." + "0" * 200_000, "1" * 200_000 + "e5"):
        with pytest.raises(DdlError, match="a number of 200"):
            parse_expression(text)
    assert parse_expression("1" * 400)


def test_a_pattern_longer_than_is_compiled() -> None:
    """RE2's time grows with the square of the nesting, so length is bounded."""
    with pytest.raises(RegexError, match="characters"):
        go_regex("(a*" * 2000 + ")" * 2000)
    with pytest.raises(RegexError, match="surrogate"):
        go_regex("\udcff")
    assert go_regex("a" * PATTERN_MAX).found_in("a" * PATTERN_MAX)


def test_a_command_with_a_name_of_any_length() -> None:
    """What a file system cannot name is not there."""
    with pytest.raises(Exception, match="does not exist") as refusal:
        executable("./" + "x" * 5000, Whereabouts(ROOT, {}))
    assert type(refusal.value).__module__ == "harness.errors"
