"""The duplicate attack: a tuple that stands twice in a release is said to be genuine (Chaytor, chapter 2).

It breaks an algorithm whose second step makes up any tuple of the domain and whose release is a bag. The
alpha-beta algorithm as Rastogi, Suciu and Hong state it (2007) makes up tuples that are not in the original,
and publishes a set: it has no duplicates (claims chaytor.DUP and chaytor.DUPc).
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
"""``set``: fakes are tuples that are not in the original. ``bag``: any tuple, and one may stand twice."""
NAME = "duplicate"


def reading_named(name: str) -> Reading:
    """Return the reading of that name; raise ``ParameterError`` if there is none."""
    for reading in get_args(Reading):
        if name == reading:
            known: Reading = reading
            return known
    raise ParameterError(f"--reading {name}: choose set or bag")


def exposed_share(mechanism: AlphaBeta, reading: Reading) -> Fraction:
    """Return the chance that a tuple of the original stands twice: (alpha + beta) beta in a bag, else 0."""
    return (mechanism.alpha + mechanism.beta) * mechanism.beta if reading == "bag" else Fraction(0)


def duplicates(
    mechanism: AlphaBeta, table: Microdata, reading: Reading, source: UniformSource
) -> AttackOutcome:
    """Publish a table, and conclude from every tuple that stands twice that it is genuine.

    Parameters
    ----------
    mechanism
        What publishes; repeated rows of the table are dropped.
    table
        The original.
    reading
        How the algorithm is read: ``set`` runs the mechanism. ``bag`` publishes each genuine tuple with
        alpha + beta and each tuple of the domain with beta besides; a tuple that is not in the original
        stands there once at most, so that for the attack none is drawn.
    source
        Where random integers come from.

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
    """Look for tuples that stand twice in a release that somebody else made.

    Parameters
    ----------
    release
        The published table, by the alpha-beta algorithm.
    reading
        How its publisher read the algorithm.
    original
        The original, which tells how many of its tuples are exposed; without it the attacker's own
        conclusion is told.

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
            noticed=None,
            largest=_certain(reading, len(repeated)),
            says=_without_original(reading, len(repeated)),
            attacked=len(repeated),
        )
    members = set(_standing(original, columns))
    found = _judged(mechanism, reading, len(repeated & members), len(members))
    if repeated - members:
        raise ParameterError(
            f"{len(repeated - members)} tuples stand there twice and are not in the original: by neither "
            "reading can they; give the original of this release"
        )
    return found


def _judged(mechanism: AlphaBeta, reading: Reading, twice: int, tuples: int) -> AttackOutcome:
    predicted = exposed_share(mechanism, reading)
    e_value, noticed = point_tested(twice, tuples, predicted)
    return AttackOutcome(
        attack=NAME,
        mechanism=mechanism.name,
        success=Fraction(twice, tuples),
        predicted=predicted,
        baseline=Fraction(0),
        e_value=e_value,
        noticed=noticed,
        largest=_certain(reading, twice),
        says=(
            "the share of the original's tuples that stand twice, and are genuine for certain: fakes drawn "
            "from the whole domain give them away"
            if reading == "bag"
            else "fakes are drawn from tuples that are not in the original, and a set holds each once: none "
            "is exposed"
        ),
        attacked=tuples,
    )


def _without_original(reading: Reading, twice: int) -> str:
    if not twice:
        return "no tuple stands there twice: the attack exposes none"
    if reading == "bag":
        return f"{twice} tuples stand there twice: each is genuine for certain"
    return f"{twice} tuples stand there twice, which a set cannot show: the release is not by this reading"


def _certain(reading: Reading, twice: int) -> Fraction | None:
    return Fraction(1) if reading == "bag" and twice else None


def _standing(table: Microdata, columns: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(table.cells(column) for column in columns), strict=True))
