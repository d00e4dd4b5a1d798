"""Promises of answers that are folded in buckets: the same as whole, or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.apply.fold import Change
from cdc_spark.conformance import bucket_results
from cdc_spark.conformance.result_writer import ResultRequest, write
from cdc_spark.events import Event, Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from tests.cdc_spark.messages import Frame, column, ddl, gone, key, loose, message, put, row

BUCKETS = 3
CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
ALTER = "ALTER TABLE `test`.`t` "
# Statements that leave every row where it is.
HARMLESS = [
    (CREATE, 3),
    (f"{ALTER}ADD COLUMN `n` INT DEFAULT 5", 5),
    (f"{ALTER}DROP COLUMN `n`", 6),
    (f"{ALTER}MODIFY COLUMN `v` VARCHAR(20)", 12),
    ("TRUNCATE TABLE `test`.`t`", 11),
    ("DROP TABLE `test`.`t`", 4),
    (f"{ALTER}ADD INDEX (`v`)", 7),
]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.integers(1, 6), st.sampled_from(["a", "b", None])),
        st.integers(1, 6),
        st.sampled_from(HARMLESS),
    ),
    max_size=25,
)


def frames_of(steps: Sequence[object]) -> list[Frame]:
    """Return frames of these steps: a row that is there, one that goes, a statement."""
    found: list[Frame] = []
    for ts, step in enumerate(steps, start=1):
        match step:
            case (str(query), int(action)):
                found.append(ddl(ts, query, action))
            case (int(number), text):
                found.append(put(ts, number, str(text) if text else None))
            case number:
                found.append(gone(ts, int(str(number))))
    return found


def change(event: Event, offset: int) -> Change:
    """Return an event as a change that takes effect."""
    return Change(event.kind, event.ts, event.schema, event.table, event.payload, "x", 0, offset)


def answers(
    frames: Sequence[Frame], place: Path, *, forced: bool = False
) -> tuple[dict[str, list[str]], dict[str, list[str]] | None]:
    """Return the answer of the whole, and that of the buckets, None where they do not agree."""
    events = [one for frame in frames for one in decode(DIALECTS["current"], *message(frame))]
    write(ResultRequest(place / "whole", [], events=False), map(change, events, range(999)))
    request = ResultRequest(place / "apart", [], events=False)
    outcomes = {
        bucket: bucket_results.write_part(
            request,
            bucket,
            [
                change(event, at)
                for at, event in enumerate(events)
                if event.kind is Kind.DDL or bucket_of(event) == bucket
            ],
        )
        for bucket in range(BUCKETS)
    }
    if not forced and not bucket_results.agree(list(outcomes.values())):
        return files(place / "whole"), None
    bucket_results.join(place / "apart", outcomes)
    return files(place / "whole"), files(place / "apart")


def bucket_of(event: Event) -> int:
    """Return the bucket of a row: by its key, or its content without one."""
    return crc32((event.identity or event.payload).encode()) % BUCKETS


def files(directory: Path) -> dict[str, list[str]]:
    """Return the lines of all files; the rows of a table have no order."""
    return {
        str(path.relative_to(directory)): sorted(path.read_text().splitlines())
        for path in directory.rglob("*")
        if path.is_file()
    }


@given(STEPS)
def test_parts_are_the_whole(steps: list[object]) -> None:
    """Rows of one key come and go, columns too, tables are emptied and dropped."""
    with tempfile.TemporaryDirectory() as place:
        whole, apart = answers([ddl(0, CREATE, 3), *frames_of(steps)], Path(place))
    if whole["status.json"] == ['{"status":"done"}']:
        assert apart == whole
    else:
        assert apart is None


CASES: dict[str, list[Frame]] = {
    "a table gets another name": [
        ddl(1, CREATE, 3),
        *(put(2, number, "old") for number in range(9)),
        ddl(3, "RENAME TABLE `test`.`t` TO `test`.`u`", 14, table="u"),
        *(row(9, {"u": {"id": key(number), "v": column("new")}}, "u") for number in range(9)),
    ],
    "values of the key change": [
        ddl(1, CREATE, 3),
        *(put(2, number, "old") for number in range(9)),
        ddl(3, f"{ALTER}MODIFY COLUMN `id` VARCHAR(9)", 12),
        *(
            row(9, {"u": {"id": key(str(number), {"t": 15, "f": 10}), "v": column("new")}})
            for number in range(9)
        ),
    ],
    "another key": [
        ddl(1, CREATE, 3),
        *(put(2, number, f"{number}") for number in range(9)),
        *(
            row(
                9,
                {
                    "u": {
                        "id": column(7, {"t": 3, "f": 65}),
                        "v": key(f"{number}", {"t": 15, "f": 10}),
                    }
                },
            )
            for number in range(9)
        ),
    ],
    "no key": [
        *(loose(2, number) for number in range(9)),
        *(
            row(
                3,
                {
                    "u": {"n": {"t": 3, "f": 65, "v": number + 100}},
                    "p": {"n": {"t": 3, "f": 65, "v": number}},
                },
                "loose",
            )
            for number in range(9)
        ),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_the_whole_is_no_answer(name: str, tmp_path: Path) -> None:
    """Put together all the same, the parts would be wrong."""
    _, apart = answers(CASES[name], tmp_path / "asked")
    assert apart is None
    whole, forced = answers(CASES[name], tmp_path / "forced", forced=True)
    assert forced != whole


def test_an_error_is_told_by_the_whole(tmp_path: Path) -> None:
    """A bucket knows of it, and not of what came before it elsewhere."""
    _, apart = answers([put(1, 1, "a"), ddl(2, "FROBNICATE", 61)], tmp_path)
    assert apart is None


def test_rows_alone_change_shapes_of_their_table(tmp_path: Path) -> None:
    """Only the whole gives the older rows of other buckets what a new shape brings."""
    narrow, wide = '[["id","integer"]]', '[["id","integer"],["n","integer",7]]'
    changes = [
        Change(
            Kind.UPSERT,
            at,
            "s",
            "t",
            f'{{"before":null,"after":{row},"key":["id"],"rid":null,"shape":{shape}}}',
            "x",
            0,
            at,
        )
        for at, (row, shape) in enumerate(
            [('{"id":1}', narrow), ('{"id":1}', narrow), ('{"id":1,"n":2}', wide)], start=1
        )
    ]
    request = ResultRequest(tmp_path, [], by_record=True, events=False)
    assert bucket_results.agree([bucket_results.write_part(request, 0, changes[:2])])
    assert not bucket_results.agree([bucket_results.write_part(request, 0, changes)])
    same = [bucket_results.write_part(request, n, changes[n : n + 1]) for n in (1, 2)]
    assert not bucket_results.agree(same)
