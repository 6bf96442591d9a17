"""chaytor.COMP: several sensitive attributes as one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status

COMP = Claim(
    id="chaytor.COMP",
    module=__name__,
    source="Chaytor, chapter 3",
    title="several sensitive attributes as one compound attribute",
    statement=(
        r"\Pr[Y_1 = v \mid X_1 = u] = p\,[u = v] + \tfrac{1-p}{m_1},\qquad "
        r"1 + \tfrac{p m_1}{1-p} \le 1 + \tfrac{pM}{1-p},\quad M = \textstyle\prod_i m_i"
    ),
    words=(
        "True: uniform perturbation of the product domain is, for each attribute alone, uniform perturbation "
        "of its own domain with the same p, and what is promised of the compound value is promised of every "
        "property of every attribute. The promise must be computed with M and not with m_1: an observer who "
        "sees the other attributes published as he knows them to be raises the odds of the last one by the "
        "whole amplification, as one coin keeps all. A compound keeps more than separate coins where domains "
        "are small (two of 2 values at e^epsilon = 9: 2/3 against 1/2 each, and both together with 2/3 "
        "against 1/4), and less where they are large (two of 10: 2/27 against 1/6)."
    ),
    hypotheses=(r"\text{one coin for a record}", "0 \\le p < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.mechanisms.retention_replacement:RetentionReplacement",),
    tests=(
        "tests/mechanisms/test_retention_replacement.py::test_one_coin_decides_for_all_values_of_a_record",
    ),
)


@COMP.derivation
def one_attribute_of_the_product() -> Derivation:
    """Add up the compound values that have one value of the first attribute."""
    return Derivation(
        setting=(
            "The first attribute has m values, the others together k, so the compound has M = k m. A "
            "compound value is kept with p, and any of the M is drawn with (1-p)/M: another first value is "
            "published with k (1-p)/M = (1-p)/m."
        ),
        steps=(
            Identity(
                name="the true value",
                says="p + (1-p)/M for the compound itself, and k - 1 more with the same first value.",
                variables={"m": 1, "k": 1, "p": 0},
                left=lambda m, k, p: (p + (1 - p) / (k * m)) + (k - 1) * (1 - p) / (k * m),
                right=lambda m, _k, p: p + (1 - p) / m,
            ),
            Identity(
                name="an observer who knows the others",
                says="(p + (1-p)/M) over (1-p)/M, with t = 1 - p > 0: 1 + p M/t.",
                variables={"t": 1, "p": 0, "big_m": 1},
                left=lambda t, p, big_m: (p + t / big_m) / (t / big_m),
                right=lambda t, p, big_m: 1 + p * big_m / t,
            ),
            Inequality(
                name="less is disclosed of one attribute",
                says="With p = u/w: u k m >= u m for k >= 1.",
                variables=("u", "k", "m"),
                given=lambda u, k, m: (u, k - 1, m),
                slack=lambda u, d, m: (u, d + 1, m),
                then=lambda u, k, m: u * k * m - u * m,
            ),
        ),
        conclusion="The marginal law has the same p, and the amplification of its own domain.",
    )


@COMP.computation(cases=11, perturbed="(size**2 + level - 1) => (size + level - 1)")
def what_is_kept_at_one_level() -> Comparisons:
    """Compare retentions at e^epsilon = 9, the level shared equally by two attributes or given to both."""
    level, part, found = Fraction(9), Fraction(3), []
    for size in (2, 3, 4, 10):
        compound = (level - 1) / (size**2 + level - 1)
        apart = (part - 1) / (size + part - 1)
        yield (1 + compound * size**2 / (1 - compound), "=", level, f"m = {size}: another level")
        yield ((1 + apart * size / (1 - apart)) ** 2, "=", level, f"m = {size}: another level apart")
        found.append((size, compound, apart))
    yield ([compound > apart for _, compound, apart in found], "=", [True, True, False, False], f"{found}")
    yield (found[0][1:], "=", (Fraction(2, 3), Fraction(1, 2)), "m = 2")
    yield (found[3][1:], "=", (Fraction(2, 27), Fraction(1, 6)), "m = 10")


@COMP.enumeration(
    cases=48,
    perturbed=(
        "splu_ref.mechanisms.retention_replacement:RetentionReplacement.publish_rows smaller",
        "RetentionReplacement(p, => RetentionReplacement(p / 2,",
    ),
)
def one_coin_in_the_shipped_code() -> Comparisons:
    """Run the shipped mechanism on every outcome for one record of two attributes of 2 and 3 values."""
    import numpy as np  # noqa: PLC0415  only the enumeration needs it

    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    p, sizes = Fraction(1, 3), {"a": 2, "b": 3}
    mechanism = RetentionReplacement(p, {"a": "xy", "b": "uvw"}, compound=True)
    for true in product(range(2), range(3)):

        def run(source: Draws, true: tuple[int, int] = true) -> tuple[int, int]:
            codes = {name: np.array([code]) for name, code in zip(sizes, true, strict=True)}
            done = mechanism.publish_columns(codes, sizes, lambda _: source)
            return int(done.published["a"][0]), int(done.published["b"][0])

        law: dict[tuple[int, int], Fraction] = {}
        for seen, chance in outcomes(run):
            law[seen] = law.get(seen, Fraction(0)) + chance
        for seen in product(range(2), range(3)):
            yield (law[seen], "=", p * (seen == true) + (1 - p) / 6, f"{true} as {seen}: {law[seen]}")
        for value in range(2):
            alone = sum(chance for seen, chance in law.items() if seen[0] == value)
            yield (alone, "=", p * (value == true[0]) + (1 - p) / 2, f"{true}: the first attribute")
