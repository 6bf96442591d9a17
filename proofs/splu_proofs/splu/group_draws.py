"""splu.EX, splu.CAP, splu.AON: dependent draws within a group, with the marginals of SPLU-Gen."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations
from math import comb
from operator import mul

from splu_ref.guarantees.minimax_game import Losses, minimax_mixture

from ..arithmetic.law import error, probability_mass
from ..terms import Claim, Comparisons, Derivation, EvidenceError, Grade, Identity, Status, Witness, decimal
from ..worlds.group_laws import (
    Law,
    all_or_none,
    capped,
    flags,
    independent,
    mixtures,
    of_value,
    published,
    shown,
    variance,
)
from ..worlds.histograms import histograms
from ..worlds.valid_plans import plans

EX = Claim(
    id="splu.EX",
    module=__name__,
    source="new; on Fu et al. 2014, §3.1, step 3",
    title="exchangeable draws of a group",
    statement=(
        r"\sum_v k_v = \gamma,\ E\,k_v = 1 \Longrightarrow \Pr(\text{a record shows } v) = \tfrac1\gamma,\ "
        r"\Pr(\text{release} \mid \text{groups, assignment}) = \Pr(\text{release} \mid \text{groups}),\ "
        r"E\,f'_v = f_v"
    ),
    words=(
        "At p = 1/gamma the published values of a group do not depend on which member had which value. Take "
        "any law for how often each value v of the group is published, k_v, whose numbers sum to gamma and "
        "have mean 1, and deal the values to the members by a uniform permutation. Then each record keeps "
        "its true value with probability exactly 1/gamma and shows each decoy with 1/gamma; given the "
        "release and the groups, every assignment of the true values to the members of a group is as likely "
        "as before; and f' is unbiased. SPLU-Gen is the multinomial law. Also compared for all laws of "
        "groups of two and three: every one is a mixture of those whose vectors are affinely independent, "
        "and mixing preserves all three properties. What T_P and T_f are depends on the law, and so does "
        "what somebody learns who knows more than the groups."
    ),
    hypotheses=(r"p = 1/\gamma", "groups draw independently of each other"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.S3",),
)


@EX.derivation
def a_multiset_dealt_at_random() -> Derivation:
    """Deal the multiset to the members, and add up over the groups of a value."""
    return Derivation(
        setting=(
            "k is drawn, and its gamma values are dealt to the members by one of gamma! = H + (gamma-1) H "
            "permutations, H = (gamma-1)!. Neither step uses which member has which value. So the "
            "probability of a release, given the groups, does not depend on the assignment."
        ),
        steps=(
            Identity(
                name="what a member shows",
                says="k H of the permutations give a member v: k/gamma, with mean 1/gamma as E k = 1.",
                variables={"k": 0, "gamma": 2, "H": 1},
                left=lambda k, gamma, deals: k * deals / (deals + (gamma - 1) * deals),
                right=lambda k, gamma, _deals: k / gamma,
            ),
            Identity(
                name="the mean of the count",
                says="Of the members of its f groups, f have v and f (gamma-1) do not: f' has mean f.",
                variables={"f": 0, "gamma": 2},
                left=lambda f, gamma: f / gamma + f * (gamma - 1) / gamma,
                right=lambda f, _gamma: f,
            ),
        ),
        conclusion="All three hold for every gamma and every law of k.",
    )


@EX.computation(
    cases=317,
    perturbed=(
        "splu_proofs.worlds.group_laws:all_or_none larger",
        "splu_proofs.worlds.group_laws:shown larger",
    ),
)
def every_law_of_small_groups() -> Comparisons:
    """Walk through the laws that generate all others, for gamma = 2 and 3, and two laws of gamma = 4."""
    laws: list[tuple[int, Law]] = [(gamma, law) for gamma in (2, 3) for law in mixtures(gamma)]
    laws += [
        (4, independent(4)),
        (4, capped((True, False, False, True))),
        (4, all_or_none((True, False, False, True))),
    ]
    for gamma, law in laws:
        yield (sum(law.values()), "=", 1, "no law")
        outcomes = shown(law)
        for member in range(gamma):
            shares: dict[int, Fraction] = {}
            for order, chance in outcomes.items():
                shares[order[member]] = shares.get(order[member], Fraction(0)) + chance
            yield (set(shares.values()), "=", {Fraction(1, gamma)}, f"{law}: member {member} shows {shares}")
        # The slots are named by the value; another assignment names the members otherwise, which changes
        # nothing: the law of what they show is that of any other order of them.
        for order in permutations(range(gamma)):
            again = {tuple(places[member] for member in order): chance for places, chance in outcomes.items()}
            yield (
                again,
                "=",
                outcomes,
                f"{law}: the assignment {order} makes the release more or less likely",
            )


CAP = Claim(
    id="splu.CAP",
    module=__name__,
    source="new",
    title="draws that are capped: noise of the first groups alone",
    statement=(
        r"f \le m \Longrightarrow f' \sim \mathrm{Bin}(\gamma f, \tfrac1\gamma);\qquad "
        r"E\,f' = f \text{ for every } f"
    ),
    words=(
        "Put the groups in an order, and flag the slots of the first m groups of each value. In a group the "
        "flagged slots get the counts that they have in a multinomial draw of gamma places; the other slots "
        "share the rest as evenly as possible, its remainder going to uniformly chosen ones. The law of f' "
        "is then exactly that of independent draws for every value with at most m records: T_P is unchanged "
        "to the last digit for every alpha <= m. Above m, f' is unbiased, and its noise comes from the "
        "groups that have a flagged slot, at most m for each value. The flags must "
        "be chosen before the draws: then it is splu.EX in each group."
    ),
    hypotheses=(r"p = 1/\gamma", r"m \ge 1", "flags that do not depend on the draws"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.EX", "splu.B"),
)


@CAP.derivation
def flagged_slots_are_drawn_as_ever() -> Derivation:
    """Follow a flagged slot and another one through the draws of a group."""
    return Derivation(
        setting=(
            "A group has u slots without a flag. Each of its gamma places chooses one slot, all alike and "
            "independently. Places that chose a slot without a flag, q u + r of them with r < u, are then "
            "shared by these u slots: r of them, uniformly chosen, get q + 1, and the others q."
        ),
        steps=(
            Identity(
                name="a flagged slot",
                says="A place chooses another slot with (gamma-1)/gamma: the slot has Bin(gamma, 1/gamma).",
                variables={"gamma": 2},
                left=lambda gamma: (gamma - 1) * (1 / gamma),
                right=lambda gamma: 1 - 1 / gamma,
            ),
            Identity(
                name="another slot",
                says="Given q u + r its mean is (q u + r)/u, and q u + r has mean u: 1 in all.",
                variables={"q": 0, "r": 0, "u": 1},
                left=lambda q, r, u: q * (u - r) / u + (q + 1) * r / u,
                right=lambda q, r, u: (q * u + r) / u,
            ),
        ),
        conclusion=(
            "Every slot has mean 1, so f' has mean f. If f <= m all f slots of a value have flags, in "
            "independent groups: f' is a sum of f independent Bin(gamma, 1/gamma), as in splu.B."
        ),
    )


@CAP.computation(cases=4125, perturbed="splu_proofs.arithmetic.law:probability_mass larger")
def every_plan_of_small_tables() -> Comparisons:
    """Compare the law of every value's count under caps 1 and 2 with the binomial law and the mean."""
    quieter = 0
    for gamma, most in ((2, 6), (3, 6)):
        for histogram in _tables(gamma, most):
            for plan in plans(histogram, gamma):  # groups in every order
                for cap in (1, 2):
                    laws = [capped(marks) for marks in flags(plan, cap)]
                    law = published(plan, len(histogram), partial(_numbered, laws))
                    for value, f in enumerate(histogram):
                        counts = of_value(law, value)
                        exact = {k: probability_mass(gamma, f, k) for k in range(gamma * f + 1)}
                        yield (
                            sum(k * chance for k, chance in counts.items()),
                            "=",
                            f,
                            f"{histogram}: biased",
                        )
                        if f <= cap:
                            yield (
                                counts,
                                "=",
                                {k: chance for k, chance in exact.items() if chance},
                                f"{histogram}, {plan}, m = {cap}: the law of {f} differs",
                            )
                        else:
                            yield (variance(counts), "<=", variance(exact), f"{histogram}: noisier")
                            quieter += variance(counts) < variance(exact)
    yield (quieter, ">", 0, "no count is published with less noise")


def _numbered(laws: list[Law], number: int, _: tuple[int, ...]) -> Law:
    return laws[number]


AON = Claim(
    id="splu.AON",
    module=__name__,
    source="new",
    title="all or none: counts above a come out exact",
    statement=r"f > a \Longrightarrow \operatorname{Var} f' = 0",
    words=(
        "All or none: in each group one slot is chosen uniformly; if its value is rare, f <= a, it takes all "
        "gamma places, otherwise the common values of the group share the places evenly and rare ones "
        "vanish. It was expected that counts above a then come out exact. False: a common value that shares "
        "a group with a rare one vanishes there with the chance that the rare one wins, and has more than "
        "one place otherwise. With gamma = 2, a = 1 and the counts 2, 1, 1, both groups hold the common "
        "value and a rare one, and f' of the common value is 0, 2 or 4."
    ),
    hypotheses=(r"p = 1/\gamma", r"a \ge 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.EX",),
    corrected_by="splu.AONc",
)


def _published_all_or_none(plan: tuple[tuple[int, ...], ...], histogram: tuple[int, ...], a: int) -> Law:
    rare = [f <= a for f in histogram]
    return published(plan, len(histogram), lambda _, group: all_or_none([rare[value] for value in group]))


def _most_variance(histogram: tuple[int, ...], gamma: int, a: int) -> Fraction:
    """Return the largest variance of a common value's count over all plans of a table."""
    found = Fraction(0)
    for plan in plans(histogram, gamma):
        law = _published_all_or_none(plan, histogram, a)
        for value, f in enumerate(histogram):
            if f > a:
                found = max(found, variance(of_value(law, value)))
    return found


@AON.refutation
def a_common_value_beside_rare_ones() -> Witness:
    """Two groups, each with the common value and a rare one."""
    return Witness(
        parameters={"gamma": 2, "a": 1, "counts": (2, 1, 1)},
        premises=("all-or-none retains with 1/gamma", lambda _gamma, a, _counts: a >= 1),
        allowed=lambda *_: Fraction(0),
        actual=lambda gamma, a, counts: _most_variance(counts, gamma, a),
        sign="=",
        printed=Fraction(0),
        true=Fraction(2),
        smaller=lambda: (
            (gamma, a, histogram)
            for total in (2, 3, 4)
            for gamma in (2, 3, 4)
            if total % gamma == 0
            for histogram in _of_total(gamma, total)
            for a in range(1, total + 1)
            if (total, [-f for f in histogram]) < (4, [-2, -1, -1])
        ),
        count=9,
        order="N, then the counts in descending order, then gamma, then a",
        perturbed="splu_proofs.worlds.group_laws:variance larger",
        by_hand=(
            "Each group chooses the rare value with probability 1/2, and then publishes it twice; otherwise "
            "it publishes the common value twice. So f' is twice Bin(2, 1/2), with variance 4 * 1/2 = 2."
        ),
    )


AONC = Claim(
    id="splu.AONc",
    module=__name__,
    source="corrects the expectation of splu.AON",
    title="all or none: what its counts are",
    statement=(
        r"f \le a \Longrightarrow f' \sim \gamma\,\mathrm{Bin}(f, \tfrac1\gamma);\qquad "
        r"f > a \Longrightarrow E\,f' = f,\ "
        r"\operatorname{Var} f' = \sum_{g:\,v \in g} \Bigl(\frac{c_g}{\gamma} E\,h_g^2 - 1\Bigr)"
    ),
    words=(
        "A rare value's count is gamma times a binomial number of groups. A common value's is unbiased; each "
        "of its groups adds the variance (c/gamma) E h^2 - 1, where c values of the group are common and h "
        "is the share of one of them when gamma places are shared evenly: 0 exactly if the group has no rare "
        "value. So a count is exact if its value never meets a rare one. T_P at epsilon = 0.3, alpha = 10 "
        "rises from 0.289, 0.317 and 0.330 (gamma = 5, 10, 20) to 0.590, 0.612 and 1; at gamma = 20 every "
        "estimate f' of a count up to 10 is wrong, which says nothing of other estimates. What no estimator "
        "escapes, T_P*, is 0.611 and 0.669 for gamma = 5 and 10."
    ),
    hypotheses=(r"p = 1/\gamma", r"a \ge 1"),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="every plan of tables with N <= 8",
    rests_on=("splu.EX", "splu.D2e"),
)


@AONC.computation(
    cases=3742,
    perturbed=(
        "splu_proofs.splu.group_draws:_chosen larger",
        "splu_proofs.worlds.group_laws:variance larger",
    ),
)
def all_plans_of_small_tables() -> Comparisons:
    """Compare laws, means and variances with the formulas, for every plan of small tables."""
    for gamma, most in ((2, 8), (3, 6), (4, 4)):
        for histogram in _tables(gamma, most):
            for plan in {tuple(sorted(plan)) for plan in plans(histogram, gamma)}:
                for a in (1, 2):
                    law = _published_all_or_none(plan, histogram, a)
                    for value, f in enumerate(histogram):
                        counts = of_value(law, value)
                        if f <= a:
                            true = {gamma * k: _chosen(gamma, f, k) for k in range(f + 1)}
                            yield (counts, "=", true, f"{histogram}, {plan}, a = {a}: the law of {f} differs")
                        else:
                            yield (
                                sum(k * part for k, part in counts.items()),
                                "=",
                                f,
                                f"{histogram}: biased",
                            )
                            spread = sum(
                                (
                                    _share_variance(gamma, sum(histogram[other] > a for other in group))
                                    for group in plan
                                    if value in group
                                ),
                                Fraction(0),
                            )
                            yield (variance(counts), "=", spread, f"{histogram}, {plan}, a = {a}: variance")


@AONC.computation(
    cases=8,
    perturbed=("splu_proofs.splu.group_draws:_chosen larger", "splu_proofs.arithmetic.law:at_most larger"),
)
def levels_of_counts_up_to_ten() -> Comparisons:
    """Compute T_P and T_P* at epsilon = 0.3, alpha = 10, beside those of independent draws."""
    epsilon, alpha = Fraction(3, 10), 10
    for gamma, plain, level, star in (
        (5, "0.289", "0.590", "0.611"),
        (10, "0.317", "0.612", "0.669"),
        (20, "0.330", "1.000", ""),
    ):
        before = min(error(gamma, epsilon, f) for f in range(1, alpha + 1))
        after = min(
            sum(
                (_chosen(gamma, f, k) for k in range(f + 1) if abs(gamma * k - f) >= epsilon * f), Fraction(0)
            )
            for f in range(1, alpha + 1)
        )
        yield (decimal(before, 3).removesuffix("..."), "=", plain, f"{gamma}")
        yield (decimal(after, 3).removesuffix("..."), "=", level, f"{gamma}")
        if star:
            least = minimax_error(gamma, epsilon, alpha)
            yield (decimal(least, 3), "=", f"{star}...", f"T_P* at gamma = {gamma}: {decimal(least, 4)}")


def _chosen(gamma: int, f: int, k: int) -> Fraction:
    """Return the chance that k of f groups choose the value."""
    return Fraction(comb(f, k) * (gamma - 1) ** (f - k), gamma**f) if k <= f else Fraction(0)


def _share_variance(gamma: int, common: int) -> Fraction:
    """Return the variance that a group with so many common values adds to the count of one of them."""
    share, rest = divmod(gamma, common)
    square = Fraction((common - rest) * share**2 + rest * (share + 1) ** 2, common)
    return Fraction(common, gamma) * square - 1


def minimax_error(gamma: int, epsilon: Fraction, alpha: int) -> Fraction:
    """Return the minimax error of an estimate of 1 .. alpha from a count by all or none."""
    counts = range(1, alpha + 1)
    ends = sorted({(1 + sign * epsilon) * f for f in counts for sign in (-1, 1)})
    right = {tuple(abs((low + high) / 2 - f) < epsilon * f for f in counts) for low, high in pairwise(ends)}
    masses = [[_chosen(gamma, f, k) for f in counts] for k in range(alpha + 1)]

    def respond(weights: Losses) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the errors by f of an estimator that is best for weights of f, as its name too."""
        errors = [Fraction(1)] * alpha
        for row in masses:
            hits = max(right, key=lambda hits: sum(map(mul, map(mul, weights, row), hits)))
            errors = [old - mass * hit for old, mass, hit in zip(errors, row, hits, strict=True)]
        return tuple(errors), tuple(errors)

    game = minimax_mixture(respond, alpha)
    worst = max(
        sum((share * errors[row] for errors, share in game.parts), Fraction(0)) for row in range(alpha)
    )
    if not sum(share for _, share in game.parts) == sum(game.weights) == 1:
        raise EvidenceError("the weights of the game are no probabilities")
    if sum(map(mul, game.weights, respond(game.weights)[1])) != worst:
        raise EvidenceError("the two bounds of the game differ")
    return worst


def _tables(gamma: int, most: int) -> list[tuple[int, ...]]:
    return [table for total in range(gamma, most + 1, gamma) for table in _of_total(gamma, total)]


def _of_total(gamma: int, total: int) -> list[tuple[int, ...]]:
    """Return the histograms of a total that have a plan, counts in descending order."""
    return sorted(
        {tuple(sorted(each, reverse=True)) for each in histograms(total) if gamma * max(each) <= total},
        reverse=True,
    )
