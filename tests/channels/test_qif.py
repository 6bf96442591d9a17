"""Measures of channels, and best operators, against the answers of an independent library."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from splu_ref.channels import (
    Levels,
    from_matrix,
    min_entropy_leakage,
    mutual_information,
    posterior,
    vulnerability,
)
from splu_ref.guarantees import Requirement, best_operator
from tests.channels.qif_oracle import ANSWERS, LEVELS, PRIORS, Question, questions

REPORTED: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
DOUBLE = 1e-9
"""What the doubles of the other library may be off; the rest is equal exactly."""


@pytest.mark.parametrize("question", list(questions()), ids=lambda question: question.name)
def test_a_channel_has_the_measures_that_another_library_says(question: Question) -> None:
    reported = REPORTED["channels"][question.name]
    states, shown = range(len(question.prior)), range(len(question.matrix[0]))
    channel = from_matrix(states, question.matrix, shown)
    prior = dict(enumerate(question.prior))
    assert str(vulnerability(channel, prior)) == reported["vulnerability"]
    seen = [v for v in shown if any(prior[u] * channel.probability(u, v) for u in states)]
    posteriors = [posterior(channel, prior, v) for v in seen]
    assert [[str(each.get(u, Fraction(0))) for each in posteriors] for u in states] == reported["posteriors"]
    for form, answer in (
        (mutual_information(channel, prior), reported["bits"]),
        (min_entropy_leakage(channel, prior), reported["min_entropy_leakage"]),
    ):
        found = form.bounds(64)
        assert float(found.lower) - DOUBLE <= answer <= float(found.upper) + DOUBLE


@pytest.mark.parametrize(("counts", "ratio"), list(product(PRIORS, LEVELS)))
def test_the_best_operator_keeps_what_another_librarys_program_finds(
    counts: tuple[int, ...], ratio: int
) -> None:
    """A breach of (1/10, r/(9 + r)) is an amplification above r; the other library counts what is lost."""
    levels = Levels.of("1/10", Fraction(ratio, 9 + ratio))
    assert levels.amplification == ratio
    best = best_operator(Requirement.of(counts, levels, "share", "any"))
    assert float(best.objective) == pytest.approx(REPORTED["operators"][f"{counts} {ratio}"], abs=DOUBLE)
