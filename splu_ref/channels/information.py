"""Exact entropies in bits: entropy, mutual information, min-entropy leakage, entropy loss of a release.

An entropy is a `LogForm`, so that equality is decidable and order is certified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Generic

from splu_ref.channels.beliefs import prior_law, prior_vulnerability, vulnerability
from splu_ref.channels.binomial_bounds import Bounds
from splu_ref.channels.channel import Channel, In, Out, total
from splu_ref.channels.logarithms import LogForm
from splu_ref.channels.parameters import Exact, ParameterError, exact, shown
from splu_ref.channels.world import Table, Value, World


def entropy(law: Mapping[Out, Exact]) -> LogForm:
    """Return Shannon's entropy of a law, H = sum of p lg(1/p).

    Raises
    ------
    ParameterError
        If the chances are below 0 or do not add up to 1.
    """
    chances = {label: exact(entry, f"the probability of {label!r}") for label, entry in law.items()}
    if total(chances) != 1 or min(chances.values()) < 0:
        raise ParameterError(
            f"the probabilities add up to {shown(total(chances))}: give a law, of numbers from 0 to 1"
        )
    return entropy_of_weights(chances.values())


def entropy_of_weights(weights: Iterable[Fraction | int]) -> LogForm:
    """Return the entropy of the law in proportion to weights of at least 0, not all 0.

    Notes
    -----
    With whole weights a that add up to t it is lg t - (sum of a lg a)/t.
    """
    given = [weight for weight in weights if weight]
    scale = lcm(*(weight.denominator for weight in given))
    whole = Counter(int(weight * scale) for weight in given)
    size = sum(weight * count for weight, count in whole.items())
    terms = {weight: Fraction(-weight * count, size) for weight, count in whole.items()}
    terms[size] = terms.get(size, Fraction(0)) + 1
    return LogForm.of(terms)


def mutual_information(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> LogForm:
    """Return the mutual information I(X; S) = H(X) + H(S) - H(X, S) of true and published state, in bits.

    It is the expected loss of the state's entropy, between 0 and H(X), although a single published value may
    raise the entropy.

    Raises
    ------
    ParameterError
        If the prior is no law on the true states.
    """
    law = prior_law(channel, prior)
    joint = {
        (state, label): chance * entry
        for state, chance in law.items()
        for label, entry in channel.laws[state].items()
    }
    seen: dict[Out, Fraction] = {}
    for (_, label), chance in joint.items():
        seen[label] = seen.get(label, Fraction(0)) + chance
    apart = entropy_of_weights(law.values()) + entropy_of_weights(seen.values())
    return apart - entropy_of_weights(joint.values())


def min_entropy_leakage(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> LogForm:
    """Return the min-entropy leakage: lg of the ratio of posterior to prior vulnerability.

    At least 0, and largest under the uniform prior.
    """
    return LogForm.lg(vulnerability(channel, prior) / prior_vulnerability(prior))


@dataclass(frozen=True, kw_only=True)
class ValueLoss(Generic[Out]):
    """The entropy loss caused by one released value."""

    released: Out  #: the value
    probability: Fraction  #: how likely it is to be released
    #: for each record the entropy before less the entropy after, in bits; below 0 if it became more uncertain
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
    """The entropy loss caused by a release, in bits."""

    entropies: tuple[LogForm, ...]  #: H(X) of each record before
    values: tuple[ValueLoss[Out], ...]  #: every released value, in the order in which they first occur
    #: the expected loss of each record, which is I(X; S), its mutual information with the release
    records: tuple[LogForm, ...]
    whole: LogForm  #: I(D; S), the mutual information of the whole table with the release
    #: min-entropy leakage of the whole table: lg of how many times likelier the best guess of it is right
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
    """Return the entropy loss of each place of a world's tables by a release.

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
