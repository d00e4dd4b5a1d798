"""A file of Kafka client properties: `name=value` lines under librdkafka's own names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.errors import Location, Problem, ScenarioError, UsageError

COMMENTS = ("#", "!", "//")


def read_properties(path: Path) -> Mapping[str, str]:
    """Return the properties of a file; errors name file and line, never a value.

    Raises UsageError for a file that cannot be read, ScenarioError for a line that is no property.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", expected="a text file of Kafka client properties"
        ) from error
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith(COMMENTS):
            continue
        name, equals, value = bare.partition("=")
        name = name.strip()
        where = Location(str(path), number, 1)
        if not equals or not name or " " in name:
            problems.append(Problem(where, "this is not a property", "name=value, or # a comment"))
        elif name in found:
            problems.append(Problem(where, f"{name} is set twice", "each property once"))
        found[name] = value.strip()
    if problems:
        raise ScenarioError(tuple(problems))
    return found
