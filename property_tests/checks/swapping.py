"""Swapping: its law by enumeration, what it leaves alone, and the estimates of conjunctions it allows."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np
import polars as pl

from property_tests.checking import Outcome, check
from property_tests.coverage import missing_rates
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.data import Microdata
from splu_ref.estimators import ChannelEstimator, Query
from splu_ref.mechanisms import PublishedTable, Swapping
from splu_ref.randomness import Draws, outcomes

KEEPS = ("0", "1/2", "2/3")
COLUMNS = {2: ("a", "b"), 3: ("a",)}
"""Names of columns by how many records are enumerated."""


def _law(keep: Fraction, records: int) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the record whose cell stands at each place, from the words of the mechanism."""
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for coins in product((False, True), repeat=records):
        released = [place for place in range(records) if coins[place]]
        chance = keep ** (records - len(released)) * (1 - keep) ** len(released)
        for order in permutations(released):
            cells = list(range(records))
            for place, cell in zip(released, order, strict=True):
                cells[place] = cell
            law[tuple(cells)] += chance / factorial(len(released))
    return {cells: chance for cells, chance in law.items() if chance}


@check(
    "swapping.law",
    "enumerated",
    "For two and three records and p = 0, 1/2 and 2/3, the cells of a column stand at every arrangement with "
    "the probability of the coins that release them and of a uniform permutation; two columns independently.",
)
def joint_law(subject: Subject, run: Run) -> Outcome:
    del run
    for keep, (records, names) in product(KEEPS, COLUMNS.items()):
        codes = {name: np.arange(records) for name in names}

        def publish(
            draws: Draws, keep: str = keep, codes: dict[str, np.ndarray] = codes
        ) -> tuple[tuple[int, ...], ...]:
            sizes = {name: len(own) for name, own in codes.items()}
            done = subject.publish_swapped(Swapping(keep), codes, sizes, lambda _: draws)
            assert done.rows.tolist() == list(range(len(done.rows))), "rows have moved"
            return tuple(tuple(done.published[name].tolist()) for name in codes)

        found: dict[tuple[tuple[int, ...], ...], Fraction] = defaultdict(Fraction)
        for published, chance in outcomes(publish):
            found[published] += chance
        one = _law(Fraction(keep), records)
        declared: dict[tuple[tuple[int, ...], ...], Fraction] = {(): Fraction(1)}
        for _ in names:
            declared = {
                (*before, cells): chance * weight
                for before, chance in declared.items()
                for cells, weight in one.items()
            }
        if found != declared:
            return Outcome(False, f"p = {keep}, {records} records: another law of the arrangements")
    return Outcome(True)


NAME = "swapping.intervals"
SETTINGS = (("1/5", 400, 60), ("1/5", 400, 120), ("1/2", 400, 0), ("4/5", 400, 199))
"""p, records, and how many of the first half of them have one of the two counted values."""
ALLOWED = Fraction(10, 100)
DOMAIN, COUNTED = tuple("uvwx"), (0, 2)


@cache
def _ends(mechanism: Swapping, records: int, members: int, published: int) -> tuple[float, float]:
    """Return the interval for the first half, of which ``published`` records are in the set."""
    half = records // 2
    first = [DOMAIN[0]] * published + [DOMAIN[1]] * (half - published)
    rest = [DOMAIN[2]] * (members - published) + [DOMAIN[3]] * (half - members + published)
    cells = {"a": first + rest, "half": ["1"] * half + ["2"] * half}
    release = PublishedTable(
        table=Microdata.from_frame(pl.DataFrame(cells)), mechanism=mechanism, domains={"a": DOMAIN}
    )
    query = Query.of({"a": [DOMAIN[code] for code in COUNTED], "half": ["1"]})
    [answer] = ChannelEstimator(release)([query], None)
    assert answer.interval is not None
    return answer.interval


@check(
    NAME,
    "statistical",
    "Over 400 releases by swapping in each of four settings of 400 records, the approximate 95 % interval "
    "for the count of two of four values among half of the records misses with probability at most 0.1.",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, NAME)

    def misses(setting: tuple[str, int, int]) -> bool:
        keep, records, inside = setting
        mechanism, half = Swapping(keep), records // 2
        elsewhere = half - inside
        own = np.array([0] * inside + [1] * (half - inside) + [2] * elsewhere + [3] * (half - elsewhere))
        found = subject.publish_swapped(mechanism, {"a": own}, {"a": 4}, lambda _: source)
        hits = np.isin(found.published["a"], COUNTED)
        low, high = _ends(mechanism, records, int(hits.sum()), int(hits[:half].sum()))
        return not low <= inside <= high

    return missing_rates(run, NAME, SETTINGS, ALLOWED, misses)
