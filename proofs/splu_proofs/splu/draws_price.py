"""splu.PRICE: the cost of dependent draws within a group."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations, product, zip_longest

from ..arithmetic.law import probability_mass
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, decimal
from ..worlds.group_laws import Law, all_or_none, capped, flags, independent, mixtures, shown
from ..worlds.known_others import identified
from ..worlds.valid_plans import Plan
from .capped_threshold import shared_slot

PRICE = Claim(
    id="splu.PRICE",
    module=__name__,
    source="new",
    title="the price of dependent draws",
    statement=(
        r"\Pr(\text{true value} \mid \text{release, groups, } j \text{ members}) = \frac1{\gamma-j},\qquad "
        r"d_{TV}(L_f, L_{f-1}) \le \max_k \Pr(\mathrm{Bin}(\gamma\min(m,f-1),\tfrac1\gamma) = k)"
    ),
    words=(
        "Two prices, decided. Corruption: under every law of exchangeable draws, whoever knows the groups "
        "and the values of j other members of a record's group gives its true value 1/(gamma - j), and "
        "nobody gives more; all or none shows the group whenever exactly one group of a rare value wins, so "
        "that one corrupted member is enough for 1/(gamma - 1). Full knowledge: who knows the values of all "
        "other records, and so that a value occurs f or f - 1 times, names it right with one half of 1 plus "
        "the total variation between the laws of its count (L). Capped at m, that is at most the largest "
        "probability of Bin(gamma m, 1/gamma), for every f above m, and no less where no other value has a "
        "flag in the groups of v; with independent draws it goes on falling as f grows. So there is no step "
        "at the cap, only an end of the fall. Gamma = 5: right in at most 0.570, 0.523 and 0.512 of the "
        "cases for m = 10, 100, 400, and 0.503 with independent draws at f = 10,001. In whole releases of "
        "small tables, whose rows disclose something as well, he is right more often, and the laws have the "
        "same order: a permutation discloses everything to him."
    ),
    hypotheses=(
        r"p = 1/\gamma",
        "groups draw independently of each other, flags that do not depend on the draws",
        "every assignment equally likely before the release",
        "at f and f - 1 the other groups of v, and their flags, are alike",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.EX", "splu.CAP"),
)


@PRICE.derivation
def one_group_more() -> Derivation:
    """Count the assignments that remain, and move the count by what one group adds."""
    return Derivation(
        setting=(
            "By splu.EX all assignments of a group are equally likely given the release. With j members "
            "known, u = gamma - j remain, in u! = H + (u-1) H ways, H = (u-1)!. Given the flags, the count "
            "at f is the count at f - 1 and the number k of one more group, independent, with mean 1. The "
            "count at f - 1 is a binomial one, of gamma min(m, f-1) draws, and what other groups add, "
            "independently. L moved by k is apart from L by at most k times L moved by 1, so the mean over "
            "k is at most L moved by 1 (E k = 1), which is at most the binomial law moved by 1."
        ),
        steps=(
            Identity(
                name="the value of a member",
                says="H of the assignments give a member a given one of the u values: 1/u.",
                variables={"H": 1, "u": 1},
                left=lambda ways, u: ways / (ways + (u - 1) * ways),
                right=lambda _ways, u: 1 / u,
            ),
            Identity(
                name="one peak",
                says=(
                    "b(k)/b(k-1) - 1 = (gamma g + 1 - gamma k)/(k (gamma-1)) for g = min(m, f-1): the "
                    "binomial law rises and then falls, so moving it by 1 changes it by its largest term."
                ),
                variables={"gamma": 2, "g": 1, "k": 1},
                left=lambda gamma, g, k: (gamma * g - k + 1) / (k * (gamma - 1)) - 1,
                right=lambda gamma, g, k: (gamma * g + 1 - gamma * k) / (k * (gamma - 1)),
            ),
        ),
        conclusion="Both hold for every gamma, m and f; with f = 1 the second bound is 1.",
    )


@PRICE.computation(
    cases=454,
    perturbed=(
        "splu_proofs.worlds.group_laws:mixtures smaller",
        "Fraction(1, gamma - known) => Fraction(1, gamma)",
    ),
)
def corrupted_members() -> Comparisons:
    """Compute the posterior of every member's value given others', for laws of groups of two to four."""
    laws: list[Law] = [*mixtures(2), *mixtures(3), all_or_none((True, False, False, True))]
    for law in laws:
        gamma, outcomes = len(next(iter(law))), shown(law)
        for seen in outcomes:
            for known in range(
                gamma
            ):  # the last member's slot, where those of members 0 .. known-1 are known
                weights = [Fraction(0)] * gamma
                for slots in permutations(range(gamma)):  # who holds which slot
                    if slots[:known] == tuple(range(known)):
                        dealt = tuple(seen[slots.index(slot)] for slot in range(gamma))
                        weights[slots[-1]] += outcomes[dealt]
                yield (
                    {weight / sum(weights) for weight in weights if weight},
                    "=",
                    {Fraction(1, gamma - known)},
                    f"{law}: {seen} with {known} known",
                )


def _permuted(plan: Plan, _: tuple[int, ...]) -> list[Law]:
    return [{(1,) * len(group): Fraction(1)} for group in plan]


def _independent(plan: Plan, _: tuple[int, ...]) -> list[Law]:
    return [independent(len(group)) for group in plan]


def _capped(cap: int, plan: Plan, _: tuple[int, ...]) -> list[Law]:
    return [capped(marks) for marks in flags(plan, cap)]


def _all_or_none(a: int, plan: Plan, histogram: tuple[int, ...]) -> list[Law]:
    return [all_or_none([histogram[value] <= a for value in group]) for group in plan]


@PRICE.computation(cases=6, perturbed="splu_proofs.worlds.group_laws:capped larger")
def whole_releases_of_small_tables() -> Comparisons:
    """Compute how often one of two values is named right by who knows all other records and the release."""
    for gamma, others, values in ((2, (0, 0, 1, 1, 2), 3), (3, (0, 1, 2, 2, 3), 4)):
        rights = {
            name: identified(others, gamma, values, laws)
            for name, laws in (
                ("permutation", _permuted),
                ("capped:1", partial(_capped, 1)),
                ("capped:2", partial(_capped, 2)),
                ("independent", _independent),
                ("all-or-none:1", partial(_all_or_none, 1)),
            )
        }
        falling = [rights[name] for name in ("permutation", "capped:1", "capped:2", "independent")]
        yield (falling, "=", sorted(falling, reverse=True), f"{rights}")
        yield (falling[0], "=", 1, f"{rights}")
        yield (falling[1], ">", falling[3], "a cap costs nothing")


def peak(gamma: int, groups: int) -> Fraction:
    """Return the largest probability of Bin(gamma groups, 1/gamma): that of its mean."""
    return probability_mass(gamma, groups, groups)


@PRICE.computation(
    cases=40,
    perturbed=("splu_proofs.splu.draws_price:peak larger", "splu_proofs.arithmetic.law:trial_weight larger"),
)
def counts_above_and_below_the_cap() -> Comparisons:
    """Compare the total variation of neighboring counts with the peak, and name the shares."""
    for gamma, cap in product((2, 3, 5), (1, 2, 4, 7)):
        law = [probability_mass(gamma, cap, k) for k in range(gamma * cap + 1)]
        moved = (
            sum(
                (abs(a - b) for a, b in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)),
                Fraction(0),
            )
            / 2
        )
        yield (moved, "=", max(law), f"gamma = {gamma}, m = {cap}: {moved}")
        yield (max(law), "=", peak(gamma, cap), f"gamma = {gamma}, m = {cap}: {moved}")
        further = [probability_mass(gamma, cap + 1, k) for k in range(gamma * cap + gamma + 1)]
        gap = (
            sum(
                (abs(a - b) for a, b in zip([*law, *[Fraction(0)] * gamma], further, strict=True)),
                Fraction(0),
            )
            / 2
        )
        yield (gap, "<=", moved, f"gamma = {gamma}, f = {cap + 1}: independent draws disclose more")
    shares = {m: (1 + peak(5, m)) / 2 for m in (10, 100, 400, 10_000)}
    for m, expected in ((10, "0.569"), (100, "0.522"), (400, "0.511"), (10_000, "0.502")):
        yield (decimal(shares[m], 3), "=", f"{expected}...", f"m = {m}: {decimal(shares[m], 4)}")


@PRICE.computation(
    cases=48,
    perturbed=(
        "splu_proofs.splu.draws_price:_sum larger",
        "splu_proofs.splu.capped_threshold:shared_slot larger",
    ),
)
def groups_with_flags_of_others() -> Comparisons:
    """Compare the total variation of neighboring counts with the bound where other values have flags."""
    for gamma, cap in ((2, 1), (2, 3), (3, 1), (3, 2), (4, 2)):
        noise = [probability_mass(gamma, cap, k) for k in range(gamma * cap + 1)]
        for beside in combinations_with_replacement(range(gamma), 3):  # flags of others in groups beyond
            before = noise
            for flagged in beside[:2]:
                before = _sum(before, shared_slot(gamma, flagged))
            gap = _variation(before, _sum(before, shared_slot(gamma, beside[2])))
            yield (gap, "<=", peak(gamma, cap), f"gamma = {gamma}, m = {cap}, flags {beside}: {gap}")


def _sum(law: list[Fraction], more: Mapping[int, Fraction]) -> list[Fraction]:
    """Return the law of a sum of two independent numbers."""
    found = [Fraction(0)] * (len(law) + max(more))
    for at, part in enumerate(law):
        for k, chance in more.items():
            found[at + k] += part * chance
    return found


def _variation(law: list[Fraction], other: list[Fraction]) -> Fraction:
    """Return the total variation between two laws of 0, 1, 2, ..."""
    pairs = zip_longest(law, other, fillvalue=Fraction(0))
    return sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2
