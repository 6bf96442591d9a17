"""A claim: what every kind of claim has, and what it knows how to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from splu_ref.audit.claims.document import SPLU_GEN, clipped
from splu_ref.audit.claims.fields import Fields
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding
from splu_ref.channels import GroupDraws, PublishedCount, shown
from splu_ref.guarantees import Certificate, ErrorProbability, Progress, error_certificate, error_probability

KEYED = "Releases of an unchanged table under the same key are copies of each other and count as one"
"""What a claim about several releases does not say by itself."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """What every claim has, whatever its kind."""

    id: str  # letters, digits, ``_`` and ``-``; the name of its certificate
    line: int  # where it begins in the file
    key_lines: Mapping[str, int]  # where each of its own keys stands
    # every text and number as it is written in the file, by key, defaults of the release included
    written: Mapping[str, str]
    source: str  # where the publisher says so, or empty


class Claim(Common, ABC):
    """A claim of some kind; a class for each kind stands in a file of its own."""

    kind: ClassVar[str]  #: the name of the kind in a file
    mechanism: ClassVar[str]  #: the mechanism that it speaks of, as a file names it
    required: ClassVar[tuple[str, ...]]  #: its keys, besides those that every claim has
    optional: ClassVar[tuple[str, ...]] = ()  #: see ``required``
    inherited: ClassVar[tuple[str, ...]] = ()  #: those of its keys that ``[release]`` may give

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Return the claim that a table of the file makes; ``common`` is what is read from it already."""

    @abstractmethod
    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Give the verdict on the claim; as `splu_ref.audit.claims.decide`, quotations left out."""

    @abstractmethod
    def work(self) -> int:
        """Estimate the work of `decide`; raises the same errors of input."""

    @property
    @abstractmethod
    def size(self) -> str:
        """The number of the claim that decides how long it takes."""

    def repeats(self, ledger: Ledger) -> Iterator[tuple[str, str]]:
        """Yield the row of a refuted claim, and how this one shows that it is the same."""
        del ledger
        yield from ()

    def said(self, key: str) -> str:
        """Return a number of the claim as the publisher wrote it, for a sentence."""
        return clipped(self.written[key])


@dataclass(frozen=True, kw_only=True)
class SpluGenClaim(Claim):
    """A claim about counts that SPLU-Gen publishes."""

    mechanism = SPLU_GEN
    law: PublishedCount  #: the law of a published count: the mechanism's group size and retention probability
    epsilon: Fraction  #: the relative error
    draws: GroupDraws  #: the law of the draws of a group

    @property
    def setting(self) -> str:
        """``with gamma = 10``, and the retention probability where it is not 1/gamma."""
        retention = "" if self.law.is_plain else f" and retention {clipped(self.written['retention'])}"
        draws = "" if self.draws.bound is None else f" and draws {self.draws}"
        return f"with gamma = {shown(self.law.gamma)}{retention}{draws}"

    def command(self, name: str, *options: str, more: str = "") -> str:
        """Return a command with gamma, retention and epsilon, and the keys that ``options`` names."""
        named = [] if self.law.is_plain else ["retention"]
        named += [] if self.draws.bound is None else ["draws"]
        keys = ("gamma", *named, "epsilon", *options)
        words = (f"--{key.replace('_', '-')} {self.written[key]}" for key in keys)
        return " ".join([f"splu-ref {name}", *words, *([more] if more else [])])

    def error_at(self, frequency: int) -> ErrorProbability:
        """Return the error probability at a count under the claim's gamma, retention and epsilon."""
        return error_probability(self.law.gamma, self.epsilon, frequency, retention=self.law.retention)

    def error_certificate(self, frequency: int) -> Certificate:
        """Return a certificate of `error_at`."""
        return error_certificate(
            self.law.gamma, self.epsilon, frequency, retention=self.law.retention, draws=self.draws
        )


@dataclass(frozen=True, slots=True)
class ClaimsFile:
    """A file of claims."""

    path: str  #: as given in the file
    title: str  #: what the file calls itself, or empty
    claims: tuple[Claim, ...]  #: in the order of the file, at least one


def records(alpha: int) -> str:
    """Return ``1 to 3 records``."""
    return "1 record" if alpha == 1 else f"1 to {shown(alpha)} records"
