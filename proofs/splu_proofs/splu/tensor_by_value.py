"""splu.Kc: value by value the transition of several sensitive columns is a tensor product."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.related_columns import Column, both, shipped, takes

KC = Claim(
    id="splu.Kc",
    module=__name__,
    source="corrects Fu et al. 2014, §5.2",
    title="tensor product value by value",
    statement=(
        r"\Pr[(u_1,\dots,u_w)\to(v_1,\dots,v_w)]=\prod_i T_i[u_i,v_i]=\prod_i\frac{c_i(u_i,v_i)}{\gamma "
        r"f_{u_i}}"
    ),
    words=(
        "For a record with values u_1..u_w, however the columns are related, the transition on the product "
        "of the domains is exactly the tensor product of the matrices T_i of splu.M1c, if each column has "
        "its own plan, its own random order within values and its own draws, independent of the other "
        "columns' given all true values. That is what the shipped mechanism does. The product of two-state "
        "matrices follows where in every column the values other than s_i are grouped with s_i equally "
        "often per record, or where these values are independent between the columns within the state and "
        "fair samples of their columns. Two warnings. If identical columns are placed alike, by the order "
        "of the file or by one shared order, the product fails: 1/8 against 1/16 for gamma = 2, values "
        "(0, 0, 1, 2). And the matrix speaks of one record: two records of a value never share a place."
    ),
    hypotheses=("for each column: random order within values, independent draws, independent of the others",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1c",),
    licenses=("splu_ref.mechanisms.splu_gen", "splu_ref.mechanisms.plans.co_occurrence"),
    tests=("tests/mechanisms/test_splu_gen.py::test_two_columns_have_plans_of_their_own_and_one_shuffle",),
)


@KC.derivation
def place_and_draw_in_every_column() -> Derivation:
    """Count places and draws of two columns together; more columns follow one by one."""
    return Derivation(
        setting=(
            "Given the true values, the record's places are uniform over the f_1 f_2 pairs, and its draws "
            "over gamma^2 pairs, all independent; c_1 c_2 pairs of places and one pair of draws are right: "
            "c_1 c_2/(f_1 f_2 gamma^2), the product of the c_i/(gamma f_i). If T_1 is a_1 for every record "
            "of the state, the mean of T_1 T_2 is a_1 times the mean of T_2."
        ),
        steps=(
            Identity(
                name="when the values are independent",
                says=(
                    "If T_1 is a or b in shares p and 1-p of the state, T_2 is c or d in shares q and 1-q, "
                    "and all four pairs occur in the products of the shares, the mean of T_1 T_2 is the "
                    "product of the means; so for any number of values."
                ),
                variables={"p": 0, "q": 0, "a": 0, "b": 0, "c": 0, "d": 0},
                left=lambda p, q, a, b, c, d: (
                    p * q * a * c + p * (1 - q) * a * d + (1 - p) * q * b * c + (1 - p) * (1 - q) * b * d
                ),
                right=lambda p, q, a, b, c, d: (p * a + (1 - p) * b) * (q * c + (1 - q) * d),
            ),
        ),
        conclusion=(
            "With T_2 constant as well the product of the two-state matrices is exact; so it is in this "
            "step, if the means over the state are those over the columns. The non-sensitive "
            "columns are not changed, so their factor is the identity."
        ),
    )


@KC.computation(cases=112, perturbed="splu_proofs.worlds.related_columns:_mean larger")
def where_the_two_state_product_holds() -> Comparisons:
    """Two values of N/2 records each, gamma = 2: every group holds both, the two-state product is exact."""
    for rows in (2, 4, 6):
        values = (0,) * (rows // 2) + (1,) * (rows // 2)
        for second in set(permutations(values)):
            for s in product((0, 1), repeat=2):
                printed, true = both((values, second), 2, (s[0], s[1]))
                yield (printed, "=", true, f"{values} and {second}, s = {s}")


@KC.enumeration(cases=136, perturbed="splu_ref.mechanisms.splu_gen:SpluGen.publish_columns larger")
def the_shipped_mechanism_is_a_product() -> Comparisons:
    """Publish two related columns over every outcome: for each record the joint law is the product."""
    pairs = (((0, 0, 1, 2), (0, 0, 1, 2)), ((0, 0, 1, 2), (1, 2, 0, 0)), ((0, 1, 2, 3), (0, 1, 2, 3)))
    for columns in pairs:
        law = shipped(columns, lambda published: published, "random")
        for record in range(4):
            chance = [[takes(column, 2, v)[record] for v in range(max(column) + 1)] for column in columns]
            for v in product(*(range(len(row)) for row in chance)):
                seen = sum(
                    (p for values, p in law.items() if tuple(c[record] for c in values) == v), Fraction(0)
                )
                yield (seen, "=", chance[0][v[0]] * chance[1][v[1]], f"{columns}: record {record} to {v}")


@KC.enumeration(cases=3, perturbed="splu_ref.mechanisms.splu_gen:SpluGen.publish_columns larger")
def columns_placed_alike_are_not() -> Comparisons:
    """Publish two identical columns in the order of the file, and one column's order twice: 1/8, not 1/16."""
    columns = ((0, 0, 1, 2), (0, 0, 1, 2))

    def moves(values: tuple[Column, ...]) -> int:
        return sum(values[0][record] == values[1][record] == 1 for record in (0, 1))

    alike = shipped(columns, moves, "smallest-id")
    mean = sum((count * p for count, p in alike.items()), Fraction(0)) / 2
    yield (
        mean,
        "=",
        Fraction(1, 8),
        f"in the order of the file a record of value 0 goes to (1, 1) with {mean}",
    )
    yield (takes(columns[0], 2, 1)[0] ** 2, "=", Fraction(1, 16), "the product is not 1/16")
    one = shipped(columns[:1], lambda values: values[0][0] == values[0][1] == 1, "random")
    yield (one.get(True, Fraction(0)), "=", 0, "two records of a value have shared a place")
