"""A type is a schema, a reader and a page at once, and none of the three disagrees."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import UNSET, Meta, UnsetType

from harness.documents.typed import checked, read_yaml, schema, validator
from harness.documents.yaml_file import YamlFile, read
from harness.errors import ScenarioError


class Size(StrEnum):
    """A size."""

    SMALL = "small"
    LARGE = "large"


class Cup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A cup."""

    name: Annotated[str, Meta(title="a short name", max_length=5)]
    litres_held: Annotated[float, Meta(title="a number of litres", gt=0)] = 0.2


class Shelf(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A shelf of cups."""

    shelf: Annotated[Literal[1], Meta(title="the version")]
    size: Annotated[Size, Meta(title="a size")] = Size.SMALL
    cups: Annotated[tuple[Cup, ...], Meta(title="a list of cups")] = ()
    height: Annotated[int, Meta(title="a height", ge=0)] | None = None
    best: Annotated[Cup, Meta(title="the best cup")] | UnsetType = UNSET


class Line(msgspec.Struct, frozen=True):
    """A line that may have other keys."""

    height: Annotated[int, Meta(title="a height", ge=0)] | None = None


# Kind of error -> a document with it, and what a person reads; scenario files break all others.
SPOKEN_ELSEWHERE = {
    "MaxLength": (
        "shelf: 1\ncups: [{name: mugmug}]",
        "f.yaml:2:15: `cups[0].name` is the text `mugmug`\n    expected: a short name",
    ),
    "ExclusiveMinimum": (
        "shelf: 1\nbest: {name: mug, litres-held: 0}",
        "f.yaml:2:32: `best.litres-held` is the number 0\n    expected: a number of litres",
    ),
}


@pytest.mark.parametrize("kind", SPOKEN_ELSEWHERE)
def test_what_no_scenario_breaks_has_a_sentence_too(kind: str) -> None:
    """Each keyword that only other documents use is explained with place and expectation."""
    text, said = SPOKEN_ELSEWHERE[kind]
    file = read(text, "f.yaml")
    (error,) = validator(Shelf).iter_errors(file.data)
    assert type(error.kind).__name__ == kind
    with pytest.raises(ScenarioError) as caught:
        checked(file, Shelf)
    assert str(caught.value) == said


def test_a_schema_holds_no_reference() -> None:
    """Nested types stand where they are used, with the title that they have there."""
    properties = schema(Shelf)["properties"]
    assert properties["best"]["title"] == "the best cup"
    assert properties["best"]["required"] == ["name"]
    assert properties["size"]["enum"] == ["large", "small"]
    assert "$ref" not in str(schema(Shelf))


def test_what_is_absent_is_not_null() -> None:
    """A key that may be absent is refused as null where a document takes no unknown keys."""
    assert schema(Shelf)["properties"]["height"]["type"] == "integer"
    assert schema(Line)["properties"]["height"]["type"] == ["integer", "null"]


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    """A file with three mistakes has three problems, each at its own place."""
    path = tmp_path / "shelf.yaml"
    path.write_text("shelf: 2\nsize: smal\ncups: [{nam: mug}]\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_yaml(path, "shelf.yaml", Shelf)
    assert [str(each.location) for each in caught.value.problems] == [
        "shelf.yaml:1:8",
        "shelf.yaml:2:7",
        "shelf.yaml:3:9",
    ]
    assert "did you mean `small`?" in str(caught.value)
    assert "did you mean `name`?" in str(caught.value)


def test_a_sound_file_becomes_a_value() -> None:
    """Exact decimals become the numbers that fields declare; what is absent has its default."""
    found = checked(read("shelf: 1\ncups: [{name: mug, litres-held: 0.5}]", "f.yaml"), Shelf)
    assert found == Shelf(1, cups=(Cup("mug", 0.5),))


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What cups cost."""

    prices: Annotated[dict[str, int], Meta(title="prices by name")]


@pytest.mark.parametrize("name", ["5", "05", "+5", "-1", "1.5", "shop"])
def test_a_name_of_digits_is_a_name(name: str) -> None:
    """The validator gives a key `5` as a number; the problem stands at the key all the same."""
    with pytest.raises(ScenarioError) as caught:
        checked(read(f"prices:\n  first: 1\n  '{name}': dear", "f.yaml"), Prices)
    (problem,) = caught.value.problems
    assert (problem.location.line, f"`prices.{name}`" in problem.what) == (3, True)


def test_what_only_the_type_refuses_has_its_place_too() -> None:
    """JSON Schema takes 5.0 for a whole number and the type does not: a problem, not a crash."""
    with pytest.raises(ScenarioError) as caught:
        checked(read("shelf: 1\nheight: 5.0", "f.yaml"), Shelf)
    (problem,) = caught.value.problems
    assert str(problem.location) == "f.yaml:2:9"
    assert "int" in problem.what


def test_data_of_no_text_is_named_as_a_whole() -> None:
    """What options say has no line; the message names where it came from."""
    with pytest.raises(ScenarioError, match=r"^the options: `shelf` is the number 2"):
        checked(YamlFile("the options", "", None, {"shelf": 2}), Shelf)
