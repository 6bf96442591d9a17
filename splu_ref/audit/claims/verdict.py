"""The verdict on a claim with its evidence, and how a refuted claim is narrowed to a true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from splu_ref.guarantees import Certificate, ExactJson


class Verdict(StrEnum):
    """The verdict on a claim.

    A narrowed and a refuted claim are contradicted: a witness exists. A claim that is not decided was neither
    proved nor refuted.
    """

    CONFIRMED = "confirmed"
    NARROWED = "narrowed"
    REFUTED = "refuted"
    NOT_DECIDED = "not decided"

    @property
    def contradicted(self) -> bool:
        """Whether the claim is false as stated."""
        return self in (Verdict.NARROWED, Verdict.REFUTED)


@dataclass(frozen=True, slots=True)
class Quote:
    """A refuted claim of the ledger that a publisher repeats."""

    # id, title: its row of the ledger
    id: str
    title: str
    words: str  # how the claim was recognized
    # corrected_by, correction: the row to rely on instead, and what that row says
    corrected_by: str
    correction: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate that can be made."""

    # ``decides``: from it the verdict on the claim as stated follows. ``remains``: it proves what is left of
    # a claim that was narrowed.
    role: str
    make: Callable[[], Certificate]  # makes it; raises CertificateError where it is too large for the checker


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one claim."""

    verdict: Verdict  #: confirmed, narrowed, refuted or not decided
    stated: str  #: what the claim says, in plain words
    found: str  #: what is true: the numbers that decide, in plain words
    numbers: dict[str, ExactJson | int | None]  #: the exact numbers, by name
    recompute: str  #: a command that computes them again
    #: For a claim that is narrowed or not decided, the part of it that was shown to be true: ``true for alpha
    #: <= 3``. May be empty for the latter, and is for any other.
    true_for: str = ""
    #: For a claim that is not confirmed, the number that could be promised in its place. May be empty.
    instead: str = ""
    proofs: tuple[Proof, ...] = ()  #: the certificates that can be made
    without_certificate: str = ""  #: why there is none that decides the claim, if so
    remarks: tuple[str, ...] = ()  #: what else an auditor should know
    quotes: tuple[Quote, ...] = ()  #: refuted claims of the paper that it repeats


MOST_RELEASES = 20
"""Numbers of releases that are tried, from 1 on: the level does not always fall as they grow."""


def largest(holds: Callable[[int], bool], most: int, near: int = 1) -> int:
    """Return the largest n in 0..most - 1 with ``holds(n)``, for a property that holds up to some n only.

    Steps double from ``near`` on, up or down, and are then halved: about twice as many evaluations as the
    distance of the result from ``near`` has binary digits. With ``near`` 1, no number above twice the result
    plus one is evaluated.
    """
    if most == 1:
        return 0
    low, high, step = 0, most, 1
    start = min(max(near, 1), most - 1)
    if holds(start):
        low = start
        while low + step < most and holds(low + step):
            low += step
            step *= 2
        high = min(most, low + step)
    else:
        high = start
        while high > step and not holds(high - step):
            high -= step
            step *= 2
        low = max(0, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def first_failure(holds: Callable[[int], bool], most: int) -> int:
    """Return how many of 1, 2, .. up to ``most`` and `MOST_RELEASES` hold, until the first does not."""
    for n in range(1, min(most, MOST_RELEASES) + 1):
        if not holds(n):
            return n - 1
    return min(most, MOST_RELEASES)


def releases_text(releases: int) -> str:
    """Return for how many releases something is true, in words."""
    return "a single release" if releases == 1 else f"up to {releases} releases"
