"""splu.X0: case 2 of section 5.3, the count of a conjunction when the other instances are given."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product

from ..arithmetic.law import probability_mass
from ..terms import Claim, Comparisons, Grade, Status

X0 = Claim(
    id="splu.X0",
    module=__name__,
    source="Fu et al. 2014, §5.3, case 2",
    title="the count of a conjunction, given the others' instances",
    statement=(r"f' \ge x_0:\quad \arg\max_{x\in\mathbb{Z}_{\ge 0}} b(\gamma x;\, f'-x_0) = \{f'-x_0\}"),
    words=(
        "True, if x0 is given: of f' published instances of s, x0 come from the groups of holders of s "
        "outside P, the rest is the count of gamma x trials, and splu.T2 applies to it. But x0 cannot be "
        "observed. The groups are not published, and one release can have come from different x0: with "
        "counts (2, 1, 1), gamma = 2, s = 0, P one holder of s, the same release arises with x0 = 1 and x0 = "
        "2, equally likely. So f' - x0 is no estimate that anybody can compute."
    ),
    hypotheses=(r"\gamma \ge 2", r"x_0 \ge 0"),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="it is splu.T2 with f' - x0 for the published count",
    rests_on=("splu.B", "splu.T2"),
)


@X0.computation(cases=7920, perturbed="(gamma, left, left) => (gamma, 3 * left + 3, left)")
def every_small_likelihood() -> Comparisons:
    """At gamma 2..5 and f' up to 10: no x up to 30 makes f' - x0 as likely as f' - x0 itself."""
    for gamma in range(2, 6):
        for count in range(11):
            for others in range(count + 1):
                left = count - others
                best = probability_mass(gamma, left, left)
                for x in range(31):
                    if x != left:
                        yield (
                            probability_mass(gamma, x, left),
                            "<",
                            best,
                            f"gamma = {gamma}, f' = {count}, x0 = {others}",
                        )


@X0.computation(cases=2, perturbed="Fraction(1, 2) ** 4 => Fraction(1, 2) ** 5")
def one_release_and_two_values_of_x0() -> Comparisons:
    """Write out counts (2, 1, 1), gamma = 2: for each release, how likely each x0 is."""
    found: defaultdict[tuple[int, ...], dict[int, Fraction]] = defaultdict(dict)
    for first, second in permutations(((0, 1), (0, 2))):  # the groups of the two holders of 0
        groups = (first, second, (0, 1), (0, 2))  # records 0 and 1 hold 0, record 2 holds 1, record 3 holds 2
        for release in product(*groups):
            others = sum(release[i] == 0 for i in range(4) if groups[i] == second)
            before = found[release].get(others, Fraction(0))
            found[release][others] = before + Fraction(1, 2) * Fraction(1, 2) ** 4
    yield (sum(sum(each.values()) for each in found.values()), "=", 1, "the law does not add up to 1")
    yield (found[0, 0, 0, 2], "=", {1: Fraction(1, 32), 2: Fraction(1, 32)}, f"{found[0, 0, 0, 2]}")
