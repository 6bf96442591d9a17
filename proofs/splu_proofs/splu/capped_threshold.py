"""splu.CAPT: above the cap the noise of a count is bounded by public numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb

from ..terms import Claim, Comparisons, Grade, Status
from ..worlds.group_laws import Law, capped, flags, of_value, published, variance
from ..worlds.histograms import histograms
from ..worlds.valid_plans import plans

CAPT = Claim(
    id="splu.CAPT",
    module=__name__,
    source="new; on Fu et al. 2014, §4.2, Definition 1",
    title="large sums under a cap: a threshold from public numbers",
    statement=(
        r"f > m \Longrightarrow \operatorname{Var} f' \le "
        r"\frac1\gamma \sum_{w\ne v}\min(f_w,m) \le \frac{m(d-1)}{\gamma},\quad "
        r"T_f \le \max\Bigl(m+1, \Bigl\lceil\sqrt{\frac{m(d-1)}{\gamma\varepsilon^2T_E}}\Bigr\rceil\Bigr)"
    ),
    words=(
        "With draws that are capped at m, the noise of a count above m does not grow with the count: its "
        "variance is bounded by the cap, the group size and d, the number of values, whatever the table, the "
        "plan and the flags are. Chebyshev's inequality then gives a T_f that everybody can compute. Proof: "
        "a flagged slot has the variance (gamma-1)/gamma. Where v is not flagged and j other slots are, the "
        "c = gamma - j slots share L places, a binomial number with mean c; let D = L - c. Even sharing has "
        "the least sum of squares of k - 1 over the slots, so at most D^2, which stands there if one slot "
        "takes the whole difference; in the mean the c slots have together at most Var L = j c / gamma, so "
        "each at most j / gamma. In the m groups where v is flagged another value w stands a_w times, gamma "
        "- 1 values each time. All groups of v up to the last of these are flagged for v, so of the first m "
        "slots of w, a_w or more are not in the other groups of v: those have at most the sum of min(f_w, m) "
        "- a_w flagged slots, that is m (gamma-1) less than the sum of min(f_w, m), and what v's own flags "
        "add is as much. It is attained: where d = gamma, each group has all values. Even sharing is also "
        "below the multinomial sharing of L in convex order, so f' - f is below Bin(gamma n, 1/gamma) - n "
        "for the n groups of v with a flagged slot, at most m (d - gamma + 1) of them: every bound by "
        "Chernoff for n holds for f'. It is not the exact T_f, which depends on the table."
    ),
    hypotheses=(r"p = 1/\gamma", r"m \ge 1", r"d \text{ values}", "flags that do not depend on the draws"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="groups with gamma <= 20, and every plan of tables with N <= 8",
    rests_on=("splu.CAP",),
)


def shared_slot(gamma: int, flagged: int) -> dict[int, Fraction]:
    """Return the law of k for a slot without a flag in a group where ``flagged`` other slots have one."""
    sharers = gamma - flagged
    law: dict[int, Fraction] = {}
    for left in range(gamma + 1):
        chance = Fraction(comb(gamma, left) * sharers**left * flagged ** (gamma - left), gamma**gamma)
        share, more = divmod(left, sharers)
        for places, slots in ((share, sharers - more), (share + 1, more)):
            law[places] = law.get(places, Fraction(0)) + chance * Fraction(slots, sharers)
    return {places: chance for places, chance in law.items() if chance}


@CAPT.computation(
    cases=2853,
    perturbed=(
        "splu_proofs.splu.capped_threshold:shared_slot larger",
        "splu_proofs.worlds.group_laws:variance larger",
    ),
)
def groups_of_every_kind() -> Comparisons:
    """Hold the law, variance and convex order of a slot to what the proof says, for gamma <= 20."""
    for flagged in range(1, 4):
        marks = tuple(slot < flagged for slot in range(4))
        yield (of_value(capped(marks), 3), "=", shared_slot(4, flagged), f"gamma = 4, j = {flagged}: the law")
    for gamma in range(2, 21):
        drawn = {
            k: Fraction(comb(gamma, k) * (gamma - 1) ** (gamma - k), gamma**gamma) for k in range(gamma + 1)
        }
        for flagged in range(1, gamma):
            law = shared_slot(gamma, flagged)
            spread = variance(law)
            yield (spread, "<=", Fraction(flagged, gamma), f"gamma = {gamma}, j = {flagged}: {spread}")
            for limit in range(gamma):  # E max(k - limit, 0) of one law below that of the other: convex order
                tails = [
                    sum(((k - limit) * chance for k, chance in each.items() if k > limit), Fraction(0))
                    for each in (law, drawn)
                ]
                yield (tails[0], "<=", tails[1], f"gamma = {gamma}, j = {flagged}, limit {limit}")


@CAPT.computation(
    cases=253,
    perturbed=(
        "splu_proofs.splu.capped_threshold:_variances larger",
        "splu_proofs.worlds.group_laws:variance larger",
    ),
)
def every_plan_of_small_tables() -> Comparisons:
    """Compare the variance of every count above the cap with both bounds, over all plans and orders."""
    attained = 0
    for gamma, totals in ((2, (4, 6)), (3, (6,))):
        for total in totals:
            for histogram in histograms(total):
                if gamma * max(histogram) > total or any(a < b for a, b in pairwise(histogram)):
                    continue
                for plan in plans(histogram, gamma):
                    for cap in range(1, max(histogram)):
                        found = _variances(histogram, plan, cap)
                        for value, spread in found.items():
                            others = sum(min(f, cap) for w, f in enumerate(histogram) if w != value)
                            bound = Fraction(others, gamma)
                            public = Fraction(cap * (len(histogram) - 1), gamma)
                            yield (spread, "<=", bound, f"{histogram}, {plan}, m = {cap}: {spread}")
                            yield (bound, "<=", public, f"{histogram}, {plan}, m = {cap}: {spread}")
                            attained += spread == public
    yield (attained, ">", 0, "the bound is never attained")


def _variances(
    histogram: tuple[int, ...], plan: tuple[tuple[int, ...], ...], cap: int
) -> dict[int, Fraction]:
    laws = [capped(marks) for marks in flags(plan, cap)]
    law = published(plan, len(histogram), partial(_numbered, laws))
    return {value: variance(of_value(law, value)) for value, f in enumerate(histogram) if f > cap}


def _numbered(laws: list[Law], number: int, _: tuple[int, ...]) -> Law:
    return laws[number]
