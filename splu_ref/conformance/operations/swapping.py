"""The operation that publishes by swapping, from a tape."""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Json
from splu_ref.conformance.operations.publishing import codes_of
from splu_ref.mechanisms import Swapping
from splu_ref.randomness import TapeSource
from splu_ref.spec.requests import Fields


def publish_swap(fields: Fields) -> dict[str, Json]:
    """Answer the release of columns by swapping from a tape, and which cells moved where."""
    columns, mechanism = fields.columns("sensitive"), Swapping(fields.exact("retention"))
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    codes = {str(number): codes_of(column) for number, column in enumerate(columns)}
    done = mechanism.publish_columns(codes, {}, lambda _: tape)
    orders, places = [], []
    for own in codes.values():
        coins = again.below(mechanism.retention.denominator, len(own))
        released = np.flatnonzero(coins >= mechanism.retention.numerator)
        orders.append(released[again.permutation(len(released))].tolist())
        places.append(released[again.permutation(len(released))].tolist())
    return {
        "published": [done.published[name].tolist() for name in codes],
        "consumed": tape.consumed,
        "cells": orders,
        "places": places,
    }
