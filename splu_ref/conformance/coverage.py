"""Coverage of the operations: the share of requests that passed, by kind of request.

The denominator counts all vectors and checks of the operation in a run, including those not sent because the
program does not offer a feature. Shares are separate by kind: easy requests do not compensate for hard ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from splu_ref.channels import Json, ParameterError, exact
from splu_ref.conformance.result import Kind, Result, Verdict


class Share(NamedTuple):
    """The numbers of passed and of all requests of a kind."""

    passed: int
    of: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.of}"

    @property
    def part(self) -> Fraction:
        """The share as a number."""
        return Fraction(self.passed, self.of)

    def to_json(self) -> dict[str, Json]:
        """Return the JSON form of the share."""
        return {"passed": self.passed, "of": self.of, "share": str(self.part)}


Coverage: TypeAlias = dict[Kind, Share]
"""The shares of one operation, by kind of request."""


def coverage(results: Iterable[Result]) -> dict[str, Coverage]:
    """Return the shares by operation and kind; checks of the protocol have no kind and are left out."""
    found: dict[str, Coverage] = {}
    for result in results:
        if result.kind is not None:
            shares = found.setdefault(result.operation, {})
            passed, of = shares.get(result.kind, (0, 0))
            shares[result.kind] = Share(passed + (result.verdict is Verdict.PASSED), of + 1)
    return {name: {kind: shares[kind] for kind in Kind if kind in shares} for name, shares in found.items()}


def total_share(shares: Coverage) -> Share:
    """Return the share of all kinds together."""
    return Share(*map(sum, zip(*shares.values(), strict=True)))


def describe_shares(shares: Coverage) -> str:
    """Return the shares as text, such as ``22 of 70 answers, 3 of 3 refusals``."""
    return ", ".join(f"{share} {kind}" for kind, share in shares.items())


def read_required(text: str) -> dict[str, Fraction]:
    """Return the share of each kind that must pass by operation, from ``plan,publish=1/2``.

    An operation without a share must pass as a whole.

    Raises
    ------
    ParameterError
        If a share is none of (0, 1], or an operation stands there twice.
    """
    required: dict[str, Fraction] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, share = map(str.strip, part.partition("="))
        if name in required:
            raise ParameterError(f"--require names {name!r} twice: name each operation once")
        least = exact(share, f"the share of {name} in --require") if "=" in part else Fraction(1)
        if not 0 < least <= 1:
            raise ParameterError(f"--require {part!r}: give a share above 0 and up to 1, as {name}=1/2")
        required[name] = least
    return required


def unmet_requirements(required: Mapping[str, Fraction], coverages: Mapping[str, Coverage]) -> dict[str, str]:
    """Return, by operation, why a required share was not reached."""
    reasons = {}
    for name, least in sorted(required.items()):
        shares = coverages.get(name, {})
        tested = bool(shares.keys() - {Kind.REFUSAL})
        if not tested or any(share.part < least for share in shares.values()):
            need = "all must" if least == 1 else f"{least} of each kind must"
            reasons[name] = f"{need} pass (--require), and {describe_shares(shares) or 'nothing'} did"
    return reasons
