"""splu.TR: the trades of the mixed plan keep every plan valid, and lead to all of them alike."""

from __future__ import annotations

from fractions import Fraction

from ..claim import Claim, Status
from ..derivation import Derivation
from ..evidence import Grade, require
from ..recheck import by_differences, by_solver, on_grid
from ..step import Identity, Inequality
from ..worlds.valid_plans import mean_together, plans

WORLDS = (
    (2, (3, 3)),
    (2, (2, 1, 1)),
    (2, (1, 1, 1, 1)),
    (2, (2, 2, 2)),
    (2, (3, 2, 1)),
    (2, (2, 2, 1, 1)),
    (2, (2, 1, 1, 1, 1)),
    (2, (1, 1, 1, 1, 1, 1)),
    (2, (4, 2, 1, 1)),
    (3, (1, 1, 1)),
    (3, (2, 1, 1, 1, 1)),
    (3, (2, 2, 1, 1)),
    (3, (3, 2, 2, 1, 1)),
    (3, (3, 3, 1, 1, 1)),
    (3, (2, 2, 2, 2, 1)),
    (4, (2, 2, 1, 1, 1, 1)),
)
"""Group sizes and histograms: one to four groups; values in every group, two values, single records."""

TR = Claim(
    id="splu.TR",
    module=__name__,
    source="new; the curveball chain of Verhelst 2008, Strona et al. 2014 and Carstens 2015",
    title="the trades of the mixed plan",
    statement=(
        r"K(x,y) = K(y,x),\quad K(x,x) > 0,\quad K \text{ irreducible on the valid plans};\qquad "
        r"\lim_k \Pr[\text{plan}_k = x] = 1/\#\{\text{valid plans}\}"
    ),
    words=(
        "In a pass the groups are paired at random, and each pair deals the values that only one of the two "
        "holds back at random, each group getting as many as it gave. Every plan on the way is valid. A pass "
        "is as likely to lead from x to y as from y to x, and passes lead from any valid plan to any other: "
        "exchanging two values between two groups is one possible deal, and such exchanges connect all "
        "tables of zeros and ones with the same margins (Ryser 1957). No small world is an exception. So "
        "the uniform law over all valid plans is the only stationary one, and the law of the plan tends to "
        "it. Two values of a group stay together in a trade with probability below 1/2, which is why the "
        "shipped number of passes is the number of binary digits of 16 times the groups; in every small "
        "world here, each pair's expected number of common groups is then within a sixteenth of a group of "
        "that under the uniform law."
    ),
    hypotheses=(r"\gamma \mid N", r"\max_v f_v \le N/\gamma", r"\text{orders uniformly random}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.G",),
    licenses=("splu_ref.decoys.mixed",),
    tests=("tests/decoys/test_mixed.py::test_the_fast_plan_is_the_reference_byte_for_byte",),
)


@TR.derivation
def a_deal_can_be_undone() -> Derivation:
    """Compare a trade of two groups with the one that leads back."""
    return Derivation(
        setting=(
            "Two groups share s values. d = gamma - s values of each are pooled and dealt in a uniform "
            "order, d to each group. a stands for d!, b for (2d)!."
        ),
        steps=(
            Identity(
                name="the sizes stay",
                says="A group keeps s values and gets d of the pool: s + d = gamma values, all distinct.",
                variables={"gamma": 2, "s": 0},
                left=lambda gamma, s: s + (gamma - s),
                right=lambda gamma, _s: gamma,
                recheck=(on_grid,),
            ),
            Identity(
                name="the pool stays",
                says=(
                    "No pooled value is dealt twice, so after the deal the groups share the same s values "
                    "and would pool the same 2d values: 2 (gamma - s) + s = 2 gamma - s in all, as before."
                ),
                variables={"gamma": 2, "s": 0},
                left=lambda gamma, s: 2 * (gamma - s) + s,
                right=lambda gamma, s: 2 * gamma - s,
                recheck=(on_grid,),
            ),
            Identity(
                name="every split is equally likely",
                says="d! d! of the (2d)! orders give a stated split: its chance depends on d alone.",
                variables={"a": 1, "b": 1},
                left=lambda a, b: a * a / b,
                right=lambda a, b: 1 / (b / (a * a)),
                recheck=(on_grid,),
            ),
        ),
        conclusion=(
            "A value stands as often after a trade as before, and in distinct groups: the plan stays valid. "
            "Given the pairs, the chance from x to y is the product over pairs of one over the number of "
            "splits, and the way back has the same pairs with the same chance and the same products. So K is "
            "symmetric, and the uniform law is stationary. Dealing everything back as it was has a positive "
            "chance, and so has exchanging two values between two groups while all other values are dealt "
            "back. By Ryser's theorem such exchanges lead from any plan to any other. A symmetric, "
            "irreducible chain that may stay where it is tends to the uniform law."
        ),
    )


@TR.derivation
def two_values_part_in_half_of_all_trades() -> Derivation:
    """Deal a pool of 2d values and ask whether two given ones come to the same group."""
    return Derivation(
        setting="d values of each of two groups are pooled, d >= 1; u and v are two of the pool.",
        steps=(
            Identity(
                name="together again",
                says=(
                    "Either of two groups, d (d-1) of the 2d (2d-1) ordered pairs of places: "
                    "2 d (d-1)/(2d (2d-1)) = (d-1)/(2d-1), whether they came from one group or from two."
                ),
                variables={"d": 1},
                left=lambda d: 2 * (d * (d - 1)) / (2 * d * (2 * d - 1)),
                right=lambda d: (d - 1) / (2 * d - 1),
                recheck=(on_grid,),
            ),
            Inequality(
                name="less than one half",
                says="2 (d - 1) < 2d - 1.",
                variables=("d",),
                given=lambda d: (d - 1,),
                slack=lambda e: (e + 1,),
                then=lambda d: (2 * d - 1) - 2 * (d - 1) - 1,
                recheck=(by_differences, by_solver),
            ),
        ),
        conclusion="After k trades of both, what is left of having started together is below 2^-k.",
    )


@TR.enumeration
def the_shipped_pass_on_every_plan() -> str:
    """Run the shipped trades on every valid plan of a world, over all outcomes of their randomness."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    states = moves = 0
    for gamma, histogram in WORLDS:
        valid = set(plans(histogram, gamma))
        chain = trades.kernel(sorted(valid))
        reached = [trades.start(histogram, gamma)]
        for plan in reached:
            reached += [after for after in chain[plan] if after not in reached]
        where = f"gamma = {gamma}, {histogram}"
        require(set(reached) == valid, f"{where}: {len(reached)} plans are reached, {len(valid)} are valid")
        for plan, law in chain.items():
            require(sum(law.values()) == 1, f"{where}: the law from {plan} does not sum to 1")
            require(law.get(plan, 0) > 0, f"{where}: {plan} is always left")
            for after, chance in law.items():
                require(chain[after].get(plan) == chance, f"{where}: {plan} and {after} are not symmetric")
                moves += 1
        states += len(valid)
    return (
        f"{len(WORLDS)} worlds, {states} plans: all valid, all reached; {moves} moves are as likely as their "
        "reverse"
    )


@TR.enumeration
def how_far_the_start_is_forgotten() -> str:
    """Compute the exact law after the shipped number of passes."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    furthest = owed = Fraction(0)
    for gamma, histogram in WORLDS:
        valid = sorted(plans(histogram, gamma))
        law = trades.after_default_passes(histogram, gamma, trades.kernel(valid))
        uniform = Fraction(1, len(valid))
        furthest = max(furthest, sum((abs(law.get(plan, 0) - uniform) for plan in valid), Fraction(0)) / 2)
        found, exact = trades.together(law), mean_together(histogram, gamma)
        owed = max(owed, *(abs(found.get(pair, Fraction(0)) - mean) for pair, mean in exact.items()))
    require(owed < Fraction(1, 16), f"a pair owes {owed} groups to the start")
    return (
        f"{len(WORLDS)} worlds: total variation from the uniform law at most {float(furthest):.4f}, expected "
        f"co-occurrence off by at most {float(owed):.4f} of a group"
    )


@TR.enumeration
def the_shipped_plan_follows_the_chain() -> str:
    """Run the shipped method itself with one and two passes, and compare with powers of the kernel."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    compared = 0
    for gamma, histogram in ((2, (2, 2, 2)), (2, (2, 2, 1, 1)), (2, (1, 1, 1, 1)), (3, (2, 1, 1, 1, 1))):
        chain = trades.kernel(sorted(plans(histogram, gamma)))
        for passes in (1, 2):
            law = trades.after_passes(histogram, gamma, chain, passes)
            shipped = trades.shipped_law(histogram, gamma, passes)
            require(shipped == law, f"{histogram}: {passes} passes have another law")
            compared += 1
    return f"{compared} laws of the shipped plan over all outcomes equal the chain's"
