"""One vocabulary: the words that the glossary retired come back in no name and no message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tree import hold, python_files, text_of, under

GLOSSARY = "docs/reference/glossary.md"
PACKAGES = ("harness", "cdc_spark")
# Where a retired word is the vendor's own: TiCDC's mounter decodes rows.
VENDORS_OWN = {"mounted": ("harness/sources/tidb", "harness/truth")}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def retired() -> dict[str, str]:
    """Return the retired words of the glossary, each with what to say in its place."""
    section = text_of(GLOSSARY).partition("## Retired words")[2]
    rows = re.findall(r"^\| (?!retired|---)([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    return {word.strip(): instead for words, instead in rows for word in words.split(",")}


def names(path: Path, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of each name that a module gives: its own, definitions, arguments."""
    yield 1, path.stem
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of what a person reads: the texts of errors and of command options."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        if not called.endswith(("Error", "Problem", "Finding", "option", "command", "argument")):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def breaches(path: Path, tree: ast.AST, words: dict[str, str]) -> Iterator[str]:
    """Yield a line for each retired word in a module's names and messages."""
    here = {
        word: instead
        for word, instead in words.items()
        if not path.as_posix().startswith(VENDORS_OWN.get(word, ()))
    }
    for line, text in (*names(path, tree), *messages(tree)):
        spoken = f" {' '.join(WORD.findall(text)).lower()} "
        for word, instead in here.items():
            if f" {word} " in spoken or f" {word}s " in spoken:
                yield f"{path}:{line}: `{text[:60]}`: say {instead}"


def test_retired_words_stay_away() -> None:
    """No name and no message of the packages has a word that the glossary retired."""
    words = retired()
    hold(
        breach
        for path, _, tree in python_files()
        if path.parts[0] in PACKAGES and "scaffolds" not in path.parts
        for breach in breaches(path, tree, words)
    )


# Error -> how many arguments it takes before what was expected.
ERRORS = {
    **dict.fromkeys(("UsageError", "SetupError", "StepError", "GrowthError", "LostTablesError"), 1),
    **dict.fromkeys(("ForeignTablesError", "StateFormatError", "RegistryAwayError"), 1),
    **dict.fromkeys(("Problem", "ServiceLost"), 2),
}
# Nobody hears it: the error of another start wins.
UNHEARD = ("the run was given up",)


def bare(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of each error that says neither what was expected nor what to do."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        said = {keyword.arg for keyword in node.keywords} & {"expected", "hint", None}
        said |= {None for part in node.args if isinstance(part, ast.Starred)}
        text, before = ast.unparse(node), ERRORS.get(node.func.id)
        heard = not any(words in text for words in UNHEARD)
        if before is not None and heard and not said and len(node.args) <= before:
            yield node.lineno, text


def test_every_error_says_what_to_do() -> None:
    """An error of the user's or the machine's making says what was expected, or the next step."""
    hold(
        f"{path}:{line}: neither `expected` nor `hint`: {text[:100]}"
        for path, _, tree in python_files()
        if path.parts[0] in PACKAGES
        for line, text in bare(tree)
    )


@pytest.mark.parametrize("source", ['UsageError("no")', 'Problem(place, "no")'])
def test_a_bare_error_is_seen(source: str) -> None:
    """What the rule is about is noticed, and leaves no doubt when it is mended."""
    assert list(bare(ast.parse(source)))
    assert not list(bare(ast.parse(source.replace('"no"', '"no", hint="go"'))))


def test_titles_of_scenarios_are_in_the_fields_words() -> None:
    """No title has a retired word, or calls a resolved event a mark: reports print titles."""
    words = {**retired(), "mark": "resolved event", "tell": "send", "tells": "sends"}
    hold(
        f"{path}: `{title[1]}`: say {instead}"
        for path in under("scenarios", ".yaml")
        if (title := re.search(r"^title: (.+)$", text_of(path), re.MULTILINE))
        for word, instead in words.items()
        if re.search(rf"\b{word}s?\b", title[1], re.IGNORECASE)
        and "exclamation mark" not in title[1]
    )


@pytest.mark.parametrize(
    "source",
    [
        "told = 1",
        "def tell_told(): ...",
        "class EnactTable: ...",
        "raise UsageError('the river')",
        "raise UsageError('two resolved marks')",
        "_mounted = 1",
    ],
)
def test_a_retired_word_is_seen(source: str) -> None:
    """A variable, a function, a class and a message with such a word are each reported."""
    assert list(breaches(Path("harness/sample.py"), ast.parse(source), retired()))


def test_no_word_is_both_used_and_retired() -> None:
    """No word that the glossary defines is retired as well."""
    defined, _, _ = text_of(GLOSSARY).partition("## Retired words")
    used = {
        word.strip().removesuffix(" (verb)").removesuffix(" (noun)")
        for words in re.findall(r"^\| ([^|]+) \|", defined, re.MULTILINE)
        for word in words.split(",")
    }
    assert not used & retired().keys()
