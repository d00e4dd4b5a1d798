"""Clause files are read as written, and a mistake in one is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.model.standing import Standing
from harness.spec import Level, Source, load_clauses

PAGE = """\
document = "Rows in JSON"
section = "Order"
url = "https://example.org/rows#order"
"""
TREE = 'document = "rows 1.0"\nurl = "https://example.org/rows/blob/1.0"\n'
ONE = '\n[[clause]]\nid = "seq.order"\nlevel = "MUST"\ntext = "Numbers rise."\n'


def refusal(directory: Path, text: str) -> str:
    """Return the error for a file `01-order.toml` of that text, without its directory."""
    (directory / "01-order.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_clauses(directory)
    return str(caught.value).removeprefix(f"{directory}/")


def test_a_section_of_a_page(tmp_path: Path) -> None:
    """A clause has the section's address unless it has its own; lines of text are folded."""
    (tmp_path / "01-order.toml").write_text(
        f'{PAGE}{ONE}\n[[clause]]\nid = "seq.gap"\nlevel = "MAY"\ntext = """\nNumbers\n  may jump.'
        '"""\nversions = "from 2"\nurl = "https://example.org/rows#gaps"\n'
        'program = "https://example.org/rows/w.go"\n'
        'no_scenario = "It is rare."\nproved_by = "tests/x.py::y"\n'
    )
    order, gap = load_clauses(tmp_path).values()
    assert (order.id, order.protocol, order.level) == ("seq.order", "seq", Level.MUST)
    assert order.source == Source("Rows in JSON", "Order", "https://example.org/rows#order")
    assert (order.versions, order.proof, order.written.line) == ("newest", None, 6)
    assert (gap.text, gap.versions) == ("Numbers may jump.", "from 2")
    assert gap.source.url == "https://example.org/rows#gaps"
    assert (order.standing, gap.standing) == (Standing.DOCUMENT, Standing.PROGRAM)
    assert gap.source.program == "https://example.org/rows/w.go"
    assert gap.proof is not None
    assert (gap.proof.why, gap.proof.test) == ("It is rare.", "tests/x.py::y")


def test_a_file_of_a_source_tree(tmp_path: Path) -> None:
    """A clause of a source tree names its file, and the line if it likes."""
    second = ONE.replace("seq.order", "seq.start")
    (tmp_path / "code.toml").write_text(f'{TREE}{ONE}file = "w.go:7"\n{second}file = "r.go"\n')
    order, start = load_clauses(tmp_path).values()
    base = "https://example.org/rows/blob/1.0"
    there = f"{base}/w.go#L7"
    assert order.source == Source("rows 1.0", "w.go:7", there, there)
    assert start.source == Source("rows 1.0", "r.go", f"{base}/r.go", f"{base}/r.go")
    assert order.standing is Standing.PROGRAM


def test_files_are_read_in_order_of_their_names(tmp_path: Path) -> None:
    """Directories stand in the order given, files in that of their names; others are no clauses."""
    for name in ("b/1", "a/2", "a/1"):
        file = tmp_path / f"{name}.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(PAGE + ONE.replace("order", name.replace("/", "")))
    (tmp_path / "a" / "README.md").write_text("No clause.")
    assert list(load_clauses(tmp_path / "b", tmp_path / "a")) == ["seq.b1", "seq.a1", "seq.a2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "document = ?",
            "01-order.toml: Invalid value (at line 1, column 12)\n    expected: TOML 1.0",
        ),
        (PAGE, "01-order.toml: the file: it has no `[[clause]]`"),
        (f"{PAGE}clause = [1]\n", "01-order.toml: the file: it has no `[[clause]]`"),
        (ONE, "01-order.toml: the file: `document` is missing"),
        (
            f'page = "1"\n{PAGE}{ONE}',
            (
                "01-order.toml: the file: unknown key `page`\n"
                "    expected: document, url, section, versions"
            ),
        ),
        (
            PAGE + ONE.replace('id = "seq.order"\n', ""),
            "01-order.toml: clause `number 1`: `id` is missing",
        ),
        (
            PAGE + ONE.replace("text", "txt"),
            "01-order.toml:6: clause `seq.order`: `text` is missing",
        ),
        (
            PAGE + ONE.replace('"Numbers rise."', "7"),
            "01-order.toml:6: clause `seq.order`: `text` is not a text: 7",
        ),
        (
            PAGE + ONE.replace("MUST", "must"),
            (
                "01-order.toml:6: clause `seq.order`: unknown level `must`\n"
                "    expected: MUST, SHOULD, MAY"
            ),
        ),
        (
            f'{PAGE}{ONE}file = "w.go"\n',
            (
                "01-order.toml:6: clause `seq.order`: unknown key `file`\n"
                "    expected: id, level, text, versions, url, program, no_scenario, no_mutant, "
                "proved_by"
            ),
        ),
        (TREE + ONE, "01-order.toml:5: clause `seq.order`: `file` is missing"),
        (
            f'{PAGE}{ONE}proved_by = "tests/x.py"\n',
            (
                "01-order.toml:6: clause `seq.order`: `proved_by` needs the reason, `no_scenario` "
                "or `no_mutant`"
            ),
        ),
        (
            f'{PAGE}{ONE}no_mutant = "It is rare."\n',
            (
                "01-order.toml:6: clause `seq.order`: `no_mutant` needs `proved_by`, a test that "
                "sees it broken"
            ),
        ),
        (
            f'{PAGE}{ONE}no_mutant = "It is."\nno_scenario = "It is."\nproved_by = "x.py"\n',
            (
                "01-order.toml:6: clause `seq.order`: `no_scenario` says already that there is no "
                "mutant"
            ),
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    """The message has the file, the line where the clause begins, its id, and what is wrong."""
    assert refusal(tmp_path, text) == message


def test_an_id_is_given_once(tmp_path: Path) -> None:
    """The second clause of an id is refused, with the place of the first."""
    message = refusal(tmp_path, PAGE + ONE + ONE)
    assert message.startswith("01-order.toml:")
    assert "clause `seq.order`: its id is that of " in message
