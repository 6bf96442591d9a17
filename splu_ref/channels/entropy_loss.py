"""What a release of a table costs each record in entropy (Chirayath, Longpré and Kreinovich 2006).

Definition 2 is the largest loss of entropy of a record, H(X) - H'(X), once something has been released. H' is
the entropy of the prior of the tables that remain, brought to sum 1. For one released value it may be below
0: a release can make a record more uncertain (claim entropy.D2n). Three numbers beside it never are: the mean
over what is released, which is mutual information; the loss where it is a gain counted as none; and either of
them relative to the entropy that was there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from splu_ref.binomial import Bounds
from splu_ref.channels.channel import Out
from splu_ref.channels.entropy import entropy_of_weights
from splu_ref.channels.log_form import LogForm
from splu_ref.channels.world import Table, Value, World


@dataclass(frozen=True, kw_only=True)
class ValueLoss(Generic[Out]):
    """What one released value costs.

    Attributes
    ----------
    released
        The value.
    probability
        How likely it is to be released.
    records
        For each record the entropy before less the entropy after, in bits; below 0 if it became more
        uncertain.
    """

    released: Out
    probability: Fraction
    records: tuple[LogForm, ...]

    @property
    def loss(self) -> LogForm:
        """Definition 2 as printed: the largest loss of a record."""
        return max(self.records)

    @property
    def cost(self) -> LogForm:
        """The loss, and 0 where every record became more uncertain."""
        return self.loss if self.loss.sign() > 0 else LogForm({})


@dataclass(frozen=True, kw_only=True)
class EntropyLoss(Generic[Out]):
    """What a release costs, in bits.

    Attributes
    ----------
    entropies
        H(X) of each record before.
    values
        Every released value, in the order in which they first occur.
    records
        The expected loss of each record, which is I(X; S), its mutual information with the release.
    whole
        I(D; S), the mutual information of the whole table with the release.
    leakage
        Min-entropy leakage of the whole table: lg of how many times likelier the best guess of it is right.
    """

    entropies: tuple[LogForm, ...]
    values: tuple[ValueLoss[Out], ...]
    records: tuple[LogForm, ...]
    whole: LogForm
    leakage: LogForm

    @property
    def expected(self) -> LogForm:
        """The mean of Definition 2 over what is released; at least the largest of ``records``."""
        return LogForm.sum((each.probability, each.loss) for each in self.values)

    @property
    def relative(self) -> tuple[Bounds | None, ...]:
        """For each record the share of its entropy that it is expected to lose; None if it had none."""
        shares: list[Bounds | None] = []
        for own, lost in zip(self.entropies, self.records, strict=True):
            if not own.sign():
                shares.append(None)
                continue
            above, below = lost.narrowed(), own.narrowed()
            shares.append(Bounds(above.lower / below.upper, min(above.upper / below.lower, Fraction(1))))
        return tuple(shares)

    @property
    def worst(self) -> LogForm:
        """The largest cost of a released value, at least 0."""
        return max(each.cost for each in self.values)


def entropy_loss(
    world: World[Value], law_of: Callable[[Table[Value]], Mapping[Out, Fraction | int]]
) -> EntropyLoss[Out]:
    """Return what a release of the tables of a world costs each of its places.

    Parameters
    ----------
    world
        The tables with their prior.
    law_of
        The law of what is released of a table: ``channel.laws.__getitem__``, or ``lambda table: {f(table):
        1}`` for a function of the table, which is computed in whole numbers.
    """
    tables: dict[Out, Fraction | int] = {}
    likeliest: dict[Out, Fraction | int] = {}
    places: dict[Out, list[dict[Value, Fraction | int]]] = {}
    rows: dict[tuple[Fraction | int, ...], int] = {}
    most = 0
    for table, weight in world.weighted():
        most = max(most, weight)
        law = law_of(table)
        row = tuple(sorted(law.values()))
        rows[row] = rows.get(row, 0) + weight
        for label, chance in law.items():
            share = weight * chance
            tables[label] = tables.get(label, 0) + share
            likeliest[label] = max(likeliest.get(label, 0), share)
            for joint, value in zip(places.setdefault(label, [{} for _ in table]), table, strict=True):
                joint[value] = joint.get(value, 0) + share
    entropies = tuple(entropy_of_weights(counts.values()) for counts in world.laws())
    size = world.total
    values = tuple(
        ValueLoss(
            released=label,
            probability=Fraction(weight) / size,
            records=tuple(
                own - entropy_of_weights(joint.values())
                for own, joint in zip(entropies, places[label], strict=True)
            ),
        )
        for label, weight in tables.items()
    )
    noise = LogForm.sum((Fraction(-weight, size), entropy_of_weights(row)) for row, weight in rows.items())
    return EntropyLoss(
        entropies=entropies,
        values=values,
        records=tuple(
            LogForm.sum((each.probability, each.records[place]) for each in values)
            for place in range(world.places)
        ),
        whole=entropy_of_weights(tables.values()) + noise,
        leakage=LogForm.lg(Fraction(sum(likeliest.values(), Fraction(0))) / most),
    )
