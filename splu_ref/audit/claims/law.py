"""The law of a published count that claims about SPLU-Gen speak of, and the keys that say it."""

from __future__ import annotations

from fractions import Fraction
from typing import TypedDict

from splu_ref.audit.claims.fields import Fields
from splu_ref.channels import PublishedCount
from splu_ref.model import Gamma, positive, retention_probability

COUNTED = ("gamma", "epsilon")
"""Keys that every claim about published counts has."""
INHERITED = (*COUNTED, "retention")
"""Those that ``[release]`` may give."""


class Counted(TypedDict):
    """The attributes of a claim about published counts."""

    law: PublishedCount
    epsilon: Fraction


def published_law(fields: Fields) -> Counted:
    """Read the group size, the retention probability and the relative error."""
    gamma = fields.number("gamma", group_size)
    retention = fields.number("retention", retained) if "retention" in fields else Fraction(1, gamma)
    return {"law": PublishedCount(gamma, retention), "epsilon": fields.number("epsilon", positive)}


def group_size(value: str | int, _: str) -> Gamma:
    """Return a group size, for `Fields.number`."""
    return Gamma(value)


def retained(value: str | int, _: str) -> Fraction:
    """Return a retention probability of SPLU-Gen, for `Fields.number`."""
    return retention_probability(value, Gamma(2))  # the group size matters for the default only
