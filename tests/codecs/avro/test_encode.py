"""The layout of messages, which schemas are posted when, and where the changefeed stops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from harness.codecs.avro.codec import bind
from harness.errors import SchemaRefused, SourceStopped
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.wire.registry import Compatibility, MemoryRegistry
from tests.codecs.avro.rows import EXTENSION, ID, STRINGS, created, event, insert
from tests.source_tables import shop_table

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)"


@dataclass
class Posts:
    """A registry that remembers what was posted; it refuses the subjects that it was told to."""

    refused: frozenset[str] = frozenset()
    known: MemoryRegistry = field(default_factory=lambda: MemoryRegistry(Compatibility.NONE))
    subjects: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)

    def register(self, subject: str, schema: str) -> int:
        """Remember the post."""
        self.subjects.append(subject)
        if subject in self.refused:
            raise SchemaRefused("the registry answers 409")
        self.ids.append(self.known.register(subject, schema))
        return self.ids[-1]

    def schema(self, schema_id: int) -> str:
        """Return a schema's text."""
        return self.known.schema(schema_id)


def posted(rows: Iterable[RowEvent], dialect: str = "current") -> list[tuple[str, int]]:
    """Return the subjects and ids that encoding these rows posts, in order."""
    posts = Posts()
    list(bind({}, dialect, posts).encode(rows))
    return list(zip(posts.subjects, posts.ids, strict=True))


# Column, value -> the body of it in a value whose key is 1.
BODIES: Mapping[str, tuple[Column, object, str]] = {
    "int": (Column(2, "c", ColumnKind.INT), -1, "0201"),
    "null": (Column(2, "c", ColumnKind.INT), None, "00"),
    "not null": (Column(2, "c", ColumnKind.INT, nullable=False), 64, "8001"),
    "bigint": (Column(2, "c", ColumnKind.BIGINT, nullable=False), -(2**63), "ff" * 9 + "01"),
    "unsigned": (
        Column(2, "c", ColumnKind.BIGINT, nullable=False, unsigned=True),
        2**64 - 1,
        "01",
    ),
    "half of unsigned": (
        Column(2, "c", ColumnKind.BIGINT, nullable=False, unsigned=True),
        2**63,
        "ff" * 9 + "01",
    ),
    "float": (Column(2, "c", ColumnKind.FLOAT, nullable=False), 1.5, "0000c03f"),
    "double": (Column(2, "c", ColumnKind.DOUBLE), 1.5, "02000000000000f83f"),
    "bit zero": (Column(2, "c", ColumnKind.BIT, length=64), 0, "020200"),
    "bit": (Column(2, "c", ColumnKind.BIT, length=64), 256, "02040100"),
    "decimal": (Column(2, "c", ColumnKind.DECIMAL, length=5, scale=2), "-1.28", "020280"),
    "decimal zero": (Column(2, "c", ColumnKind.DECIMAL, length=5, scale=2), "0.00", "020200"),
    "decimal 128": (Column(2, "c", ColumnKind.DECIMAL, length=5, scale=2), "1.28", "02040080"),
    "text": (Column(2, "c", ColumnKind.TEXT), "ü", "0204c3bc"),
    "long text": (Column(2, "c", ColumnKind.TEXT), "a" * 10000, "02a09c01" + "61" * 10000),
    "set": (Column(2, "c", ColumnKind.SET, members=("a", "b", "c")), 5, "0206612c63"),
    "empty set": (Column(2, "c", ColumnKind.SET, members=("a",)), 0, "0200"),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    """Each value has the bytes that the vendor's encoder gives it."""
    column, value, body = BODIES[name]
    (record,) = bind({}, "current").encode([insert(shop_table(ID, column), 1, value)])
    assert record.key is not None
    assert record.value is not None
    assert record.key.hex() == "000000000102"
    assert record.value.hex() == "000000000202" + body


def test_records_name_their_schemas() -> None:
    """A record tells subject, text and id of what its bytes name; dots leave the topic's name."""
    (record,) = bind({}, "current").encode([insert(created(CREATE), 1, 2)])
    key, value = record.key_schema, record.value_schema
    assert key is not None
    assert value is not None
    assert (record.topic, key.subject, value.subject) == ("shop.t", "shop_t-key", "shop_t-value")
    assert (key.id, value.id) == (1, 2)
    (gone,) = bind({}, "current").encode([event(Op.DELETE, created(CREATE), (1, 2), None)])
    assert (gone.value, gone.value_schema) == (None, None)


def test_extension() -> None:
    """The extension's fields come last: the operation, the commit ts, its milliseconds."""
    row = replace(insert(created(CREATE), 1, 2), commit_ts=3 << 18)
    (record,) = bind(EXTENSION, "current").encode([row])
    assert record.value is not None
    assert record.value.hex() == "000000000202020402638080600" + "6"


ROW = insert(created(CREATE), 1, 2)
AGAIN = insert(created(CREATE, "ALTER TABLE t ADD INDEX iv (v)"), 1, 2)
WIDER = insert(created(CREATE, "ALTER TABLE t ADD COLUMN w INT"), 1, 2, 3)
KEY, VALUE = "shop_t-key", "shop_t-value"


def test_posts() -> None:
    """Each schema is posted at a version's first row that has it, and again after any DDL."""
    assert posted([ROW, ROW]) == [(KEY, 1), (VALUE, 2)]
    assert posted([ROW, AGAIN]) == [(KEY, 1), (VALUE, 2), (KEY, 1), (VALUE, 2)]
    assert posted([ROW, WIDER]) == [(KEY, 1), (VALUE, 2), (KEY, 1), (VALUE, 3)]
    assert posted([ROW, insert(created(CREATE), 1, 2)]) == [(KEY, 1), (VALUE, 2)]
    assert posted([event(Op.DELETE, ROW.table, ROW.after, None), ROW]) == [(KEY, 1), (VALUE, 2)]
    gone = event(Op.DELETE, AGAIN.table, AGAIN.after, None)
    assert posted([ROW, gone]) == [(KEY, 1), (VALUE, 2), (KEY, 1)]
    assert posted([ROW, gone, AGAIN]) == [(KEY, 1), (VALUE, 2), (KEY, 1), (VALUE, 2)]


def test_subjects_remember_one_table() -> None:
    """Two tables in one topic post again whenever they take turns."""
    other = replace(insert(shop_table(ID, name=TableId("shop", "u")), 1), topic=ROW.topic)
    assert posted([ROW, other, ROW]) == [
        (KEY, 1),
        (VALUE, 2),
        (KEY, 3),
        (VALUE, 3),
        (KEY, 1),
        (VALUE, 2),
    ]


def test_version_6_posts_the_value_first() -> None:
    """In version 6 the value was encoded before the key, and a table needs no key."""
    assert posted([ROW], "6") == [(VALUE, 1), (KEY, 2)]
    loose = insert(shop_table(ID, key=()), 1)
    (record,) = bind({"force-replicate": True}, "6").encode([loose])
    assert (record.key, record.key_schema) == (None, None)
    assert record.value is not None


def test_refusals() -> None:
    """A refused schema stops the changefeed; the next row tries again."""
    posts = Posts(frozenset({VALUE}))
    wire = bind({}, "current", posts)
    for _ in range(2):
        with pytest.raises(SourceStopped, match="409") as caught:
            list(wire.encode([ROW]))
        assert caught.value.code == "ErrAvroSchemaAPIError"
    assert posts.subjects == [KEY, VALUE, KEY, VALUE]


def test_invalid_enum() -> None:
    """ENUM's invalid value stops the changefeed after both schemas were posted."""
    table = created("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', 'b'))")
    posts = Posts()
    with pytest.raises(SourceStopped, match=r"number 0 overflow enum boundary \[1, 2\]") as caught:
        list(bind({}, "current", posts).encode([insert(table, 1, 0)]))
    assert caught.value.code == "ErrAvroEncodeFailed"
    assert posts.subjects == [KEY, VALUE]


def test_size() -> None:
    """Key, value and 36 bytes may be as many as max-message-bytes; releases differ in the error."""
    errors = {"current": "ErrMessageTooLarge", "6": "ErrKafkaAsyncSendMessage"}
    for dialect, error in errors.items():
        (record,) = bind({}, dialect).encode([ROW])
        size = len(record.key or b"") + len(record.value or b"") + 36
        assert list(bind({"max-message-bytes": size}, dialect).encode([ROW])) == [record]
        said = f"length:{size}, maxMessageBytes:{size - 1}"
        with pytest.raises(SourceStopped, match=said) as caught:
            list(bind({"max-message-bytes": size - 1}, dialect).encode([ROW]))
        assert caught.value.code == error


def test_many_different_values() -> None:
    """What is remembered is bounded, and what is not remembered is right all the same."""
    members = tuple(f"m{n}" for n in range(14))
    table = shop_table(ID, Column(2, "s", ColumnKind.SET, members=members))
    wire = bind(STRINGS, "current")
    numbers = range(0, 2**14, 3)
    records = list(wire.encode([insert(table, n, n) for n in numbers]))
    for number, record in zip(numbers, records, strict=True):
        (decoded,) = wire.decode(record.key, record.value)
        assert decoded.after == {"id": number, "s": number}


def test_an_upgrade_changes_a_float() -> None:
    """What 6 calls a double is a float from 7.0.0 on: refused under BACKWARD, not under NONE.

    Under FORWARD the old schema reads a float as the double that it says.
    """
    rows = [insert(shop_table(ID, Column(2, "c", ColumnKind.FLOAT)), 1, 1.5)]
    for level in (Compatibility.BACKWARD, Compatibility.FORWARD, Compatibility.NONE):
        registry = MemoryRegistry(level)
        list(bind({}, "6", registry).encode(rows))
        upgraded = bind({}, "current", registry)
        if level is not Compatibility.BACKWARD:
            assert list(upgraded.encode(rows))
        else:
            with pytest.raises(SourceStopped) as stopped:
                list(upgraded.encode(rows))
            assert stopped.value.code == "ErrAvroSchemaAPIError"
