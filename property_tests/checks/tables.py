"""The mechanism on tables: cells that must not change, and releases that a key repeats."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

from property_tests.checking import Outcome, check
from property_tests.examples import PLAN_NAMES, for_all, tables
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.mechanisms import SpluGen
from splu_ref.microdata import Microdata
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray, Key

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
    "Under one key the same records give the same release, whatever their order in the file; and a record "
    "that keeps its value does so in the release of a smaller table as well.",
)
def keyed(subject: Subject, run: Run) -> Outcome:
    def holds(drawn: tuple[Gamma, IntArray, int], secret: bytes, plan: str, data: st.DataObject) -> None:
        gamma, codes, _ = drawn
        frame = _frame(codes, ["x", "y", "z"])
        mixed = frame[data.draw(st.permutations(range(len(frame))))]

        def released(table: pl.DataFrame) -> Microdata:
            source = subject.keyed(Key(secret))
            mechanism = SpluGen(gamma, plan=plan)
            done = subject.publish(
                mechanism, Microdata.from_frame(table), "sensitive", source, id_column="id"
            )
            return done.table

        first = released(frame)
        assert released(frame).to_frame().equals(first.to_frame()), "the release does not repeat itself"
        assert released(mixed).to_frame().equals(first.to_frame()), "the order of the file matters"
        true = dict(zip(frame["id"].to_list(), frame["sensitive"].to_list(), strict=True))
        smaller = _one_group_less(frame, gamma)
        if smaller is not None:
            again = _by_id(released(smaller))
            for record, row in _by_id(first).items():
                if record in again and row["sensitive"] == true[record]:
                    assert again[record]["sensitive"] == true[record], f"{record} no longer keeps its value"

    return for_all(
        run,
        "table.keyed",
        holds,
        tables(),
        st.binary(min_size=32, max_size=32),
        PLAN_NAMES,
        st.data(),
        examples=run.pick(80, 20),
    )


def _one_group_less(frame: pl.DataFrame, gamma: Gamma) -> pl.DataFrame | None:
    """Return the table without one record of each of the gamma most frequent values, if it is eligible."""
    values = frame["sensitive"].to_numpy()
    domain, counts = np.unique(values, return_counts=True)
    fullest = domain[np.argsort(-counts, kind="stable")[:gamma]]
    dropped = {int(np.flatnonzero(values == value)[0]) for value in fullest}
    smaller = frame[[row for row in range(len(frame)) if row not in dropped]]
    left = smaller["sensitive"].value_counts()["count"]
    return smaller if len(left) >= 2 and int(left.max()) * gamma <= len(smaller) else None  # type: ignore[arg-type]  # a column of counts has an integer maximum
