"""olap.EXT: a rare value and somebody who knows whose it is."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Comparisons, Grade, Status

EXT = Claim(
    id="olap.EXT",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="rare values and knowledge from outside",
    statement=(
        r"\Pr[\max_i Y_i = \max_i X_i] = 1\ (\text{swapping}),\qquad "
        r"= 1 - \left(1-p-\tfrac{1-p}N\right)\left(1-\tfrac{1-p}N\right)^{N-1}\ "
        r"(\text{identity, one record has it})"
    ),
    words=(
        "True. Who knows that somebody has the largest value of a column learns it from a swapped column "
        "with certainty, whatever p is: the column is the original's. Under identity perturbation the value "
        "is published with more than 1 - 1/e even at p = 0, and a published value is always one that occurs. "
        "Uniform perturbation publishes values of the declared domain that nobody has, so its largest value "
        "is no evidence: at p = 0 it is independent of the table. The guarantee of olap.L1 does not speak of "
        "this, since such an observer has another prior for the record."
    ),
    hypotheses=(r"0 \le p < 1", r"\text{the observer knows who has the largest value}"),
    status=Status.VERIFIED,
    grade=Grade.ENUMERATED,
    instances="N <= 4 records, every outcome",
    rests_on=("olap.IDc",),
)


@EXT.enumeration(
    cases=294,
    perturbed=(
        "splu_ref.mechanisms.record_mechanism:RecordMechanism.publish_codes larger",
        "splu_proofs.worlds.arrangements:published larger",
    ),
)
def the_largest_published_value() -> Comparisons:
    """Run the shipped mechanisms on every outcome for tables of N <= 4 records with one largest value."""
    from splu_ref.mechanisms import RetentionReplacement, Swapping  # noqa: PLC0415  only runs need them

    from ..worlds.arrangements import published  # noqa: PLC0415  it loads numpy and the library

    for codes in ((0, 1), (0, 0, 1), (0, 1, 2), (0, 0, 1, 2)):
        records, top = len(codes), max(codes)
        domain = {"sensitive": "abcd"[: top + 1]}
        for p in (Fraction(0), Fraction(1, 2)):
            swapped = published(Swapping(p), codes, top + 1)
            for cells in swapped:
                yield (max(cells), "=", top, f"{codes}, p = {p}: the largest is gone")
            identity = published(RetentionReplacement(p, domain, replacing="identity"), codes, top + 1)
            shown = sum(chance for cells, chance in identity.items() if max(cells) == top)
            away = (1 - p) / records
            yield (shown, "=", 1 - (1 - p - away) * (1 - away) ** (records - 1), f"{codes}, p = {p}: {shown}")
            for cells in identity:
                yield (set(cells), "<=", set(codes), f"{codes}: a value that nobody has")


@EXT.enumeration(cases=12, perturbed="splu_ref.randomness.enumeration:EnumerationSource.below smaller")
def uniform_replacement_discloses_nothing_of_it() -> Comparisons:
    """At p = 0 the largest value that uniform perturbation publishes has one law for every table."""
    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  as above

    from ..worlds.arrangements import published  # noqa: PLC0415  only runs need it

    mechanism = RetentionReplacement(0, {"sensitive": "abcd"})
    for codes in ((0, 1), (1, 1), (0, 3)):
        law = published(mechanism, codes, 4)
        for top in range(4):
            chance = sum(part for cells, part in law.items() if max(cells) == top)
            yield chance, "=", Fraction(2 * top + 1, 16), f"chance of {top} as the largest value of {codes}"
