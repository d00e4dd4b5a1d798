"""Sequences, placement policies and resource groups: TiCDC replicates none of them.

Source: TiDB pkg/parser/parser.y, `CreateSequenceStmt`, `CreatePolicyStmt`,
`CreateResourceGroupStmt`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from harness.ddl.change import Change, StatementForms
from harness.ddl.definitions.options import TableOption, parse_table_options, restore_options
from harness.ddl.errors import table_exists, unknown_table
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.tree import TableRef
from harness.model.table import Table, TableId

_ACTIONS = {
    "CREATE": ActionType.CREATE_SEQUENCE,
    "ALTER": ActionType.ALTER_SEQUENCE,
    "DROP": ActionType.DROP_SEQUENCE,
}


@dataclass(frozen=True, slots=True)
class SequenceStatement:
    """CREATE, ALTER or DROP SEQUENCE; `verb` says which, `options` are written back as they are."""

    verb: str
    sequences: tuple[TableRef, ...]
    options: tuple[str, ...] = ()
    table_options: tuple[TableOption, ...] = ()
    guarded: bool = False

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        guard = "IF NOT EXISTS " if self.verb == "CREATE" else "IF EXISTS "
        names = ", ".join(sequence.restore() for sequence in self.sequences)
        options = "".join(f" {option}" for option in self.options)
        start = f"{self.verb} SEQUENCE {guard if self.guarded else ''}{names}"
        return start + options + restore_options(self.table_options)

    def apply(self, change: Change) -> None:
        """Add, change or remove each sequence, which is a table without columns."""
        for ref in self.sequences:
            table_id = change.resolve(ref)
            before = change.find(table_id)
            exists = before is not None and (self.verb == "CREATE" or before.is_sequence)
            if exists == (self.verb == "CREATE"):
                if self.guarded:
                    continue
                if exists:
                    raise table_exists(ref.at, ref.name)
                raise unknown_table(ref.at, table_id.schema, table_id.name)
            after: Table | None = None
            if self.verb == "DROP":
                change.remove(table_id)
            else:
                after = change.with_new_ids(Table(table_id, (), is_sequence=True))
                change.put(after)
            action = _ACTIONS[self.verb]
            change.add_job(action, table_id, self.restore(), before=before, after=after)


def _create(cursor: Cursor) -> SequenceStatement:
    cursor.next()
    guarded = cursor.if_not_exists()
    name = cursor.table("a sequence")
    options = _options(cursor)
    return SequenceStatement("CREATE", (name,), options, parse_table_options(cursor), guarded)


def _alter(cursor: Cursor) -> SequenceStatement:
    cursor.next()
    guarded = cursor.if_exists()
    sequence = cursor.table("a sequence")
    changes = _options(cursor)
    if not changes:
        raise cursor.fail("what to alter, such as INCREMENT BY 2")
    return SequenceStatement("ALTER", (sequence,), changes, (), guarded)


def _drop(cursor: Cursor) -> SequenceStatement:
    cursor.next()
    guarded = cursor.if_exists()
    names = cursor.list(lambda: cursor.table("a sequence"))
    return SequenceStatement("DROP", names, guarded=guarded)


# The words of an option as TiDB writes them back.
_RESTORED = (
    {"INCREMENT": "INCREMENT BY", "START": "START WITH"}
    | {
        text.replace(" ", ""): text
        for text in (
            "MINVALUE",
            "MAXVALUE",
            "CACHE",
            "CYCLE",
            "NO MINVALUE",
            "NO MAXVALUE",
            "NOCACHE",
        )
    }
    | {"NOCYCLE": "NOCYCLE", "RESTART": "RESTART"}
)


def _options(cursor: Cursor) -> tuple[str, ...]:
    options: list[str] = []
    while word := cursor.take_any("NO", *_RESTORED):
        if word == "NO":
            word += cursor.expect_any("MINVALUE", "MAXVALUE", "CACHE", "CYCLE")
        options.append(_RESTORED[word] + _value(cursor, word))
    return tuple(options)


def _value(cursor: Cursor, word: str) -> str:
    if word.startswith("NO") or word == "CYCLE":
        return ""
    introduced = cursor.take_any("BY", "WITH", "=")
    sign = cursor.take_any("-", "+")
    bare = not introduced and not sign and cursor.token.kind is not TokenKind.INTEGER
    if word == "RESTART" and bare:
        return ""
    value = f"{'-' if sign == '-' else ''}{cursor.number(f'the value of {word}')}"
    return f" WITH {value}" if word == "RESTART" else f" {value}"


_OBJECTS = {"PLACEMENT": "POLICY", "RESOURCE": "GROUP"}


@dataclass(frozen=True, slots=True)
class PolicyStatement:
    """A statement about a placement policy or resource group."""

    action: ActionType
    name: str

    def restore(self) -> str:
        """Return nothing: the statement is never sent."""
        return ""

    def apply(self, change: Change) -> None:
        """Make the job, which changes nothing that a stream shows."""
        change.add_job(self.action, TableId("", ""), "")


def _policy(verb: str, cursor: Cursor) -> PolicyStatement:
    word = cursor.next().upper
    cursor.expect(_OBJECTS[word])
    if not cursor.if_exists():
        cursor.if_not_exists()
    name = cursor.name("a policy")
    while cursor.token.kind is not TokenKind.END and not cursor.sees(";"):
        cursor.next()
    return PolicyStatement(ActionType[f"{verb}_{word}_{_OBJECTS[word]}"], name)


FORMS: StatementForms = {
    ("CREATE", "SEQUENCE"): _create,
    ("ALTER", "SEQUENCE"): _alter,
    ("DROP", "SEQUENCE"): _drop,
    **{(verb, word): partial(_policy, verb) for verb in _ACTIONS for word in _OBJECTS},
}
