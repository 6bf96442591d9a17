"""splu.ANA, splu.ANAs, splu.ANAp: what Anatomy's two tables disclose, and that SPLU-Gen discloses no more."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.conjunctions import WORLDS, convolved, hypergeometric, records, shipped_laws, subsets

ANA = Claim(
    id="splu.ANA",
    module=__name__,
    source="new; the comparison is Fu et al. 2014, §6.2.3.2",
    title="Anatomy's estimate of a conjunction",
    statement=(
        r"\gamma\hat x = x_3 + K,\quad K = \sum_{v \ne s} \mathrm{Hyp}(f_v, c(v,s), n_v),\qquad "
        r"\operatorname{E}\hat x - \tfrac{nf}{N} = \tfrac{1-\kappa}{\gamma}\left(x_3 - \tfrac{nf}{N}\right)"
    ),
    words=(
        "Anatomy publishes who stands in which group and each group's values, and estimates (P, s) by the "
        "sum over the groups that hold s of the share of their records that satisfy P. That is "
        "(x3 + K)/gamma, K the records of P without s that stand with s: a sum of independent "
        "hypergeometric counts. Averaged under hypothesis H of splu.V, with kappa = f (gamma-1)/(N-f), all "
        "but the share (1-kappa)/gamma of the difference between x3 and n f/N is lost: the estimate is "
        "biased, and (gamma x - n kappa)/(1 - kappa) is not."
    ),
    hypotheses=(
        r"\text{the order of the records within each value is random}",
        r"\text{second equation: hypothesis } H",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.G",),
    licenses=(
        "splu_ref.mechanisms.two_tables:Anatomy",
        "splu_ref.estimators.comparators:two_tables_moments",
        "splu_ref.estimators.comparators:reconstructed_two_tables",
    ),
    tests=("tests/estimators/test_comparators.py::test_mean_and_variance_over_every_outcome",),
)

ANAS = Claim(
    id="splu.ANAs",
    module=__name__,
    source="new",
    title="SPLU-Gen's release follows from Anatomy's",
    statement=(
        r"D'_{\text{SPLU-Gen}} = \text{a uniform draw from each record's group},\qquad "
        r"\operatorname{E}[y_3 \mid \text{two tables}] = \hat x,\qquad "
        r"\operatorname{Var} y_3 = \operatorname{Var}\hat x + \tfrac{\gamma-1}{\gamma}\operatorname{E}\hat x"
    ),
    words=(
        "With p = 1/gamma, SPLU-Gen draws every record's published value from its group alike, whichever of "
        "them is its own. So whoever has Anatomy's two tables, made by the same plan, can make SPLU-Gen's "
        "release from them. Every attack on the release is then an attack on the tables, and every "
        "estimator has a counterpart that reads the tables and has no larger variance. So whatever "
        "advantage in accuracy the paper's figures 8 and 9 show is owed to the reconstruction, which "
        "Anatomy's estimate lacks, and not to the publication."
    ),
    hypotheses=(r"p = 1/\gamma", r"\text{the same plan and order for both}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.ANA", "splu.S3"),
    tests=("tests/mechanisms/test_comparators_tables.py::test_it_draws_what_splu_gen_draws_but_for_step_3",),
)

ANAP = Claim(
    id="splu.ANAp",
    module=__name__,
    source="new; on Fu et al. 2014, §2",
    title="Anatomy has no small-sum privacy for a value alone",
    statement=r"\Pr(|\hat x_s - f_s| \ge \varepsilon f_s) = 0 \text{ for every } s,\ \varepsilon > 0",
    words=(
        "The sensitive table lists every value as often as it occurs. So the count of a sensitive value is "
        "known exactly, however small: T_P = 0 in Definition 2. The errors that the paper reports for small "
        "counts are those of conjunctions."
    ),
    hypotheses=(r"\text{records deleted as the remainder do not count}",),
    status=Status.VERIFIED,
    grade=Grade.ENUMERATED,
    instances="every outcome of the small tables enumerated",
    rests_on=("splu.ANA",),
    tests=("tests/estimators/test_comparators.py::test_a_value_alone_is_counted_exactly",),
)

Outcome = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""The group of every record, and the values of every group."""


def shipped_tables(histogram: tuple[int, ...], gamma: int) -> dict[Outcome, Fraction]:
    """Return every outcome of the shipped mechanism and its probability; record numbers ascend by value."""
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.mechanisms import Anatomy  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    codes = np.array(records(histogram), dtype=np.int64)

    def run(source: Draws) -> Outcome:
        done = Anatomy(gamma).publish_codes(codes, len(histogram), source)
        group_of = dict(zip(done.rows.tolist(), done.groups.tolist(), strict=True))
        return tuple(group_of[r] for r in range(len(codes))), tuple(map(tuple, done.values.tolist()))

    law: dict[Outcome, Fraction] = {}
    for outcome, chance in outcomes(run):
        law[outcome] = law.get(outcome, Fraction(0)) + chance
    return law


@ANA.derivation
def what_is_left_of_a_correlation() -> Derivation:
    """E K = (n - x3) kappa: subtract n f/N from (x3 + E K)/gamma."""
    return Derivation(
        setting=(
            "A group that holds s adds (its records in P)/gamma. Of these records one may have s itself: "
            "these are the x3. The others are the K. The k-th record of v in a random order stands in the "
            "k-th group of v, and c(v,s) of these f_v groups hold s: so n_v records of v in P give a "
            "hypergeometric count. Under H, n - x3 places are drawn from the N - f without s, f (gamma-1) of "
            "which stand with s: E K = (n - x3) f (gamma-1)/(N-f)."
        ),
        steps=(
            Identity(
                name="the share that is left",
                says="With kappa = f (gamma-1)/(N-f) and N = f + m.",
                variables={"x": 0, "n": 0, "f": 1, "m": 1, "gamma": 2},
                left=lambda x, n, f, m, gamma: (x + (n - x) * f * (gamma - 1) / m) / gamma - n * f / (f + m),
                right=lambda x, n, f, m, gamma: (1 - f * (gamma - 1) / m) / gamma * (x - n * f / (f + m)),
            ),
            Identity(
                name="the reconstruction is unbiased",
                says="(gamma E x - n kappa)/(1 - kappa) = x3, with kappa = k and 1 - kappa = d.",
                variables={"x": 0, "n": 0, "d": 1},
                left=lambda x, n, d: ((x + (n - x) * (1 - d)) - n * (1 - d)) / d,
                right=lambda x, _n, _d: x,
            ),
        ),
        conclusion="Only where f = N/gamma, kappa = 1, nothing is left of the correlation.",
    )


@ANA.enumeration(
    cases=864,
    perturbed=(
        "splu_ref.mechanisms.two_tables:Anatomy.publish_codes reversed",
        "splu_proofs.splu.comparator_two_tables:shipped_tables larger",
    ),
)
def every_predicate_of_small_tables() -> Comparisons:
    """Run the shipped mechanism on every outcome: the law of gamma x for every predicate and value."""
    for gamma, histogram in WORLDS:
        values, law = records(histogram), shipped_tables(histogram, gamma)
        groups = next(iter(law))[1]
        for s, predicate in product(range(len(histogram)), subsets(len(values))):
            found: dict[int, Fraction] = {}
            for (group_of, values_of), chance in law.items():
                total = sum(s in values_of[group_of[record]] for record in predicate)
                found[total] = found.get(total, Fraction(0)) + chance
            x3 = sum(values[record] == s for record in predicate)
            exposed = convolved([
                hypergeometric(
                    f_v,
                    sum(v in group and s in group for group in groups),
                    sum(values[record] == v for record in predicate),
                )
                for v, f_v in enumerate(histogram)
                if v != s
            ])  # fmt: skip
            expected = {x3 + k: chance for k, chance in enumerate(exposed) if chance}
            yield (found, "=", expected, f"gamma = {gamma}, histogram {histogram}, value {s}: another law")


@ANAS.derivation
def a_draw_adds_variance() -> Derivation:
    """Given the tables, each record in a group with s is published with s with probability 1/gamma."""
    return Derivation(
        setting=(
            "Step 3 with p = 1/gamma gives each of the gamma values of a record's group the probability "
            "1/gamma, its own included: which is its own plays no part. So given the tables "
            "y3 ~ Bin(x3 + K, 1/gamma), where x3 + K = gamma x can be read off them. Let m and w be the mean "
            "and the variance of gamma x. Var y3 = Var E[y3 | tables] + E Var[y3 | tables]."
        ),
        steps=(
            Identity(
                name="the variance",
                says="w/gamma^2 + m (1/gamma)(1 - 1/gamma) = Var x + (gamma-1)/gamma E x.",
                variables={"m": 0, "w": 0, "gamma": 2},
                left=lambda m, w, gamma: w / gamma**2 + m * (1 / gamma) * (1 - 1 / gamma),
                right=lambda m, w, gamma: w / gamma**2 + (gamma - 1) / gamma * (m / gamma),
            ),
        ),
        conclusion=(
            "The conditional mean of any estimator, given the tables, is an estimator from the tables with "
            "the same mean and no larger variance (Rao and Blackwell)."
        ),
    )


@ANAS.enumeration(
    cases=5,
    perturbed=(
        "splu_ref.mechanisms.two_tables:Anatomy.publish_codes reversed",
        "splu_proofs.splu.comparator_two_tables:shipped_tables larger",
    ),
)
def drawing_from_the_tables() -> Comparisons:
    """Draw from the shipped tables by hand: the law of the release is that of the shipped SPLU-Gen."""
    for gamma, histogram in WORLDS:
        drawn: dict[tuple[int, ...], Fraction] = {}
        for (group_of, values_of), chance in shipped_tables(histogram, gamma).items():
            for published in product(*(values_of[group] for group in group_of)):
                share = chance / gamma ** len(group_of)
                drawn[published] = drawn.get(published, Fraction(0)) + share
        shipped = dict(shipped_laws(histogram, gamma))
        yield (drawn, "=", shipped, f"gamma = {gamma}, histogram {histogram}: another law of the release")


@ANAP.enumeration(cases=22, perturbed="splu_ref.mechanisms.plans.plan:RunLengthPlan.groups larger")
def the_sensitive_table_counts() -> Comparisons:
    """In every outcome, the sensitive table holds each value as often as the original."""
    for gamma, histogram in WORLDS:
        for _, values_of in shipped_tables(histogram, gamma):
            counted = tuple(sum(v in group for group in values_of) for v in range(len(histogram)))
            yield (counted, "=", histogram, f"gamma = {gamma}, histogram {histogram}: counted {counted}")
