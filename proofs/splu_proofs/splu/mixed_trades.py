"""splu.TR: the trades of the mixed plan keep every plan of a block valid, and lead to all of them alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.valid_plans import Plan, mean_together, plans

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
    (3, (3, 2, 2, 2)),
    (4, (2, 2, 1, 1, 1, 1)),
)
"""Group sizes and histograms: one to four groups; values in every group, two values, single records."""

IN_BLOCKS = ((2, (2, 2, 2, 2)), (2, (3, 2, 1, 1, 1)), (2, (1, 1, 1, 1, 1, 1, 1, 1)), (3, (4, 3, 2, 1, 1, 1)))
"""Four groups in two blocks of two."""

TR = Claim(
    id="splu.TR",
    module=__name__,
    source="new; continues the swap chains of Verhelst 2008, Strona et al. 2014 and Carstens 2015",
    title="the trades of the mixed plan",
    statement=(
        r"w_x K(x,y) = w_y K(y,x),\quad K(x,x) > 0,\quad \sum_{x \in A(P)} w_x \text{ the same for all lists "
        r"of groups } P;\qquad \lim_k \Pr[\text{block}_k = P] = 1/\#\{\text{valid plans of the block}\}"
    ),
    words=(
        "A block of the plan is the cyclic plan of every B-th group, and makes passes by itself. In a pass "
        "its groups are paired at random; of the d values that only one of the two groups holds, the i-th of "
        "the first faces number i + r modulo d of the second, r random, and the two change places if a coin "
        "says so. Let x be the values slot by slot, without the order of the groups, w_x the number of "
        "orders in which its groups can stand, and A(P) all x that are reached and hold the plan P. Passes "
        "lead from x to y as they lead back, so that every arrangement reached becomes as likely as every "
        "other. Every valid plan of the block is reached, since any two values that may be exchanged are "
        "exchanged alone with a positive chance, and such exchanges connect all tables of zeros and ones "
        "with the same margins (Ryser 1957). And every plan has equally many arrangements: an exchange that "
        "leads from P to Q pairs those of P with those of Q. So the law of the block tends to the uniform "
        "one over all its valid plans, and blocks are independent. A value in every group of a block never "
        "moves. Two values of a group that its partner lacks stay together with probability 1/2, which is "
        "why a block of m groups makes as many passes as 64 m has binary digits; in every small world here, "
        "each pair's expected number of common groups is then within a sixteenth of a group of that under "
        "the uniform law."
    ),
    hypotheses=(
        r"\gamma \mid N",
        r"\max_v f_v \le N/\gamma",
        r"\text{orders, rotations and coins uniformly random}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.G",),
    licenses=("splu_ref.mechanisms.plans.mixed", "splu_ref.mechanisms.plans.cyclic"),
    tests=("tests/mechanisms/plans/test_mixed.py::test_the_fast_plan_is_the_reference_byte_for_byte",),
)


@TR.derivation
def a_block_is_a_small_table() -> Derivation:
    """Count the entries of a block, and those of one value."""
    return Derivation(
        setting=(
            "The N = gamma G entries are the records sorted by value. The block b of B holds the m groups t "
            "= 0 .. m - 1 whose number in the cyclic plan is b + B t, so the entries j G + b + B t."
        ),
        steps=(
            Identity(
                name="entries",
                says="Entry j G + b + B t is number j m + t of the block: a cyclic plan of m groups.",
                variables={"j": 0, "m": 1, "t": 0},
                left=lambda j, m, t: j * m + t,
                right=lambda j, m, t: (j + 1) * m - (m - t),
            ),
            Inequality(
                name="no value is too frequent",
                says=(
                    "Of any G entries in a row the block holds m, of fewer no more: with a of them before "
                    "the first turn and c left after it, a + (m - a - c) + c <= m, and f <= G."
                ),
                variables=("m", "a", "c"),
                given=lambda m, a, c: (m - a - c, a, c),
                slack=lambda r, a, c: (r + a + c, a, c),
                then=lambda m, a, c: m - (m - a - c),
            ),
        ),
        conclusion=(
            "The entries p and p + G lie in the same block, and among G entries in a row it has m. So a "
            "block's histogram is eligible, its cyclic plan is the part of the whole one with these groups, "
            "and a valid plan of every block is a valid plan of the table."
        ),
    )


@TR.derivation
def a_trade_undoes_itself() -> Derivation:
    """Make the same exchanges, with the same rotation and coins, once more."""
    return Derivation(
        setting=(
            "Two groups share s values; d = gamma - s values of each are free. Of the d facing pairs, coins "
            "choose e that change places: one of the 2^d outcomes of the coins that count. A group keeps its "
            "s shared and d - e free values and gets e others, so it stays one of gamma distinct values; an "
            "exchanged value is free where it came to, so the free slots are the same after the trade, and "
            "the same rotation makes the same slots face each other."
        ),
        steps=(
            Identity(
                name="moves that lead back alike keep equal weights",
                says=(
                    "With weight u on two arrangements and the chance a of each move between them, one keeps "
                    "u (1-a) and gets u a: u again. So for any number of arrangements."
                ),
                variables={"u": 0, "a": 0},
                left=lambda u, a: u * (1 - a) + u * a,
                right=lambda u, _a: u,
            ),
        ),
        conclusion=(
            "For given pairs, rotations and coins a pass is its own inverse, apart from the order of the "
            "groups, which is drawn anew: so passes lead from x to y and back alike, all orders of the "
            "groups counted. No coin at all changes nothing, and a single coin exchanges any two values that "
            "may be exchanged, by some rotation: for d values it is below d <= gamma. If an exchange of u "
            "and v between two groups leads from P to Q, it turns every arrangement of P that is reached "
            "into one of Q that is reached, and back: both have equally many. By Ryser's theorem exchanges "
            "lead from any plan to any other. So the uniform law over the arrangements, the only stationary "
            "one, is uniform over plans, and the chain, which may stay where it is, tends to it."
        ),
    )


@TR.derivation
def two_values_part_in_half_of_all_trades() -> Derivation:
    """Toss the coins of two slots."""
    return Derivation(
        setting=(
            "Two values u and v, free in the groups of a pair. Each changes its group by a coin; a stands "
            "for 2^(d - 2), the outcomes of the other coins."
        ),
        steps=(
            Identity(
                name="what is left of the start",
                says=(
                    "If they are together with t, one group sends them to one group with 1/2, two groups "
                    "with z/2, z <= 1 the chance that they do not share a coin. The distance of t from "
                    "z/(1+z) becomes (1-z)/2 times itself."
                ),
                variables={"t": 0, "z": 0},
                left=lambda t, z: t / 2 + (1 - t) * z / 2 - z / (1 + z),
                right=lambda t, z: (1 - z) / 2 * (t - z / (1 + z)),
            ),
        ),
        conclusion="After k trades of both, at most 2^-k is left of having started together.",
    )


@TR.enumeration(
    cases=3049,
    perturbed=(
        "splu_ref.mechanisms.plans.mixed:apply_passes doubled",
        "splu_proofs.worlds.trades:chain larger",
    ),
)
def the_shipped_pass_on_every_arrangement() -> Comparisons:
    """Run the shipped trades on every arrangement of a world, over all outcomes of their randomness."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in WORLDS:
        chain = trades.chain(histogram, gamma)
        where = f"gamma = {gamma}, {histogram}"
        arranged: dict[Plan, int] = defaultdict(int)
        for state, law in chain.items():
            arranged[trades.plan_of(state)] += trades.orders(state)
            yield (sum(law.values()), "=", 1, f"{where}: the law from {state} does not sum to 1")
            stays = law.get(state, 0) if len(state) > 1 else 1
            yield stays, ">", 0, f"{where}: the chance to stay in {state}"
            for after, chance in law.items():
                back = chain[after].get(state, 0)
                there, here = trades.orders(state) * chance, trades.orders(after) * back
                yield there, "=", here, f"{where}: {state} to {after} and back"
        valid = Counter(tuple(sorted(plan)) for plan in plans(histogram, gamma))
        yield (set(arranged), "=", set(valid), f"{where}: {len(arranged)} plans of {len(valid)} are reached")
        shares = {Fraction(arranged[plan], lists) for plan, lists in valid.items()}
        yield (len(shares), "=", 1, f"{where}: some plan has more arrangements than another")


@TR.enumeration(
    cases=16,
    perturbed=(
        "splu_ref.mechanisms.plans.mixed:default_passes smaller",
        "after_default_passes(histogram, gamma) => after_passes(histogram, gamma, 0)",
    ),
)
def how_far_the_start_is_forgotten() -> Comparisons:
    """Compute the exact law after the shipped number of passes."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in WORLDS:
        law = trades.after_default_passes(histogram, gamma)
        found, exact = trades.together(law), mean_together(histogram, gamma)
        owed = max(abs(found.get(pair, Fraction(0)) - mean) for pair, mean in exact.items())
        yield owed, "<", Fraction(1, 16), f"gamma = {gamma}, {histogram}: groups a pair owes to the start"


@TR.enumeration(
    cases=8,
    perturbed=(
        "splu_ref.mechanisms.plans.cyclic:BlockPlan.blocks larger",
        "splu_proofs.worlds.trades:after_passes larger",
    ),
)
def the_shipped_plan_follows_the_chain() -> Comparisons:
    """Run the shipped method itself with one and two passes, and compare with powers of the kernel."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in ((2, (2, 2, 2)), (2, (2, 2, 1, 1)), (2, (1, 1, 1, 1)), (3, (2, 1, 1, 1, 1))):
        for passes in (1, 2):
            law = trades.after_passes(histogram, gamma, passes)
            shipped = trades.shipped_law(histogram, gamma, passes)
            yield (shipped, "=", law, f"{histogram}: {passes} passes have another law")


@TR.enumeration(
    cases=4,
    perturbed=(
        "splu_ref.mechanisms.plans.cyclic:BlockPlan.blocks larger",
        "splu_proofs.worlds.trades:after_passes larger",
    ),
)
def blocks_are_independent_small_tables() -> Comparisons:
    """Run the shipped method in two blocks, and compare with the product of the laws of two small tables."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in IN_BLOCKS:
        entries = [value for value, count in enumerate(histogram) for _ in range(count)]
        total = len(entries) // gamma
        halves = []
        for block in range(2):
            mine = Counter(value for entry, value in enumerate(entries) if entry % total % 2 == block)
            small = tuple(mine[value] for value in range(len(histogram)))
            halves.append(trades.after_passes(small, gamma, 1))
        product = {a + b: p * q for a, p in halves[0].items() for b, q in halves[1].items()}
        shipped = trades.shipped_law(histogram, gamma, 1, most=2)
        yield (shipped, "=", product, f"{histogram}: the blocks have another law")
