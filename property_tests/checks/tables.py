"""The mechanism on tables: cells that must not change, and releases that a key repeats."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import polars as pl
from hypothesis import strategies as st

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.examples import PLAN_NAMES, for_all, tables
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, multinomial_point, multinomial_power
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import IntArray, Key
from splu_ref.spec import keys, splu_gen
from splu_ref.spec import tables as specification

CELLS = st.sampled_from(["", " ", "x", "X", "1", "01", "1.0", 'a"b', "a,b", "é", "é", "None", "nan"])


def _frame(codes: IntArray, cells: list[str]) -> pl.DataFrame:
    size = len(codes)
    return pl.DataFrame(
        {
            "id": [f"r{record:03d}" for record in range(size)],
            "text": [cells[record % len(cells)] for record in range(size)],
            "sensitive": [f"value {code}" for code in codes.tolist()],
            "number": [7 * record % 5 for record in range(size)],
        }
    )


def _by_id(table: Microdata) -> dict[str, dict[str, object]]:
    frame = table.to_frame()
    assert isinstance(frame, pl.DataFrame), "another kind of frame came back"
    rows = frame.to_dicts()
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(rows), "a record is published twice"
    return by_id


@check(
    "table.cells",
    "property",
    "Columns, types and non-sensitive cells of every record come out as they went in; the sensitive cell "
    "holds a value of the table.",
)
def cells_unchanged(subject: Subject, run: Run) -> Outcome:
    def holds(drawn: tuple[Gamma, IntArray, int], cells: list[str], plan: str, seed: int) -> None:
        gamma, codes, _ = drawn
        frame = _frame(codes, cells)
        source = subject.seeded(seed.to_bytes(4, "big"))
        done = subject.publish(SpluGen(gamma, plan=plan), Microdata.from_frame(frame), "sensitive", source)
        assert done.table.to_frame().schema == frame.schema, "columns or types changed"
        assert done.suppressed == len(frame) % gamma, "another number of records deleted"
        before = {row["id"]: row for row in frame.to_dicts()}
        after = _by_id(done.table)
        assert len(after) == len(before) - done.suppressed, "records are lost"
        values = set(frame["sensitive"])
        for record, row in after.items():
            assert row["sensitive"] in values, f"a value from nowhere: {row['sensitive']!r}"
            for column in ("text", "number"):
                assert row[column] == before[record][column], f"{record}: column {column} changed"

    return for_all(
        run,
        "table.cells",
        holds,
        tables(),
        st.lists(CELLS, min_size=1, max_size=9),
        PLAN_NAMES,
        st.integers(0, 2**32 - 1),
        examples=run.pick(120, 25),
    )


@check(
    "table.keyed",
    "property",
    "Under a key, a release is a function of its table: it is the specified one of the same cells, key and "
    "parameters, whatever the order of the records in the file.",
)
def keyed(subject: Subject, run: Run) -> Outcome:
    def holds(
        drawn: tuple[Gamma, IntArray, int], seed: bytes, plan: str, id_column: str | None, data: st.DataObject
    ) -> None:
        gamma, codes, _ = drawn
        secret = hashlib.sha256(seed).digest()
        frame = _frame(codes, ["x", "y", "z"])
        if id_column is None:
            frame = frame.drop("id", "number")  # so that records have the same cells
        mixed = frame[data.draw(st.permutations(range(len(frame))))]

        def released(table: pl.DataFrame) -> list[tuple[Any, ...]]:
            source, original = subject.keyed(Key(secret)), Microdata.from_frame(table)
            mechanism = SpluGen(gamma, plan=plan)
            done = subject.publish(mechanism, original, "sensitive", source, id_column=id_column)
            published = done.table.to_frame()
            assert isinstance(published, pl.DataFrame), "another kind of frame came back"
            return published.rows()

        first = released(frame)
        assert released(frame) == first, "the release does not repeat itself"
        assert released(mixed) == first, "the order of the file matters"
        cells = specification.Table(frame.columns, [list(map(str, row)) for row in mixed.rows()])
        expected = _specified(cells, id_column, splu_gen.Parameters(gamma, plan), secret)
        assert [list(map(str, row)) for row in first] == expected, "another release of the same bytes"

    return for_all(
        run,
        "table.keyed",
        holds,
        tables(),
        st.binary(max_size=8),
        PLAN_NAMES,
        st.sampled_from(["id", None]),
        st.data(),
        examples=run.pick(80, 30),
    )


def _specified(
    table: specification.Table, id_column: str | None, parameters: splu_gen.Parameters, secret: bytes
) -> list[list[str]]:
    """Return the rows of the keyed release of the column ``sensitive``, as specified."""
    records = [specification.record_bytes(row) for row in table.rows]
    facts, column = parameters.facts(), "sensitive"
    release = keys.Release(
        "SPLU-Gen", facts, "independent", [column], id_column, None, table.columns, records
    )
    source = keys.KeyedRecords(release.key(secret), column, specification.identities(table, id_column))
    domain, codes = specification.codes(table.cells(column))
    done = splu_gen.publish([codes], parameters, lambda _: source)
    published = []
    for record, code in zip(done.rows, done.published[0], strict=True):
        row = list(table.rows[record])
        row[table.columns.index(column)] = domain[code]
        published.append(row)
    return published


PAIRED = 1200
PAIRED_RELEASES = 4
BOTH_KEPT = [Fraction(kept * own, 9) for kept, own in product((1, 2), repeat=2)]
"""Whether a record keeps its first and its second value, gamma = 3: both, the first, the second, none."""


@check(
    "table.columns",
    "statistical",
    "Under a key, retention in one sensitive column is independent of retention in another: both values are "
    "retained with probability 1/gamma squared.",
)
def columns(subject: Subject, run: Run) -> Outcome:
    frame = pl.DataFrame(
        {
            "id": [f"r{record}" for record in range(PAIRED)],
            "one": [f"a{record % 5}" for record in range(PAIRED)],
            "two": [f"b{record * 7 % 5}" for record in range(PAIRED)],
        }
    )
    before = _by_id(Microdata.from_frame(frame))

    def evidence() -> Iterator[EValue]:
        seen: Counter[tuple[bool, ...]] = Counter()
        source = run.stream(subject, "table.columns")
        for _ in range(run.pick(PAIRED_RELEASES, 1)):
            done = subject.publish(
                SpluGen(3),
                Microdata.from_frame(frame),
                ("one", "two"),
                subject.keyed(Key(source.read(32))),
                id_column="id",
            )
            for record, row in _by_id(done.table).items():
                seen[row["one"] == before[record]["one"], row["two"] == before[record]["two"]] += 1
            counts = [seen[kept] for kept in product((True, False), repeat=2)]
            yield multinomial_point(counts, BOTH_KEPT)

    def power(level: Fraction) -> str:
        found = multinomial_power(PAIRED_RELEASES * PAIRED, BOTH_KEPT, 0, "both values kept", level)
        return str(found)

    return sequential_outcome(run, "table.columns", evidence(), power)
