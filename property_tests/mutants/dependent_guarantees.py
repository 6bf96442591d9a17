"""Mutants of the guarantees under dependent draws."""

from __future__ import annotations

from dataclasses import replace

from property_tests.mutants.mutant import mutant
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import Exact
from splu_ref.guarantees import (
    DependentDrawsPrivacy,
    DependentDrawsThreshold,
    Noise,
    dependent_draws_threshold,
    privacy_of_draws,
    slot_law,
)
from splu_ref.guarantees.dependent_counts import SlotLaw


def _without_remainder(draws: GroupDraws, gamma: int, sharing: int) -> SlotLaw:
    law = slot_law(draws, gamma, sharing)
    return slot_law(GroupDraws(), gamma, 0) if sharing and draws.name == "capped" else law


def _rare_too_often(draws: GroupDraws, gamma: int, sharing: int) -> SlotLaw:
    law = slot_law(draws, gamma, sharing)
    if draws.name == "all-or-none" and not sharing:
        return SlotLaw((gamma, *law.weights[1:-1], 1), gamma + 1)
    return law


def _own_slots_alone(
    gamma: Exact, epsilon: Exact, t_e: Exact, draws: GroupDraws, noise: Noise | None = None
) -> DependentDrawsThreshold:
    return dependent_draws_threshold(
        gamma, epsilon, t_e, draws, None if noise is None else replace(noise, slots=0)
    )


def _law_of_the_cap_above_it(
    gamma: Exact, epsilon: Exact, alpha: Exact, draws: GroupDraws, releases: Exact = 1
) -> DependentDrawsPrivacy:
    return privacy_of_draws(gamma, epsilon, min(int(alpha), draws.bound or 1), draws, releases)


mutant(
    "shared-slots-drawn",
    "promise.slots",
    "A slot that shares what is left is taken for one that is drawn by itself.",
    slot_law=_without_remainder,
)
mutant(
    "rare-slots-too-rare",
    "promise.slots",
    "A rare value takes its group once in gamma + 1 times.",
    slot_law=_rare_too_often,
)
mutant(
    "noise-of-own-slots-alone",
    "promise.threshold",
    "T_f forgets the marked slots of other values.",
    dependent_draws_threshold=_own_slots_alone,
)
mutant(
    "privacy-above-the-cap",
    "promise.privacy",
    "T_P of counts above the bound of the draws is taken from the counts up to it.",
    privacy_of_draws=_law_of_the_cap_above_it,
)
