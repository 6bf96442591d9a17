"""The table of losses in the documentation is what the mechanisms cost on the same small tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from experiments.comparison.tuple_view import TupleView
from splu_ref.audit.world_channels import world_channel
from splu_ref.channels import Channel, EntropyLoss, World, entropy_loss, retention
from splu_ref.guarantees import decimal_up
from splu_ref.mechanisms import LN_2, Anatomy, DistributionBased, SpluGen
from tests.laplace_channel import laplace_channel

PAGE = Path(__file__).parents[2] / "docs" / "entropy.md"
VALUES = "abc"
OWN = Fraction(1, 2)


def _losses(records: int) -> dict[str, EntropyLoss[Any]]:
    laws = [dict.fromkeys(VALUES, Fraction(1, len(VALUES)))] * records
    world = World.independent(laws).where(lambda table: max(Counter(table).values()) <= records // 2)
    keep = (len(VALUES) * OWN - 1) / (len(VALUES) - 1)  # the replacement may be the true value again
    answers = retention(keep, dict.fromkeys(VALUES, Fraction(1, len(VALUES))))
    assert answers.probability("a", "a") == OWN
    channels: dict[str, Channel[tuple[str, ...], Any]] = {
        "SPLU-Gen, p = 1/2": world_channel(SpluGen(2, OWN, "anatomy"), world, VALUES),
        "Anatomy, two tables": world_channel(Anatomy(2), world, VALUES),
        "DBR": world_channel(DistributionBased(), world, VALUES),
        "randomized response, true value with 1/2": world.each(answers),
        "counts, Laplace noise, ε = ln 2": laplace_channel(LN_2, world, VALUES),
        "counts without noise": world.release(lambda table: tuple(map(table.count, VALUES))),
    }
    if records == 3:  # with four, 4096 releases take a minute
        tuples = TupleView(dict.fromkeys(range(len(VALUES)), 1), OWN, OWN / 2).channel
        named = Channel({VALUES[code]: law for code, law in tuples.laws.items()}, tuples.outputs)
        channels["αβ, true tuple with 1/2, fakes with 1/4"] = world.each(named)
    return {name: entropy_loss(world, channel.laws.__getitem__) for name, channel in channels.items()}


def test_the_table_of_losses() -> None:
    rows = []
    for records in (3, 4):
        for name, found in _losses(records).items():
            forms = (max(found.records), found.expected, found.worst, found.whole, found.leakage)
            rows.append([str(records), name, *(decimal_up(form.narrowed(), 6) for form in forms)])
    _, table, _ = PAGE.read_text(encoding="utf-8").split("<!-- losses -->\n")
    printed = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert printed == rows
