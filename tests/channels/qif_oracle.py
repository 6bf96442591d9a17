"""Channels whose measures were computed with qif, an independent library, and the program that did so.

``PYTHONPATH=. python tests/channels/qif_oracle.py`` in an environment with qif writes ``qif_answers.json``.
It is not among the libraries of the tests, because it is large and its wheel states no license.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from splu_ref.channels import Channel, PublishedCount, additive, blocks, decoy_groups, retention, swapping

ANSWERS = Path(__file__).parent / "qif_answers.json"
GENERATED = 60
LEVELS = (2, 4, 9)
"""Amplifications that operators may have."""
PRIORS = ((2, 1), (5, 3, 2), (7, 5, 4, 2, 1), (1, 1, 1, 1), (41, 38, 21, 13, 6, 1))
"""Counts for which the best operator is computed."""


class Question(NamedTuple):
    """A channel, a prior, and what actions gain by true state."""

    name: str
    prior: tuple[Fraction, ...]
    matrix: tuple[tuple[Fraction, ...], ...]
    gain: tuple[tuple[Fraction, ...], ...]


def questions() -> Iterator[Question]:
    """Yield the channels of the mechanisms, and generated ones with zeros and equal rows among them."""
    third = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}
    together = {u: dict.fromkeys("abcd", 2) for u in "abcd"}
    named: dict[str, Channel[Any, Any]] = {
        "retention": retention("1/5", dict.fromkeys("abcde", Fraction(1, 5))),
        "retention by a given law": retention("1/3", third),
        "randomized response": retention("1/2", dict.fromkeys("ab", Fraction(1, 2))),
        "additive": additive({-1: "1/4", 0: "1/2", 1: "1/4"}, 0, 4),
        "swapping": swapping("1/3", {"a": 3, "b": 2, "c": 1}),
        "SPLU-Gen": decoy_groups(together, PublishedCount.of(4)),
        "a domain for each part": blocks(
            [retention("1/3", dict.fromkeys("ab", "1/2")), retention("1/5", dict.fromkeys("cde", "1/3"))]
        ),
    }
    draw = random.Random(7)
    for name, channel in named.items():
        rows = tuple(tuple(channel.probability(u, v) for v in channel.outputs) for u in channel.inputs)
        yield Question(name, _law(draw, len(rows)), rows, _gain(draw, len(rows)))
    for number in range(GENERATED):
        size, width = draw.randint(2, 5), draw.randint(2, 5)
        matrix = tuple(_law(draw, width) for _ in range(size if number % 5 else size - 1))
        if not number % 5:
            matrix = (*matrix, matrix[0])
        yield Question(f"generated {number}", _law(draw, size), matrix, _gain(draw, size))


def _law(draw: random.Random, size: int) -> tuple[Fraction, ...]:
    weights = [draw.choice((0, 1, 2, 3, 5, 8)) for _ in range(size)]
    weights[draw.randrange(size)] += 1
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def _gain(draw: random.Random, size: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(
        tuple(Fraction(draw.randint(0, 6), draw.randint(1, 4)) for _ in range(size))
        for _ in range(draw.randint(1, 4))
    )


def requested() -> dict[str, Any]:
    """Return what qif answers: exact numbers as texts, the others as doubles."""
    import numpy as np  # noqa: PLC0415 - of the other environment
    import qif  # type: ignore[import-not-found]  # noqa: PLC0415

    def doubles(array: Any) -> Any:
        return np.array(array.tolist(), dtype=float)

    answers: dict[str, Any] = {"from": "qif 1.6.0", "channels": {}, "operators": {}}
    for question in questions():
        prior, matrix, gain = (np.array(each) for each in question[1:])
        bayes, shannon = qif.measure.bayes_vuln, qif.measure.shannon
        shown = matrix[:, [bool(chance) for chance in prior @ matrix]]  # it divides by the others' chances
        answers["channels"][question.name] = {
            "vulnerability": str(bayes.posterior(prior, matrix)),
            "capacity": str(bayes.mult_capacity(matrix)),
            "gain": str(qif.measure.g_vuln.posterior(gain, prior, matrix)),
            "gain_before": str(qif.measure.g_vuln.prior(gain, prior)),
            "posteriors": [list(map(str, row)) for row in qif.channel.posteriors(shown, prior).tolist()],
            "bits": shannon.add_leakage(doubles(prior), doubles(matrix)),
            "min_entropy_leakage": bayes.min_entropy_leakage(doubles(prior), doubles(matrix)),
        }
    for counts in PRIORS:
        prior = np.array(counts, dtype=float) / sum(counts)
        for level in LEVELS:
            best = qif.mechanism.d_privacy.min_loss_given_d(
                prior,
                len(counts),
                lambda one, other, level=level: math.log(level) if one != other else 0.0,
                lambda own, shown: float(own != shown),
            )
            answers["operators"][f"{counts} {level}"] = float((prior * np.diag(best)).sum())
    return answers


if __name__ == "__main__":
    found = requested()
    lines = [
        f" {json.dumps(part)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in found[part].items())
        + "\n }"
        for part in ("channels", "operators")
    ]
    origin = f' "from": {json.dumps(found["from"])}'
    ANSWERS.write_text("{\n" + ",\n".join([origin, *lines]) + "\n}\n", encoding="utf-8")
