"""One YAML file as plain data in which every part still knows its line and column.

Nothing in a file can hurt the reader. Its size, depth and expansion are bounded, tags make no
objects, and what is ambiguous (a key twice, a key that is not text, a second document) is refused.
All such problems of a file are reported at once; only a syntax error hides what comes behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yaml import CBaseLoader, MappingNode, MarkedYAMLError, Node, ScalarNode, SequenceNode

from harness.documents.scalars import plain
from harness.errors import Location, Problem, ScenarioError

BYTES_MAX = 1 << 20
NODES_MAX = 100_000
DEPTH_MAX = 64
YAML = "YAML 1.2, in one document"
PLAIN, QUOTED, COLLECTION = "plain", "quoted", "collection"
Path = tuple[str | int, ...]

# YAML 1.2.2, production 1, c-printable.
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# What libyaml says -> what to do about it.
_SYNTAX_HINTS = {
    "mapping values are not allowed": "put quotes around a text that contains a colon and a space",
    "cannot start any token": "put quotes around a text that starts with @, ` or %",
    "undefined alias": "put quotes around a text that starts with *",
    "unknown escape": "in double quotes write \\\\ for a backslash, or use single quotes",
    "another document": "one file holds one scenario; remove the line ---",
    "second occurrence": "give each anchor a name of its own",
    "scanning an alias": "put quotes around a text that starts with *",
    "expected key": "align the keys of one mapping in one column, and close all quotes above",
    "expected '-' indicator": "align the dashes of one list in one column",
    "unexpected end of stream": "close the quotes",
    "expected ','": "close the bracket, or put a comma between the items",
}


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A parsed file: `data` is what it says, `root` and `text` where it says it.

    Without a `root` the data is of no text, such as options, and places are the `file` alone.
    """

    file: str
    text: str
    root: Node | None
    data: Any

    def node(self, path: Path) -> Node | None:
        """Return the node at a path of keys and indexes; the nearest parent when there is none."""
        node = self.root
        for part in path:
            step = _child(node, part)
            if step is None:
                return node
            node = step[1]
        return node

    def value(self, path: Path) -> Any:  # noqa: ANN401 - whatever the file says
        """Return the data at a path that exists."""
        data = self.data
        for part in path:
            data = data[part]
        return data

    def place(self, path: Path) -> Location:
        """Return where the value at `path` begins."""
        return _location(self.file, self.node(path))

    def place_of_key(self, path: Path) -> Location:
        """Return where the key that ends `path` begins (the item, when it ends in an index)."""
        step = _child(self.node(path[:-1]), path[-1])
        return self.place(path[:-1]) if step is None else _location(self.file, step[0])


def read(text: str, file: str) -> YamlFile:
    """Parse the text of one scenario file; raise ScenarioError with every problem found."""
    root = _compose(text, file)
    if root is None:
        raise ScenarioError((Problem(Location(file, 1, 1), "the file is empty", "a scenario"),))
    reader = _Construction(file)
    data = reader.value(root)
    if reader.problems:
        raise ScenarioError(tuple(reader.problems))
    return YamlFile(file, text, root, data)


def _child(node: Node | None, part: str | int) -> tuple[Node, Node] | None:
    """Return the key's and the value's node of one step down, or None."""
    if isinstance(node, MappingNode):
        return next((pair for pair in node.value if pair[0].value == part), None)
    if isinstance(part, int) and isinstance(node, SequenceNode) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _location(file: str, node: Node | None) -> Location:
    if node is None:
        return Location(file)
    return Location(file, node.start_mark.line + 1, node.start_mark.column + 1)


class _Composer(CBaseLoader):
    """libyaml's parser, which guesses no types and stops before its recursion can hurt."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def resolve(self, kind: type[Node], value: str | None, implicit: tuple[bool, bool]) -> str:
        """Tell apart what has no tag; a tag that the file wrote never passes here."""
        del value
        if kind is not ScalarNode:
            return COLLECTION
        return PLAIN if implicit[0] else QUOTED

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:
        """Go one level down; libyaml itself would recurse until the process dies."""
        del current_index
        self.depth += 1
        if self.depth > DEPTH_MAX:
            mark = None if current_node is None else current_node.start_mark
            raise MarkedYAMLError(problem=f"nested more than {DEPTH_MAX} deep", problem_mark=mark)

    def ascend_resolver(self) -> None:
        """Go one level up."""
        self.depth -= 1


def _compose(text: str, file: str) -> Node | None:
    strange = _NOT_YAML.search(text)
    if strange:
        raise ScenarioError((_character_problem(text, strange.start(), file),))
    try:
        node: Node | None = _Composer(text).get_single_node()
    except MarkedYAMLError as error:
        raise ScenarioError((_syntax_problem(error, text, file),)) from None
    return node


def _syntax_problem(error: MarkedYAMLError, text: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem(Location(file, 1, 1), f"not YAML: {error}", YAML)
    place = Location(file, mark.line + 1, mark.column + 1)
    said = ": ".join(part for part in (error.context, error.problem) if part)
    hint = next((hint for words, hint in _SYNTAX_HINTS.items() if words in said), "")
    if text.startswith("\t", mark.index):
        hint = "indent with spaces; YAML allows no tabs there"
    return Problem(place, f"not YAML: {said}", YAML, hint)


def _character_problem(text: str, position: int, file: str) -> Problem:
    before = text[:position]
    place = Location(file, before.count("\n") + 1, position - before.rfind("\n"))
    what = f"not YAML: the character U+{ord(text[position]):04X} is not allowed"
    return Problem(place, what, YAML, 'in double quotes write it as "\\x.." or "\\u...."')


class _Construction:
    """Turns nodes into data, collecting problems; aliases are expanded, within bounds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.nodes = 0
        self.open: set[int] = set()

    def value(self, node: Node) -> object:
        """Return the data of a node; None where there is a problem."""
        self.nodes += 1
        if self.nodes > NODES_MAX:
            raise ScenarioError((*self.problems, self._too_large(node)))
        if node.tag not in (PLAIN, QUOTED, COLLECTION):
            self._refuse(node, f"the tag {_tag(node.tag)} is not allowed", "values without tags")
            return None
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if id(node) in self.open:
            self._refuse(node, "an alias within its own anchor has no end", "data that ends")
            return None
        self.open.add(id(node))
        if isinstance(node, MappingNode):
            data: object = self._mapping(node.value)
        else:
            data = [self.value(item) for item in node.value]
        self.open.discard(id(node))
        return data

    def _scalar(self, node: ScalarNode) -> object:
        if node.tag == QUOTED:
            return node.value
        try:
            return plain(node.value)
        except ValueError as error:
            expected = "a number that is finite, of a size that a column holds"
            self._refuse(node, str(error), expected, "put it in quotes when text is meant")
            return None

    def _mapping(self, pairs: Sequence[tuple[Node, Node]]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        seen: dict[str, Node] = {}
        for key_node, value_node in pairs:
            key = self._key(key_node)
            if key in seen:
                first = _location(self.file, seen[key])
                what = f"the key `{key}` is here twice; the first is on line {first.line}"
                self._refuse(key_node, what, "each key once")
            elif key is not None:
                seen[key] = key_node
                data[key] = self.value(value_node)
        return data

    def _key(self, node: Node) -> str | None:
        value = self.value(node) if isinstance(node, ScalarNode) else None
        if isinstance(value, str):
            return value
        if node.tag in (PLAIN, QUOTED, COLLECTION):
            shown = f"`{node.value}`" if isinstance(node, ScalarNode) else "a list or mapping"
            self._refuse(node, f"{shown} as a key is not text", "text", "put the key in quotes")
        return None

    def _refuse(self, node: Node, what: str, expected: str = "", hint: str = "") -> None:
        self.problems.append(Problem(_location(self.file, node), what, expected, hint))

    def _too_large(self, node: Node) -> Problem:
        what = f"the file has more than {NODES_MAX} values, aliases expanded"
        return Problem(
            _location(self.file, node), what, "fewer values", "make several scenarios of it"
        )


def _tag(tag: str) -> str:
    return "!!" + tag.removeprefix("tag:yaml.org,2002:") if tag.startswith("tag:") else tag
