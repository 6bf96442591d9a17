"""Put generated certificates through both checkers, the one in Python and the one that Coq has proved.

``python -m tests.proofs.kernel_certificates 10000`` prints for each claim how many certificates were made and
how many both checkers call valid, and ends with exit code 1 if a certificate is not valid for both. The first
certificates are the same in every run.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import comb

from splu_ref.certificate_checker import check_text
from splu_ref.channels import GroupDraws, Levels
from splu_ref.guarantees import (
    Certificate,
    KernelWord,
    TupleChances,
    TupleLevels,
    breach_certificate,
    concept_certificate,
    d_gamma_certificate,
    error_certificate,
    kernel_check,
    kernel_program,
    privacy_certificate,
    rare_privacy_certificate,
    threshold_certificate,
)


def _fraction(choose: random.Random, most: int) -> Fraction:
    return Fraction(choose.randint(1, most), choose.randint(1, most))


def _share(choose: random.Random, most: int) -> Fraction:
    """Return a fraction above 0 and below 1."""
    below = choose.randint(2, most)
    return Fraction(choose.randint(1, below - 1), below)


def _retention(choose: random.Random, gamma: int) -> Fraction | None:
    """Return None for 1/gamma, or in two of three cases another retention probability."""
    retention = _share(choose, 12)
    return None if choose.randrange(3) == 0 or retention == Fraction(1, gamma) else retention


def _privacy(choose: random.Random) -> Certificate:
    gamma, releases = choose.randint(2, 12), choose.choice([1, 1, 2, 3])
    if choose.randrange(5) == 0:
        bound = GroupDraws("all-or-none", 40)
        return rare_privacy_certificate(gamma, _fraction(choose, 12), choose.randint(1, 40), bound)
    retention = _retention(choose, gamma)
    draws = GroupDraws("capped", 25) if not retention and releases == 1 and choose.randrange(3) == 0 else None
    alpha = choose.randint(1, 25 // releases)
    return privacy_certificate(
        gamma, _fraction(choose, 12), alpha, releases, retention=retention, draws=draws
    )


def _error(choose: random.Random) -> Certificate:
    gamma = choose.randint(2, 12)
    retention = _retention(choose, gamma)
    return error_certificate(gamma, _fraction(choose, 12), choose.randint(1, 40), retention=retention)


def _threshold(choose: random.Random) -> Certificate:
    gamma, epsilon, t_e = (
        choose.randint(2, 12),
        Fraction(choose.randint(2, 12), 6),
        Fraction(1, choose.randint(1, 8)),
    )
    return threshold_certificate(gamma, epsilon, t_e, retention=_retention(choose, gamma))


def concept_error(
    gamma: int, epsilon: Fraction, rows: int, f: int, count: int, both: int, decoys: int
) -> Fraction:
    """Return the probability that the corrected estimate of ``both`` is off, as a sum over every outcome."""
    inside, outside, wrong = both + decoys, gamma * f - both - decoys, 0
    for y3, y1 in product(range(inside + 1), range(outside + 1)):
        published = y3 + y1
        if gamma * published < rows:
            raw = gamma * (rows - published) * y3 - count * (gamma - 1) * published
            estimate = min(max(Fraction(raw, rows - gamma * published), Fraction(0)), Fraction(count))
            if abs(estimate - both) < epsilon * both:
                continue
        wrong += comb(inside, y3) * comb(outside, y1) * (gamma - 1) ** (gamma * f - published)
    return Fraction(wrong, gamma ** (gamma * f))


def _concept(choose: random.Random) -> Certificate:
    gamma, f, epsilon = choose.randint(2, 5), choose.randint(1, 6), _fraction(choose, 12)
    both, decoys = choose.randint(1, f), choose.randint(0, (gamma - 1) * f)
    count = both + decoys + choose.randint(0, 20)
    rows = gamma * (f + -(-count // gamma) + choose.randint(0, 20))
    return concept_certificate(
        gamma,
        epsilon,
        rows=rows,
        sensitive_count=f,
        predicate_count=count,
        concept_count=both,
        decoys_in_predicate=decoys,
        error=concept_error(gamma, epsilon, rows, f, count, both, decoys),
    )


def _tuples(choose: random.Random) -> Certificate:
    """Return a certificate of chances and levels that are drawn until the levels allow the chances."""
    while True:
        alpha, rest = _share(choose, 60), _share(choose, 60)
        chances = TupleChances(alpha, (1 - alpha) * rest)
        d, gamma = sorted([_share(choose, 40), _share(choose, 40)])
        levels = TupleLevels(d, gamma)
        if levels.allow(chances):
            return d_gamma_certificate(chances, levels)


def _replacement(choose: random.Random, claim: str) -> Certificate:
    """Return a certificate of a breach, or of none under any prior or given counts, whichever is named."""
    while True:
        values = choose.randint(2, 30)
        low, high = sorted([_share(choose, 30), _share(choose, 30)])
        size = choose.randint(2, min(values, 9))
        given = choose.randrange(2) == 0
        counts = [choose.randint(1, 50) for _ in range(size)] if given else None
        if low == high:
            continue
        certificate = breach_certificate(_share(choose, 30), values, Levels(low, high), counts)
        if certificate["claim"] == claim:
            return certificate


GENERATED: dict[str, Callable[[random.Random], Certificate]] = {
    "small-sum-privacy": _privacy,
    "error-probability": _error,
    "utility-threshold": _threshold,
    "concept-error": _concept,
    "d-gamma": _tuples,
    "breach": lambda choose: _replacement(choose, "breach"),
    "safe": lambda choose: _replacement(choose, "safe"),
}
"""What makes a certificate of each claim that the proved checker covers, with parameters at random."""


@dataclass
class Comparison:
    """The certificates of one claim: how many were made, how many both call valid, and the others."""

    claim: str
    made: int = 0
    accepted: int = 0
    refused: list[str] = field(default_factory=list)


def compared(number: int) -> list[Comparison]:
    """Generate certificates of all claims in turn, and return what both checkers say of them, by claim."""
    choose = random.Random("certificates")
    rows = [Comparison(claim) for claim in GENERATED]
    for place in range(number):
        row = rows[place % len(rows)]
        text = json.dumps(GENERATED[row.claim](choose))
        row.made += 1
        if check_text(text).valid and kernel_check(text).word is KernelWord.VALID:
            row.accepted += 1
        else:
            row.refused.append(text)
    return rows


def main(arguments: list[str]) -> int:
    """Print the comparison; return 1 if a certificate is not valid for both, 2 if nothing can be compared."""
    if kernel_program() is None or len(arguments) != 1 or not arguments[0].isdecimal():
        sys.stderr.write("usage: python -m tests.proofs.kernel_certificates NUMBER, after make coq\n")
        return 2
    rows = compared(int(arguments[0]))
    lines = [f"{'claim':20}{'certificates':>14}{'valid for both':>16}"]
    lines += [f"{row.claim:20}{row.made:14,}{row.accepted:16,}" for row in rows]
    refused = [text for row in rows for text in row.refused]
    sys.stdout.write("\n".join([*lines, *refused, ""]))
    return int(bool(refused))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
