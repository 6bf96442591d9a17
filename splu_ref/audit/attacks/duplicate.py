"""The duplicate attack: a tuple that occurs twice in a release must be genuine (Chaytor, chapter 2).

It breaks an algorithm whose fakes may be any tuple of the domain and whose release is a bag. The alpha-beta
algorithm of Rastogi, Suciu and Hong (2007) draws fakes that are not in the original, and publishes a set: it
has no duplicates (claims chaytor.DUP and chaytor.DUPc).
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from splu_ref.audit.attacks.outcome import AttackOutcome, point_tested
from splu_ref.audit.e_values import EValue
from splu_ref.channels import ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import AlphaBeta, PublishedTable
from splu_ref.randomness import UniformSource

Reading = Literal["set", "bag"]
"""``set``: fakes are tuples that are not in the original. ``bag``: any tuple, and one may occur twice."""
NAME = "duplicate"


def reading_named(name: str) -> Reading:
    """Return the reading of that name; raise ``ParameterError`` if there is none."""
    for reading in get_args(Reading):
        if name == reading:
            known: Reading = reading
            return known
    raise ParameterError(f"--reading {name}: choose set or bag")


def exposed_share(mechanism: AlphaBeta, reading: Reading) -> Fraction:
    """Return the probability that a genuine tuple occurs twice: (alpha + beta) beta in a bag, else 0."""
    return (mechanism.alpha + mechanism.beta) * mechanism.beta if reading == "bag" else Fraction(0)


def duplicates(
    mechanism: AlphaBeta, table: Microdata, reading: Reading, source: UniformSource
) -> AttackOutcome:
    """Publish a table, and infer that every tuple that occurs twice is genuine.

    Parameters
    ----------
    mechanism
        The mechanism; repeated rows of the table are dropped.
    table
        The original.
    reading
        Interpretation of the algorithm: ``set`` runs the mechanism. ``bag`` publishes each genuine tuple with
        probability alpha + beta, and in addition each tuple of the domain with beta; fakes that are not in
        the original occur at most once, so they are not drawn here.
    source
        Source of random integers.

    Raises
    ------
    DataError, ParameterError
        If the mechanism cannot publish the table.
    """
    dropping = AlphaBeta(
        mechanism.alpha, mechanism.beta, dict(mechanism.domains), distinct=True, large=mechanism.large
    )
    members = dropping.tuples(table)[1]
    if reading == "set":
        published = dropping.publish_tuples(members, dropping.size, source)
        twice = len(published) - len(np.unique(published))
    else:
        kept, fake = mechanism.alpha + mechanism.beta, mechanism.beta
        genuine = source.below(kept.denominator, len(members)) < kept.numerator
        made_up = source.below(fake.denominator, len(members)) < fake.numerator
        twice = int(np.count_nonzero(genuine & made_up))
    return _judged(mechanism, reading, twice, len(members))


def duplicates_in(
    release: PublishedTable, reading: Reading, original: Microdata | None = None
) -> AttackOutcome:
    """Search an existing release for duplicate tuples.

    Parameters
    ----------
    release
        The published table, by the alpha-beta algorithm.
    reading
        The publisher's interpretation of the algorithm.
    original
        The original, to count its exposed tuples; without it the outcome has the attacker's conclusion.

    Raises
    ------
    ParameterError
        If the release is by another mechanism.
    """
    mechanism = release.mechanism
    if not isinstance(mechanism, AlphaBeta):
        raise ParameterError(f"{mechanism.name} publishes no set of tuples: choose another attack")
    columns = [column for column, _ in mechanism.domains]
    repeated = {each for each, times in _standing(release.table, columns).items() if times > 1}
    if original is None:
        return AttackOutcome(
            attack=NAME,
            mechanism=mechanism.name,
            success=None,
            predicted=exposed_share(mechanism, reading),
            baseline=Fraction(0),
            e_value=EValue(math.inf) if repeated and reading == "set" else None,
            detectable=None,
            largest=_certain(reading, len(repeated)),
            measure=_without_original(reading, len(repeated)),
            attacked=len(repeated),
        )
    members = set(_standing(original, columns))
    found = _judged(mechanism, reading, len(repeated & members), len(members))
    if repeated - members:
        raise ParameterError(
            f"{len(repeated - members)} tuples occur twice and are not in the original, which is impossible: "
            "give the original of this release"
        )
    return found


def _judged(mechanism: AlphaBeta, reading: Reading, twice: int, tuples: int) -> AttackOutcome:
    predicted = exposed_share(mechanism, reading)
    e_value, detectable = point_tested(twice, tuples, predicted)
    return AttackOutcome(
        attack=NAME,
        mechanism=mechanism.name,
        success=Fraction(twice, tuples),
        predicted=predicted,
        baseline=Fraction(0),
        e_value=e_value,
        detectable=detectable,
        largest=_certain(reading, twice),
        measure=(
            "the share of the original's tuples that occur twice, and are certainly genuine: fakes drawn "
            "from the whole domain expose them"
            if reading == "bag"
            else "fakes are drawn from tuples that are not in the original, and a set has each once: none "
            "is exposed"
        ),
        attacked=tuples,
    )


def _without_original(reading: Reading, twice: int) -> str:
    if not twice:
        return "no tuple occurs twice: the attack exposes none"
    if reading == "bag":
        return f"{twice} tuples occur twice: each is certainly genuine"
    return f"{twice} tuples occur twice, which is impossible in a set: the release is not by this reading"


def _certain(reading: Reading, twice: int) -> Fraction | None:
    return Fraction(1) if reading == "bag" and twice else None


def _standing(table: Microdata, columns: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(table.cells(column) for column in columns), strict=True))
