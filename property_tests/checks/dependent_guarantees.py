"""Guarantees under dependent draws, against every outcome of a group and every composition of groups."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels import GroupDraws
from splu_ref.guarantees import DependentCount, Noise


@check(
    "promise.slots",
    "exact",
    "The law of a slot's places in its group is that of all outcomes of the draws, places that are "
    "shared being shared evenly: gamma 2, 3, 4, capped and all or none, every number of slots that share "
    "(splu.CAP, splu.AONc).",
)
def slots(subject: Subject, run: Run) -> Outcome:
    return first_failure(_slot_faults(subject, run), "gamma 2, 3, 4")


def _slot_faults(subject: Subject, run: Run) -> Iterator[str]:
    for gamma in range(2, run.pick(5, 4)):
        for name in ("capped", "all-or-none"):
            for sharing in range(gamma + 1):
                law = subject.slot_law(GroupDraws.parse(f"{name}:1"), gamma, sharing)
                found = {k: Fraction(w, law.denominator) for k, w in enumerate(law.weights) if w}
                if found != _of_outcomes(name, gamma, sharing):
                    yield f"{name}, gamma {gamma}, {sharing} slots share: {found}"


def _of_outcomes(name: str, gamma: int, sharing: int) -> dict[int, Fraction]:
    """Return the law of slot 0, which is drawn by itself or one of the first ``sharing``."""
    found: dict[int, Fraction] = {}
    for outcome in product(range(gamma), repeat=gamma if name == "capped" else 1):
        if name == "capped":
            left = sum(slot < sharing for slot in outcome)
            own = outcome.count(0)
        else:
            left, own = gamma * (outcome[0] < sharing), gamma * (outcome[0] == 0)
        rest = left % sharing if sharing else 0
        parts = {own: Fraction(1)}
        if sharing:
            parts = {
                left // sharing: Fraction(sharing - rest, sharing),
                left // sharing + 1: Fraction(rest, sharing),
            }
        for k, chance in parts.items():
            part = chance / gamma ** len(outcome)
            found[k] = found.get(k, Fraction(0)) + part
    return {k: chance for k, chance in found.items() if chance}


def _compositions(gamma: int, groups: int, slots: int) -> Iterator[dict[int, int]]:
    """Yield numbers of groups by slots that share, with at most so many slots that do not."""
    for numbers in product(range(groups + 1), repeat=gamma):
        kinds = dict(enumerate(numbers, 1))
        if sum(numbers) == groups and sum((gamma - u) * n for u, n in kinds.items()) <= slots:
            yield kinds


@check(
    "promise.threshold",
    "exact",
    "The T_f said to hold in every table does so for the worst of all compositions of groups that its "
    "number of values allows, at T_f and at the next counts (splu.CAP, splu.AONc).",
)
def threshold(subject: Subject, run: Run) -> Outcome:
    return first_failure(_threshold_faults(subject, run), "gamma 2 and 3, 3 to 6 values")


def _threshold_faults(subject: Subject, run: Run) -> Iterator[str]:
    for gamma, law, values, epsilon, allowed in (
        (2, "capped:1", 5, Fraction(1, 2), Fraction(1, 10)),
        (2, "capped:2", 4, Fraction(2, 5), Fraction(1, 5)),
        (3, "all-or-none:1", 6, Fraction(2, 3), Fraction(1, 10)),
    )[: run.pick(3, 2)]:
        draws = GroupDraws.parse(law)
        noise, own = Noise.of(draws, gamma, values), (draws.bound or 0) if draws.name == "capped" else 0
        least = subject.dependent_draws_threshold(gamma, epsilon, allowed, draws, noise).threshold
        for f in (least, least + 1):
            offset = int(-(-epsilon * f // 1))
            for kinds in _compositions(gamma, f - own, noise.slots) if f > own else ():
                error = DependentCount.of(draws, gamma, {**kinds, 0: own}).error(offset)
                if error > allowed:
                    yield f"{law}, gamma {gamma}, {values} values, f = {f}: {float(error)} > {allowed}"
                    break


@check(
    "promise.privacy",
    "exact",
    "T_P over all tables is the least error of every count and, above the bound of the draws, of every "
    "composition of groups: gamma 2 and 3, both forms (splu.CAP, splu.AONc).",
)
def privacy(subject: Subject, run: Run) -> Outcome:
    return first_failure(_privacy_faults(subject, run), "gamma 2 and 3, both forms")


def _privacy_faults(subject: Subject, run: Run) -> Iterator[str]:
    for gamma, law, alpha in (
        (3, "capped:2", 4),
        (2, "capped:1", 4),
        (2, "all-or-none:6", 6),
        (3, "all-or-none:2", 3),
    ):
        draws = GroupDraws.parse(law)
        bound = draws.bound or 0
        own = bound if draws.name == "capped" else 0
        for epsilon in (Fraction(3, 10), Fraction(1, 2), Fraction(1))[: run.pick(3, 2)]:
            found = subject.privacy_of_draws(gamma, epsilon, alpha, draws)
            for strict, level in ((True, found.t_p), (False, found.t_p_definition)):
                errors = []
                for f in range(1, alpha + 1):
                    offset = int(epsilon * f // 1) + 1 if strict else int(-(-epsilon * f // 1))
                    rest = _compositions(gamma, f - own, gamma * f) if f > bound else [{}]
                    for kinds in rest:
                        count = DependentCount.of(
                            draws, gamma, {**kinds, 0: min(f, bound) if f <= bound else own}
                        )
                        errors.append(count.error(offset))
                tiny = Fraction(1, 10**30)
                if level.reaches(min(errors) - tiny) is False or level.reaches(min(errors) + tiny) is True:
                    yield f"{law}, gamma {gamma}, epsilon {epsilon}, {strict=}: not {min(errors)}"
