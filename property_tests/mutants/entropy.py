"""Faults in entropy and its loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from property_tests.mutants.mutant import mutant
from splu_ref.channels import Bounds, EntropyLoss, LogForm, World, entropy_loss, natural_logarithm


def _in_nats(form: LogForm) -> Bounds:
    lower = upper = Fraction(0)
    for base, coefficient in form.coefficients.items():
        one = natural_logarithm(Fraction(base))
        ends = sorted((coefficient * one.lower, coefficient * one.upper))
        lower, upper = lower + ends[0], upper + ends[1]
    return Bounds(lower, upper)


def _not_renormalized(
    world: World[Any], law_of: Callable[[Any], Mapping[Any, Fraction | int]]
) -> EntropyLoss[Any]:
    found = entropy_loss(world, law_of)
    values = []
    for each in found.values:
        # of the chances q p, of sum q, the sum of q p lg 1/(q p) is q H' + q lg 1/q
        part = LogForm.lg(1 / each.probability) * each.probability
        records = tuple(
            own - (own - lost) * each.probability - part
            for own, lost in zip(found.entropies, each.records, strict=True)
        )
        values.append(replace(each, records=records))
    return replace(found, values=tuple(values))


mutant(
    "entropy-in-nats",
    "entropy.bits",
    "Entropies are to the base e and called bits.",
    enclosed=_in_nats,
)
mutant(
    "remaining-tables-not-renormalized",
    "entropy.loss",
    "The chances of the tables that are left are not brought to sum 1.",
    entropy_loss=_not_renormalized,
)
