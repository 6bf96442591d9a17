"""The alpha-beta algorithm: its law by enumeration, drawn both ways, and its counts in a huge domain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, multinomial_point, multinomial_power
from splu_ref.channels import lower_tail_bounds
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import UniformSource, outcomes

_DOMAIN = {"a": ("x", "y")}
WORLDS = ((2, (0,)), (3, (1,)), (3, (0, 2)), (4, (1, 2)), (3, ()))
"""Sizes of domains, and the tuples of the original."""
CHANCES = (("1/2", "1/4"), ("1/3", "1/3"), ("1/2", "0"))


@check(
    "alpha-beta.law",
    "enumerated",
    "In domains of 2 to 4 tuples every published set has the product of the chances of its tuples, alpha + "
    "beta in the original and beta outside, whether the domain is gone through or the fakes are counted "
    "first; and no tuple is published twice.",
)
def law(subject: Subject, run: Run) -> Outcome:
    del run
    for (alpha, beta), (size, members), eager in product(CHANCES, WORLDS, (True, False)):
        mechanism = AlphaBeta(alpha, beta, _DOMAIN)
        numbers = np.array(members, dtype=np.int64)

        def publish(
            source: UniformSource,
            mechanism: AlphaBeta = mechanism,
            numbers: np.ndarray = numbers,
            size: int = size,
            eager: bool = eager,
        ) -> tuple[int, ...]:
            return tuple(
                sorted(subject.publish_tuples(mechanism, numbers, size, source, eager=eager).tolist())
            )

        found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for published, chance in outcomes(publish):
            found[published] += chance
        for bits in product((False, True), repeat=size):
            declared = Fraction(1)
            for number, seen in enumerate(bits):
                own = mechanism.beta + (mechanism.alpha if number in members else 0)
                declared *= own if seen else 1 - own
            chosen = tuple(number for number in range(size) if bits[number])
            if found[chosen] != declared:
                return Outcome(
                    False,
                    f"{alpha}, {beta}, {members} of {size}: {chosen} has {found[chosen]}, not {declared}",
                )
    return Outcome(True)


NAME = "alpha-beta.counts"
SIZE, MEMBERS, BATCH, BATCHES, FEWEST = 10**12, 60, 250, 12, 4
KEPT, FAKE = Fraction(1, 2), Fraction(3, 10**11)
"""Chances of a tuple of the original, and of another one: 30 of each are published on average."""
BORDERS = {KEPT: (26, 29, 31, 34), FAKE: (25, 29, 32, 36)}


def _shares(trials: int, chance: Fraction) -> list[Fraction]:
    """Return the chances of the bins that end at the boundaries; together 1, each within 2^-200 of exact."""
    tails = [lower_tail_bounds(trials, boundary - 1, chance).lower for boundary in BORDERS[chance]]
    return [after - before for before, after in pairwise([Fraction(0), *tails, Fraction(1)])]


@check(
    NAME,
    "statistical",
    "Over 3,000 releases of 60 tuples in a domain of 10^12, the numbers of genuine tuples and of fakes have "
    "their binomial laws, in five bins each.",
)
def counts(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, NAME)
    mechanism = AlphaBeta(KEPT - FAKE, FAKE, _DOMAIN)
    members = np.arange(MEMBERS, dtype=np.int64) * (SIZE // MEMBERS)
    laws = [_shares(MEMBERS, KEPT), _shares(SIZE - MEMBERS, FAKE)]

    def evidence() -> Iterator[EValue]:
        seen = np.zeros((2, 5), dtype=np.int64)
        for _ in range(run.pick(BATCHES, FEWEST)):
            for _ in range(BATCH):
                published = subject.publish_tuples(mechanism, members, SIZE, source, eager=False)
                genuine = int(np.isin(published, members).sum())
                for place, (number, borders) in enumerate(
                    zip((genuine, len(published) - genuine), BORDERS.values(), strict=True)
                ):
                    seen[place, np.searchsorted(borders, number, side="right")] += 1
            yield average([multinomial_point(row.tolist(), law) for row, law in zip(seen, laws, strict=True)])

    def power(level: Fraction) -> str:
        return f"fakes: {multinomial_power(BATCH * BATCHES, laws[1], 2, '29 to 31 fakes', level / 2)}"

    return sequential_outcome(run, NAME, evidence(), power)
