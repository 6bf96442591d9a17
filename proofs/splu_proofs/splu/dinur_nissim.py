"""splu.DN: small errors on all subset counts give the database away."""

from __future__ import annotations

from hashlib import sha256
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status

DN = Claim(
    id="splu.DN",
    module=__name__,
    source="Fu et al. 2014, §1, Theorem 1 (after Dinur and Nissim 2003)",
    title="reconstruction from subset counts",
    statement=(
        r"\text{answers within } o(\sqrt n) \text{ for all } q \subseteq \{1,\dots,n\} \;\Longrightarrow\; "
        r"d \in \{0,1\}^n \text{ is found, but for } o(n) \text{ bits, in time polynomial in } n"
    ),
    words=(
        "Quoted from Dinur and Nissim, and true; here an attack is proved and run. For n a power of two "
        "ask for the sum of all bits and for n - 1 fixed half sets, the rows of a Hadamard matrix. If "
        "every answer is off by at most E, the bits rounded from the inverse transform are wrong in at "
        "most 36 E^2 places, which is o(n) when E is o(sqrt n). With no limit of time, all 2^n subset "
        "counts within E leave only databases that differ in at most 4E places. The theorem is about "
        "mechanisms whose every subset count is accurate; SPLU-Gen's are not, as small counts and chosen "
        "subsets have errors of their own size."
    ),
    hypotheses=(r"\text{every answer is off by at most } E",),
    status=Status.LITERATURE,
    grade=Grade.SYMBOLIC,
)


@DN.derivation
def the_hadamard_attack() -> Derivation:
    """Transform the answers back and count how many bits can be wrong."""
    return Derivation(
        setting=(
            "H is the matrix of signs with H_1 = (1) and H_2m = [[H_m, H_m], [H_m, -H_m]]. For row h, h.d "
            "= 2 (sum of d where h is +1) - (sum of all d). Answers are off by at most E. d~ is H^-1 "
            "applied to the answers, and the bit is 1 where d~ > 1/2."
        ),
        steps=(
            Identity(
                name="the transform keeps lengths",
                says=(
                    "With u, v entries of H_m applied to the two halves: (u+v)^2 + (u-v)^2 = 2 (u^2 + "
                    "v^2). So |H x|^2 = n |x|^2, step by step from n = 1."
                ),
                variables={"u": 0, "v": 0},
                left=lambda u, v: (u + v) ** 2 + (u - v) ** 2,
                right=lambda u, v: 2 * (u**2 + v**2),
            ),
            Inequality(
                name="the error of one row",
                says="2 e - t with |e|, |t| <= E is at most 3E: (E-e) + (E-e) + (E+t) >= 0; below likewise.",
                variables=("big_e", "e", "t"),
                given=lambda big_e, e, t: (big_e - e, e, big_e + t),
                slack=lambda c, e, s: (c + e, e, s - c - e),
                then=lambda big_e, e, t: 3 * big_e - (2 * e - t),
            ),
            Inequality(
                name="how many bits are wrong",
                says=(
                    "d = |d~ - d|^2 and e = E^2: |H (d~ - d)|^2 = n d <= n (3E)^2 gives d <= 9 e, and w "
                    "wrong bits, each off by 1/2 or more, give w/4 <= d. So w <= 36 E^2."
                ),
                variables=("w", "d", "e"),
                given=lambda w, d, e: (w, 4 * d - w, 9 * e - d),
                slack=lambda w, a, b: (w, (a + w) / 4, (b + (a + w) / 4) / 9),
                then=lambda w, _d, e: 36 * e - w,
            ),
        ),
        conclusion="n queries and n log n additions; if E^2/n tends to 0, so does the share of wrong bits.",
    )


@DN.computation(cases=2, perturbed="splu_proofs.splu.dinur_nissim:_transformed larger")
def a_database_of_256_bits() -> Comparisons:
    """Reconstruct 20 databases from 256 answers that are off by up to 2, the square root of n being 16."""
    n, most, worst = 256, 2, 0
    for number in range(20):
        digits = [sha256(b"%d/%d" % (number, place)).digest() for place in range(n)]
        database = [digit[0] & 1 for digit in digits]
        signed = _transformed(database)
        whole = signed[0] + digits[0][1] % (2 * most + 1) - most
        answers = [whole]
        for row in range(1, n):
            half = (signed[row] + signed[0]) // 2  # the sum of the bits where the row is +1
            answers.append(2 * (half + digits[row][1] % (2 * most + 1) - most) - whole)
        found = [int(2 * entry > n) for entry in _transformed(answers)]  # the inverse, but for the factor n
        worst = max(worst, sum(a != b for a, b in zip(found, database, strict=True)))
    yield (worst, "<=", 36 * most**2, "more bits are wrong than the bound allows")
    yield (worst * 100, "<=", n, "one wrong bit in a hundred at most")


@DN.computation(cases=1296, perturbed="splu_proofs.splu.dinur_nissim:_transformed larger")
def every_small_database_and_every_error() -> Comparisons:
    """Run the attack on n = 4 for all databases and all answers off by 0 or 1/7 of a count either way."""
    n = 4
    for database in product((0, 1), repeat=n):
        signed = _transformed([7 * bit for bit in database])  # in sevenths
        for errors in product((-1, 0, 1), repeat=n):
            whole = signed[0] + errors[0]
            halves = [(signed[row] + signed[0]) // 2 + errors[row] for row in range(1, n)]
            answers = [whole, *(2 * half - whole for half in halves)]
            found = tuple(int(2 * entry > 7 * n) for entry in _transformed(answers))
            yield (found, "=", database, f"{database} with errors {errors} is not found")


@DN.computation(cases=1, perturbed="<= 2 * bound => <= bound")
def all_subsets_and_no_limit_of_time() -> Comparisons:
    """For n = 8 and E = 1, find every pair of databases that one set of answers can fit."""
    n, bound = 8, 1
    worst = 0
    for first in range(2**n):
        for second in range(first):
            only_first, only_second = (first & ~second).bit_count(), (second & ~first).bit_count()
            # the subset on which the two counts differ most is one of these two sets
            if max(only_first, only_second) <= 2 * bound:
                worst = max(worst, only_first + only_second)
    yield (worst, "=", 4 * bound, f"databases that differ in {worst} places fit the same answers")


def _transformed(values: list[int]) -> list[int]:
    """Return the Hadamard transform of a list whose length is a power of two."""
    if len(values) == 1:
        return values
    half = len(values) // 2
    left, right = _transformed(values[:half]), _transformed(values[half:])
    pairs = list(zip(left, right, strict=True))
    return [a + b for a, b in pairs] + [a - b for a, b in pairs]
