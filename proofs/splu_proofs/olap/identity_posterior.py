"""olap.L1: what a value says that was kept, or drawn from the prior itself."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.histograms import histograms

L1 = Claim(
    id="olap.L1",
    module=__name__,
    source="Agrawal et al. 2005, §6, Lemma 1",
    title="identity perturbation: the largest safe prior",
    statement=(
        r"\Pr[X \in Q \mid Y = v] = p\,[v \in Q] + (1-p)\Pr[X \in Q] < \rho_2 "
        r"\text{ if } \Pr[X \in Q] \le \rho_1 < \frac{\rho_2-p}{1-p}"
    ),
    words=(
        "True, and more than the lemma says: it holds for every observation, not only that of the same set, "
        "whatever s is, and the bound is sharp, since a set with a prior of exactly (rho2 - p)/(1 - p) is "
        "lifted to rho2, which is a breach. It holds because the prior is the law that replacements are "
        "drawn from: every value is published as often as it occurs, and is its record's own with p, or a "
        "fresh draw from the prior. An observer with another prior, such as one who knows more of a record, "
        "is not spoken of: see olap.EXT."
    ),
    hypotheses=(r"\text{the prior is the column's histogram}", r"0 \le p < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.cli.breach",),
    tests=("tests/cli/test_publish.py::test_values_of_uniform_records_are_judged_by_the_table",),
)


@L1.derivation
def bayes_with_the_prior_as_law() -> Derivation:
    """Weigh the true values by which a value of the set, or another one, is published."""
    return Derivation(
        setting=(
            "g of N records have the value v that is seen, q have a property Q. A record with v publishes it "
            "with p + (1-p) g/N, each other one with (1-p) g/N."
        ),
        steps=(
            Identity(
                name="how often it is seen",
                says="g/N (p + (1-p) g/N) + (1 - g/N) (1-p) g/N = g/N: as often as it occurs.",
                variables={"g": 1, "n": 1, "p": 0},
                left=lambda g, n, p: g / n * (p + (1 - p) * g / n) + (1 - g / n) * ((1 - p) * g / n),
                right=lambda g, n, _p: g / n,
            ),
            Identity(
                name="a value with the property",
                says="(g/N p + q/N (1-p) g/N) over g/N is p + (1-p) q/N.",
                variables={"g": 1, "n": 1, "q": 0, "p": 0},
                left=lambda g, n, q, p: (g / n * p + q / n * ((1 - p) * g / n)) / (g / n),
                right=lambda _g, n, q, p: p + (1 - p) * q / n,
            ),
            Inequality(
                name="a smaller prior gives less",
                says="With p = u/w, u + (w - u) q grows with q: (w - u) (c - q) >= 0 for q <= c.",
                variables=("u", "w", "q", "c"),
                given=lambda u, w, q, c: (u, w - u, q, c - q),
                slack=lambda u, d, q, e: (u, u + d, q, q + e),
                then=lambda u, w, q, c: (u + (w - u) * c) - (u + (w - u) * q),
            ),
        ),
        conclusion=(
            "A value without the property leaves (1-p) Pr[Q], which is less. So the posterior is below rho2 "
            "for every observation exactly if the prior is below (rho2 - p)/(1 - p)."
        ),
    )


@L1.enumeration(
    cases=97,
    perturbed=(
        "splu_ref.mechanisms.record_mechanism:RecordMechanism.publish_codes smaller",
        "splu_proofs.worlds.arrangements:published larger",
    ),
)
def posteriors_of_the_shipped_code() -> Comparisons:
    """Compute the posterior of every set from every outcome, for tables with N <= 4 and p = 1/2 and 1/3."""
    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  only runs need it

    from ..worlds.arrangements import published  # noqa: PLC0415  it loads numpy and the library

    for total in (2, 3, 4):
        for histogram in histograms(total):
            if len(histogram) < 2:
                continue
            codes = [code for code, count in enumerate(histogram) for _ in range(count)]
            domain = {"sensitive": "abcd"[: len(histogram)]}
            for p in (Fraction(1, 2), Fraction(1, 3))[: 5 - total]:
                mechanism = RetentionReplacement(p, domain, replacing="identity")
                law = published(mechanism, codes, len(histogram))
                for seen in range(len(histogram)):
                    joint = [
                        sum(
                            chance
                            for cells, chance in law.items()
                            for own, shown in zip(codes, cells, strict=True)
                            if shown == seen and own == value
                        )
                        for value in range(len(histogram))
                    ]
                    for value, prior in enumerate(histogram):
                        expected = p * (value == seen) + (1 - p) * Fraction(prior, total)
                        yield (Fraction(joint[value]) / sum(joint), "=", expected, f"{histogram}, p = {p}")
