"""Hypothesis strategies, and properties as checks."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from property_tests.checking import Outcome
from property_tests.run import Run
from splu_ref.channels.parameters import Gamma
from splu_ref.randomness import IntArray


def for_all(
    run: Run,
    name: str,
    body: Callable[..., None],
    *strategies: st.SearchStrategy[Any],
    examples: int,
    shrink: bool = True,
) -> Outcome:
    """Run a property on examples chosen by Hypothesis; it raises AssertionError if the property fails.

    Parameters
    ----------
    run
        Its seed fixes the examples, and no database replays old ones, so that a run repeats itself.
    name
        The check.
    body
        The property, with one parameter per strategy.
    strategies
        What its arguments are drawn from.
    examples
        How many examples are tried.
    shrink
        Whether a full run looks for a smaller failing example; a sampled property has no budget for that.
    """
    # The kill matrix needs no small counterexample, only the fact that there is one.
    phases = (Phase.generate, Phase.shrink) if shrink and run.size == "full" else (Phase.generate,)

    def prop(arguments: tuple[Any, ...]) -> None:
        body(*arguments)

    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    wrapped = seed(run.choices_seed(name))(chosen(given(st.tuples(*strategies))(prop)))
    try:
        wrapped()
    except Exception as error:  # whatever a broken implementation raises, the property does not hold
        notes = " ".join(getattr(error, "__notes__", ()))
        text = " ".join(f"{type(error).__name__}: {error} {notes}".split())
        return Outcome(False, text[:600])
    return Outcome(True, f"{examples} examples")


GAMMAS = st.integers(2, 7).map(Gamma)
FREQUENCIES = st.integers(1, 40)
SEEDS = st.integers(0, 2**32 - 1).map(lambda number: number.to_bytes(4, "big"))
PLAN_NAMES = st.sampled_from(["anatomy", "cyclic", "mixed"])
RETENTIONS = st.one_of(st.none(), st.builds(Fraction, st.integers(1, 9), st.integers(9, 12)))
EPSILONS = st.one_of(
    st.builds(Fraction, st.integers(1, 150), st.just(100)),  # where floats take ceil and floor wrongly
    st.builds(Fraction, st.integers(1, 12), st.integers(1, 12)),
)


@st.composite
def histograms(draw: st.DrawFn, gamma: int, *, full_groups: bool, most_groups: int = 12) -> IntArray:
    """Draw an eligible histogram, of a multiple of gamma records if ``full_groups``; values may be absent.

    Every eligible histogram of at most gamma * ``most_groups`` records and a few values can come up. The
    values are filled one by one, each leaving room for the records that the rest can still take.
    """
    groups = draw(st.integers(1, most_groups))
    remainder = 0 if full_groups else draw(st.integers(0, gamma - 1))
    missing = gamma * groups + remainder
    fewest = -(-missing // groups)
    values = draw(st.integers(fewest, fewest + 6))
    histogram = []
    for after in range(values - 1, -1, -1):
        least = max(0, missing - groups * after)
        frequency = draw(st.integers(least, min(groups, missing)))
        histogram.append(frequency)
        missing -= frequency
    return np.array(draw(st.permutations(histogram)), dtype=np.int64)


@st.composite
def worlds(draw: st.DrawFn, *, full_groups: bool) -> tuple[Gamma, IntArray]:
    """Draw gamma and a histogram that allows it."""
    gamma = draw(GAMMAS)
    return gamma, draw(histograms(gamma, full_groups=full_groups))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Gamma, IntArray, int]:
    """Draw gamma, the codes of a table that allows it, in any file order, and the domain size."""
    gamma, histogram = draw(worlds(full_groups=False))
    codes = np.repeat(np.arange(len(histogram)), histogram).tolist()
    return gamma, np.array(draw(st.permutations(codes)), dtype=np.int64), len(histogram)
