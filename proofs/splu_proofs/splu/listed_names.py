"""splu.LIST, splu.LISTc: how many tables and attributes of its data the paper names."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Comparisons, Grade, Status, Witness

LISTS = (
    (8, "Gender Education Marital Race Work-class Country Age Occupation"),
    (8, "Reports Reactions Drugs ReportDrug Ingredients Outcome Druginvolve"),
    (
        17,
        (
            "Report-id Report-no Gender-English Age Age-unit Weight Height Manufacture-id "
            "Date-of-LastFollow-up Serious Feature-of-Report Report-Type Notifier-Type Notifier-Location "
            "ADR-id Disease"
        ),
    ),
)
"""The printed number and the names that follow it: dimensions of CENSUS, tables and attributes of CADRMP."""

LIST = Claim(
    id="splu.LIST",
    module=__name__,
    source="Fu et al. 2014, §6.1, the two datasets",
    title="numbers of tables and attributes",
    statement=r"\text{CENSUS}: 8 \text{ columns};\quad \text{CADRMP}: 8 \text{ tables},\ 17 \text{ columns}",
    words=(
        "The eight dimensions of CENSUS are named. Of CADRMP the text counts 8 tables and names 7, and "
        "counts 17 attributes of the joined table and names 16. No result of the paper depends on it."
    ),
    hypotheses=("the text at hand",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="splu.LISTc",
)

LISTC = Claim(
    id="splu.LISTc",
    module=__name__,
    source="corrects Fu et al. 2014, §6.1, the two datasets",
    title="the tables and attributes that are named",
    statement=r"\text{CENSUS}: 8 \text{ columns};\quad \text{CADRMP}: 7 \text{ tables},\ 16 \text{ columns}",
    words="The text names 8, 7 and 16; whether a table and an attribute were left out is not said.",
    hypotheses=("the text at hand",),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    complete="it is about three lists",
)


def named(number: int) -> int:
    """Return how many names a list has."""
    return len(LISTS[number][1].split())


@LIST.refutation
def seven_tables() -> Witness:
    """Count the second list: it has a name less than its number."""
    return Witness(
        parameters={"list": 1},
        premises=("the lists are copied from it",),
        allowed=lambda number: LISTS[number][0],
        actual=lambda number: Fraction(named(number)),
        sign="=",
        printed=Fraction(8),
        true=Fraction(7),
        smaller=lambda: [(0,)],
        count=1,
        order="the order of the text",
        perturbed="splu_proofs.splu.listed_names:named larger",
        by_hand="Reports, Reactions, Drugs, ReportDrug, Ingredients, Outcome and Druginvolve are seven.",
    )


@LISTC.computation(cases=3, perturbed="splu_proofs.splu.listed_names:named larger")
def names_of_each_list() -> Comparisons:
    """Count the names."""
    for number, count in enumerate((8, 7, 16)):
        yield named(number), "=", count, f"list {number + 1}"
