"""Measure against other packages: ``.venv-peers/bin/python -m benchmarks.peers [FILE]``.

Each is loaded by name: the environment of this project does not have them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from math import exp
from pathlib import Path

import numpy as np

from benchmarks.curves.tables import GAMMA, VALUES, codes, histogram
from benchmarks.machine import machine
from benchmarks.peers.compared import Comparison, root_mean_square
from splu_ref.estimators import most_likely
from splu_ref.mechanisms import Anatomy, Budget, FloatArray, LaplaceCounts, RetentionReplacement, SpluGen
from splu_ref.mechanisms.retention_replacement import from_local_privacy
from splu_ref.randomness import IntArray, SystemSource

ROWS, FEW_ROWS, TIMES = 100_000, 10_000, 20
EPSILON = 1
VERSIONS = {name: f"{name} {version(name)}" for name in ("diffprivlib", "multi-freq-ldpy", "pandas")}


def counts() -> Iterator[Comparison]:
    """Compare counts of all values: with noise by both, and from published records."""
    true, values = histogram(ROWS), codes(ROWS)
    geometric = import_module("diffprivlib.mechanisms").Geometric(epsilon=EPSILON)
    tools = import_module("diffprivlib.tools")
    noise, records = LaplaceCounts(Budget.of(EPSILON)), SpluGen(GAMMA)

    def ours() -> IntArray:
        return np.array(noise.publish_counts(np.bincount(values, minlength=VALUES).tolist(), SystemSource()))

    def theirs() -> IntArray:
        return np.array([geometric.randomise(int(each)) for each in np.bincount(values, minlength=VALUES)])

    def histograms() -> IntArray:
        found: IntArray = tools.histogram(values, epsilon=EPSILON, bins=VALUES, range=(-0.5, VALUES - 0.5))[0]
        return found

    def published() -> IntArray:
        done = records.publish_codes(values, VALUES, SystemSource())
        return np.bincount(done.published, minlength=VALUES)

    law = f"ε-differential privacy of the counts, ε = {EPSILON}"
    yield Comparison(
        question=f"counts of {VALUES} values among {ROWS:,} rows, each with discrete Laplace noise",
        peer=f"{VERSIONS['diffprivlib']}, Geometric",
        promise=law + "; integers throughout",
        peer_promise=law + "; floats within",
        ours=ours,
        theirs=theirs,
        errors=(root_mean_square(ours, true, TIMES), root_mean_square(theirs, true, TIMES)),
    )
    yield Comparison(
        question=f"the same counts from all rows, published by SPLU-Gen, γ = {GAMMA}, and counted",
        peer=f"{VERSIONS['diffprivlib']}, tools.histogram",
        promise=f"a value is its record's with chance 1/{GAMMA}; small counts are off, by T_P; every row is "
        "out, for any other query too",
        peer_promise=law + "; these counts and no more",
        ours=published,
        theirs=histograms,
        errors=(root_mean_square(published, true, TIMES), root_mean_square(histograms, true, TIMES)),
    )


def randomized() -> Iterator[Comparison]:
    """Compare randomized response of one value each, and the counts that are estimated from it."""
    true, values = histogram(FEW_ROWS), codes(FEW_ROWS)
    oracle = import_module("multi_freq_ldpy.pure_frequency_oracles.GRR")
    amplification = Fraction(int(exp(EPSILON) * 10**6), 10**6)
    keep = from_local_privacy(amplification, VALUES)
    domain = [f"{value:02}" for value in range(VALUES)]
    mechanism = RetentionReplacement(keep, {"sensitive": domain})

    def ours() -> IntArray:
        return mechanism.publish_codes(values, VALUES, SystemSource()).published

    def theirs() -> list[int]:
        return [oracle.GRR_Client(value, VALUES, float(EPSILON)) for value in values.tolist()]

    def inverted(reports: IntArray | list[int]) -> FloatArray:
        """Return unbiased counts."""
        observed = np.bincount(reports, minlength=VALUES)
        return np.asarray((observed - FEW_ROWS * float((1 - keep) / VALUES)) / float(keep), dtype=np.float64)

    law = f"ε-local differential privacy of a value, ε = {EPSILON}"
    promise, peer_promise = (
        f"{law}, e^ε rounded down to a fraction; draws are exact",
        f"{law}; draws by floats",
    )
    yield Comparison(
        question=f"{FEW_ROWS:,} values of {VALUES} by randomized response; unbiased counts of them",
        peer=f"{VERSIONS['multi-freq-ldpy']}, GRR_Client",
        promise=promise,
        peer_promise=peer_promise,
        ours=ours,
        theirs=theirs,
        errors=(
            root_mean_square(lambda: inverted(ours()), true, TIMES),
            root_mean_square(lambda: inverted(theirs()), true, TIMES),
        ),
    )
    matrix = np.full((VALUES, VALUES), float((1 - keep) / VALUES)) + float(keep) * np.eye(VALUES)
    own, other = ours(), theirs()

    def likely(reports: IntArray) -> FloatArray:
        observed = np.bincount(reports, minlength=VALUES).astype(np.float64)
        return np.asarray(most_likely(observed[np.newaxis], [matrix]).counts[0])

    def aggregated(reports: list[int]) -> FloatArray:
        return np.asarray(FEW_ROWS * oracle.GRR_Aggregator_MI(reports, VALUES, float(EPSILON)))

    yield Comparison(
        question="counts from these values that are not negative: the most likely, or cut at 0 and scaled",
        peer=f"{VERSIONS['multi-freq-ldpy']}, GRR_Aggregator_MI",
        promise=promise,
        peer_promise=peer_promise,
        ours=lambda: likely(own),
        theirs=lambda: aggregated(other),
        errors=(
            root_mean_square(lambda: likely(ours()), true, TIMES),
            root_mean_square(lambda: aggregated(theirs()), true, TIMES),
        ),
    )


def groups() -> Iterator[Comparison]:
    """Compare groups of different values, as anatomy makes them: each from the most frequent values left."""
    pandas = import_module("pandas")
    values = codes(FEW_ROWS)
    frame = pandas.DataFrame({"value": values})

    def looped() -> IntArray:
        """Give each row the number of its group, one group after another."""
        members = {value: rows.tolist() for value, rows in frame.groupby("value").indices.items()}
        left = pandas.Series({value: len(rows) for value, rows in members.items()})
        group = np.full(len(frame), -1)
        for number in range(len(frame) // GAMMA):
            for value in left.nlargest(GAMMA).index:
                group[members[value].pop()] = number
                left[value] -= 1
        return group

    made = looped()
    pairs = np.unique(made * VALUES + values)
    assert len(pairs) == FEW_ROWS, "a group has a value twice"
    yield Comparison(
        question=f"groups of {GAMMA} different values for {FEW_ROWS:,} rows",
        peer=f"{VERSIONS['pandas']}, a loop with nlargest",
        promise=f"a record's value is one of {GAMMA}, in a random order of rows and groups",
        peer_promise=f"a record's value is one of {GAMMA}; the order of the file decides who is with whom",
        ours=lambda: Anatomy(GAMMA).publish_codes(values, VALUES, SystemSource()),
        theirs=looped,
    )


def main() -> None:
    found = []
    for each in (*counts(), *randomized(), *groups()):
        found.append(each.measured())
        print(json.dumps(found[-1], ensure_ascii=False, indent=1), flush=True)
    if len(sys.argv) > 1:
        whole = {"schema": "splu-ref/peers/1", "machine": machine(), "comparisons": found}
        text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
        Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
