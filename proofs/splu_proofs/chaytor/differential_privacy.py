"""chaytor.DPPUB, chaytor.DPPUBc, chaytor.REPUB, chaytor.REPUBc: differential privacy of publications."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import amplification, diagonal, posterior, retention

from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Quantity,
    Relation,
    Status,
    Witness,
)

DPPUB = Claim(
    id="chaytor.DPPUB",
    module=__name__,
    source="Chaytor, chapter 2, on privacy models",
    title="no publication is differentially private",
    statement=(
        r"\text{for no } \varepsilon \text{ is there a publication of records with } "
        r"\varepsilon\text{-differential privacy}"
    ),
    words=(
        "False: the perturbation of the thesis itself is one. A table of one record with two values, kept "
        "with p = 1/3, is published with chances 2/3 and 1/3, a ratio of 2, so epsilon = ln 2. The sentence "
        "is taken from a framework of adversaries with unlimited samples of others' data, whose condition "
        "is another one. That nobody had done it in practice is refuted by randomized response, older than "
        "the term."
    ),
    hypotheses=(r"\text{tables that differ in one record}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="chaytor.DPPUBc",
    tests=("tests/docs/test_witnesses.py::test_a_publication_of_one_record_and_two_of_one_table",),
)


@DPPUB.refutation
def one_record_of_two_values() -> Witness:
    """One record, two values, p = 1/3: the least ratio of two chances of one publication is 1/2, not 0."""
    return Witness(
        parameters={"records": 1, "values": 2, "p": Fraction(1, 3)},
        premises=("the two tables have one record each",),
        allowed=lambda *_: Fraction(0),
        actual=lambda _records, values, p: _least_ratio(p, values),
        printed=Fraction(0),
        true=Fraction(1, 2),
        none_smaller="one record and two values are the fewest",
        order="the number of records and of values; fewer carry no information",
        perturbed="splu_proofs.chaytor.differential_privacy:_least_ratio larger",
        by_hand=(
            "The value 0 is published as 0 with 1/3 + 2/3 * 1/2 = 2/3, the value 1 with 1/3: a ratio of 1/2. "
            "Were no publication differentially private for any epsilon, the least ratio would be 0 in each."
        ),
    )


def _least_ratio(p: Fraction, m: int) -> Fraction:
    """Return the least ratio of the chances of one published value under two true ones, written out."""
    own, other = p + (1 - p) / m, (1 - p) / m
    return other / own


def _ratio(p: Fraction, m: int) -> Fraction:
    ratio = amplification(retention(p, dict.fromkeys(range(m), Fraction(1, m)))).ratio
    assert ratio is not None
    return ratio


EPSILON = Relation(
    variables=("p", "m"),
    left=Quantity(r"e^{\varepsilon}", _ratio),
    sign="=",
    right=lambda p, m: 1 + p * m / (1 - p),
    cases=lambda: product((Fraction(1, 5), Fraction(1, 3), Fraction(3, 4)), (2, 5, 14)),
)

DPPUBC = Claim(
    id="chaytor.DPPUBc",
    module=__name__,
    source="corrects Chaytor, chapter 2, on privacy models",
    title="the differential privacy of uniform perturbation",
    statement=rf"{EPSILON.latex} \text{{ for tables that differ in one perturbed value}}",
    asserts=(EPSILON,),
    words=(
        "Uniform perturbation of m values is epsilon-differentially private with e^epsilon = 1 + p m/(1-p), "
        "for tables that differ in the value of one record, of any number of records, and no smaller "
        "epsilon will do. With whole records perturbed, m is the number of possible records; with columns "
        "perturbed one by one, their e^epsilon multiply. Columns that are published as they are, as the "
        "thesis prefers, are not covered: tables that differ there are distinguished with certainty."
    ),
    hypotheses=(r"0 \le p < 1", r"m \ge 2"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.EQ1",),
    licenses=(
        "splu_ref.mechanisms.retention_replacement:RetentionReplacement",
        "splu_ref.channels.amplification_bounds",
    ),
    tests=(
        "tests/mechanisms/test_identities.py::test_neighboring_tables_are_distinguished_as_far_as_records",
    ),
)


@DPPUBC.derivation
def the_ratio_of_two_entries() -> Derivation:
    """Divide the two entries of a column; the other records cancel."""
    return Derivation(
        setting=(
            "A column of the matrix has one entry a = p + (1-p)/m and m - 1 entries b = (1-p)/m. c is the "
            "chance of what is published of all other records."
        ),
        steps=(
            Identity(
                name="one record",
                says="(p + (1-p)/m)/((1-p)/m) = 1 + p m/(1-p).",
                variables={"p": 2, "m": 1},
                left=lambda p, m: (p + (1 - p) / m) / ((1 - p) / m),
                right=lambda p, m: 1 + p * m / (1 - p),
            ),
            Identity(
                name="all records",
                says="Of two tables that differ in one record, a c/(a c + b c) = a/(a + b): c cancels.",
                variables={"a": 1, "b": 1, "c": 1},
                left=lambda a, b, c: a * c / (a * c + b * c),
                right=lambda a, b, _c: a / (a + b),
            ),
        ),
        conclusion="The ratio is attained, and no publication has a larger one.",
        gives=(Gives(relation=EPSILON, step="one record", of="right", at=lambda p, m: (p, m)),),
    )


@DPPUBC.enumeration(
    cases=2,
    perturbed=(
        "splu_ref.mechanisms.replacement_law:ReplacementLaw.total larger",
        "splu_proofs.worlds.replaced:published larger",
    ),
)
def the_shipped_publication() -> Comparisons:
    """Publish all tables of two records over every outcome, and compare neighbors."""
    from ..worlds import replaced  # noqa: PLC0415  it loads numpy and the library

    for p, m in ((Fraction(1, 3), 2), (Fraction(1, 2), 3)):
        laws = {table: replaced.published(table, m, p) for table in product(range(m), repeat=2)}
        worst = Fraction(1)
        for first, second in product(laws, repeat=2):
            if sum(a != b for a, b in zip(first, second, strict=True)) == 1:
                worst = max(worst, *(chance / laws[second][seen] for seen, chance in laws[first].items()))
        yield (worst, "=", 1 + p * m / (1 - p), f"p = {p}, m = {m}: e^epsilon is {worst}")


REPUB = Claim(
    id="chaytor.REPUB",
    module=__name__,
    source="Chaytor, chapter 2, on privacy models",
    title="unlike differential privacy, (rho1, rho2) privacy is safe when published again",
    statement=(r"\text{two releases, each without a } (\rho_1,\rho_2) \text{ breach, have none together}"),
    words=(
        "The sentence on differential privacy, that two publications together guarantee less than each "
        "alone, is true of independent ones that carry information, and is given as a reason to prefer "
        "(rho1, rho2) privacy. As such it is void: the same holds there. With two values that are published "
        "as themselves with 2/3, a prior of 1/3 becomes 1/2 after one release and 2/3 after two, so each is "
        "free of (1/3, 3/5) breaches and both together are not."
    ),
    hypotheses=(r"\text{independent releases of one table}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("chaytor.EQ1",),
    corrected_by="chaytor.REPUBc",
    tests=("tests/docs/test_witnesses.py::test_a_publication_of_one_record_and_two_of_one_table",),
)


@REPUB.refutation
def two_releases_of_two_values() -> Witness:
    """Two values published as themselves with 2/3, a prior of 1/3, and the level 3/5."""
    return Witness(
        parameters={
            "values": 2,
            "retention": Fraction(2, 3),
            "rho1": Fraction(1, 3),
            "rho2": Fraction(3, 5),
            "releases": 2,
        },
        premises=("the channels of the releases are multiplied",),
        allowed=lambda _values, _retention, _rho1, rho2, _releases: rho2,
        actual=lambda values, retention, rho1, _rho2, releases: _after_releases(
            values, retention, rho1, releases
        ),
        sign="<",
        printed=Fraction(3, 5),
        true=Fraction(2, 3),
        smaller=lambda: [(2, Fraction(2, 3), Fraction(1, 3), Fraction(3, 5), 1)],
        count=1,
        order="the number of releases",
        perturbed="splu_ref.channels.channel:Channel.probability larger",
        by_hand="Each release doubles the odds of 1/2: to 1, a posterior of 1/2, and to 2, one of 2/3.",
    )


def _after_releases(values: int, kept: Fraction, rho1: Fraction, releases: int) -> Fraction:
    """Return the largest posterior of the first value, of prior rho1, after independent releases."""
    once = diagonal(range(values), kept)
    channel = once
    for _ in range(releases - 1):
        channel = channel.both(once)  # type: ignore[assignment]  # the outputs become pairs
    prior = {0: rho1} | dict.fromkeys(range(1, values), (1 - rho1) / (values - 1))
    return max(posterior(channel, prior, seen)[0] for seen in channel.outputs)


def _twice(p: Fraction, m: int) -> Fraction:
    channel = retention(p, dict.fromkeys(range(m), Fraction(1, m)))
    ratio = amplification(channel.both(channel)).ratio
    assert ratio is not None
    return ratio


SQUARE = Relation(
    variables=("p", "m"),
    left=Quantity(r"e^{\varepsilon_2}", _twice),
    sign="=",
    right=lambda p, m: (1 + p * m / (1 - p)) ** 2,
    cases=lambda: product((Fraction(0), Fraction(1, 5), Fraction(3, 4)), (2, 5)),
)

REPUBC = Claim(
    id="chaytor.REPUBc",
    module=__name__,
    source="corrects Chaytor, chapter 2, on privacy models",
    title="two releases multiply the odds twice, for every guarantee",
    statement=(
        rf"{SQUARE.latex};\qquad \text{{no }} (\rho_1,\rho_2) \text{{ breach in two releases}} \iff "
        r"e^{\varepsilon_2} < G"
    ),
    asserts=(SQUARE,),
    words=(
        "Two independent releases by uniform perturbation have the square of its amplification: epsilon "
        "doubles, and the (rho1, rho2) guarantee is decided by the same number. One guarantee is worth as "
        "much as the other when a table is published again. Two releases are strictly worse than one unless "
        "p = 0; two copies of one release, or releases under one key, are not."
    ),
    hypotheses=(r"0 \le p < 1", r"m \ge 2", r"\text{independent releases}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.EQ1", "chaytor.OPTc", "chaytor.DPPUBc"),
    licenses=("splu_ref.channels.channel:Channel",),
    tests=("tests/mechanisms/test_identities.py::test_amplification_of_what_is_put_together",),
)


@REPUBC.derivation
def one_release_after_the_other() -> Derivation:
    """Use the posterior of the first release as the prior of the second."""
    return Derivation(
        setting=(
            "q is a prior, a and b the chances of what is seen under the property and without it, the same "
            "in both releases where the ratio is largest; Q = q a/(q a + (1-q) b) is the posterior of the "
            "first."
        ),
        steps=(
            Identity(
                name="the second release",
                says="Q a/(Q a + (1-Q) b) = q a^2/(q a^2 + (1-q) b^2).",
                variables={"q": 2, "a": 20, "b": 1},
                left=lambda q, a, b: (
                    (q * a / (q * a + (1 - q) * b))
                    * a
                    / ((q * a / (q * a + (1 - q) * b)) * a + (1 - q * a / (q * a + (1 - q) * b)) * b)
                ),
                right=lambda q, a, b: q * a**2 / (q * a**2 + (1 - q) * b**2),
            ),
            Identity(
                name="the ratio of two releases",
                says="((p + (1-p)/m)/((1-p)/m))^2 = (1 + p m/(1-p))^2.",
                variables={"p": 2, "m": 1},
                left=lambda p, m: ((p + (1 - p) / m) / ((1 - p) / m)) ** 2,
                right=lambda p, m: (1 + p * m / (1 - p)) ** 2,
            ),
        ),
        conclusion=(
            "No pair of published values has a larger ratio than the square of the largest, and the same "
            "value twice has it. By chaytor.OPTc breaches begin where it reaches G."
        ),
        gives=(Gives(relation=SQUARE, step="the ratio of two releases", of="right", at=lambda p, m: (p, m)),),
    )
