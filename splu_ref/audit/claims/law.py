"""The law of a published count that claims about SPLU-Gen speak of, and the keys that say it."""

from __future__ import annotations

from fractions import Fraction
from typing import TypedDict

from splu_ref.audit.claims.fields import Fields
from splu_ref.channels import Gamma, GroupDraws, InputError, PublishedCount, positive, retention_probability

COUNTED = ("gamma", "epsilon")
"""Keys that every claim about published counts has."""
INHERITED = (*COUNTED, "retention", "draws")
"""Those that ``[release]`` may give."""


class LawFields(TypedDict):
    """The attributes of a claim about published counts."""

    law: PublishedCount
    epsilon: Fraction
    draws: GroupDraws


def published_law(fields: Fields, *, any_draws: bool = False) -> LawFields:
    """Read the group size, the retention probability, the relative error and the law of the draws."""
    gamma = fields.number("gamma", group_size)
    retention = fields.number("retention", retained) if "retention" in fields else Fraction(1, gamma)
    law = PublishedCount(gamma, retention)
    draws = group_draws(fields) if "draws" in fields else GroupDraws()
    if draws.bound is not None and not any_draws:
        fields.refuse("draws", 'this kind of claim is treated for independent draws: write "independent"')
    if draws.bound is not None and not law.is_plain:
        fields.refuse("draws", f"draws {draws} have retention 1/gamma: leave out the retention")
    return {"law": law, "epsilon": fields.number("epsilon", positive), "draws": draws}


def group_draws(fields: Fields) -> GroupDraws:
    """Read the law of the draws of a group."""
    text = fields.written.get("draws")
    if text is None:
        fields.refuse("draws", 'draws is no text: write "independent", "capped:M" or "all-or-none:A"')
    try:
        return GroupDraws.parse(text)
    except InputError as error:
        fields.refuse("draws", str(error).replace("--draws", "draws"))


def group_size(value: str | int, _: str) -> Gamma:
    """Return a group size, for `Fields.number`."""
    return Gamma(value)


def retained(value: str | int, _: str) -> Fraction:
    """Return a retention probability of SPLU-Gen, for `Fields.number`."""
    return retention_probability(value, Gamma(2))  # the group size matters for the default only
