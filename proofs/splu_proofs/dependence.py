"""What rests on what among the claims: every name is known, and premises come first."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from splu_ref.channels.parameters import InputError

from .claim import Claim


def in_order(claims: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """Return the claims in an order in which each comes after those that it rests on.

    Raises
    ------
    InputError
        If a claim names one that the ledger does not have, or claims rest on each other.
    """
    for claim in claims.values():
        named = {*claim.rests_on, *claim.topples, *filter(None, [claim.corrected_by])}
        unknown = sorted(named - claims.keys())
        if unknown:
            raise InputError(
                f"{claim.id} names {', '.join(unknown)}, which the ledger does not have: restore the claim, "
                "or mend the name"
            )
    sorter = TopologicalSorter({claim.id: claim.rests_on for claim in claims.values()})
    try:
        return tuple(claims[each] for each in sorter.static_order())
    except CycleError as error:
        circle = " rests on ".join(reversed(error.args[1]))
        raise InputError(f"{circle}: a proof cannot rest on itself, take one of the names out") from None
