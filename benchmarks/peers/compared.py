"""A comparison with another package: processor time of both, in turn, and the error of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from benchmarks.timing import compare
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

RUNS = 5


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The same question, answered by both.

    Attributes
    ----------
    question
        The query and its size.
    peer
        The other package, with its version, and what of it is called.
    promise, peer_promise
        What each promises of a record.
    ours, theirs
        What is timed.
    errors
        Root mean squares of ours and theirs, if both estimate the same counts.
    """

    question: str
    peer: str
    promise: str
    peer_promise: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    errors: tuple[float, float] | None = None

    def measured(self) -> dict[str, Any]:
        """Time both in turn and return all as a JSON object."""
        found = compare(self.theirs, self.ours, RUNS, process_time)
        return {
            "question": self.question,
            "peer": self.peer,
            "promise": self.promise,
            "peer_promise": self.peer_promise,
            "seconds": float(f"{found.baseline:.3g}"),
            "peer_seconds": float(f"{found.ours:.3g}"),
            "ratio": [float(f"{each:.3g}") for each in (found.ratio, found.least, found.greatest)],
            "errors": None if self.errors is None else [float(f"{each:.3g}") for each in self.errors],
        }


def root_mean_square(estimates: Callable[[], FloatArray | IntArray], true: IntArray, times: int) -> float:
    """Return the root mean square error of counts over all values and some repetitions."""
    return float(np.sqrt(np.mean([(estimates() - true) ** 2 for _ in range(times)])))
