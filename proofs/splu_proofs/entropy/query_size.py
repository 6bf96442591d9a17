"""entropy.QSS, entropy.QSSc: a least size of queries, and how it is got around."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Inequality, Status, Witness

QSS = Claim(
    id="entropy.QSS",
    module=__name__,
    source="Chirayath et al. 2006, §1.1, after Denning and Schlörer 1980",
    title="queries of at least N/6 records give every answer away",
    statement=r"k \le N/6 \;\Longrightarrow\; \text{every count is found from the answered ones}",
    words=(
        "False without a condition on the table, where sizes from k to N-k are answered: there must be a "
        "tracker, a set between 2k and N-2k that may be queried. In a table of six records that are all "
        "alike every question is of none or of all and is refused, and whether all have a value or none has "
        "remains open. With a tracker it is true, and up to N/4. If only small sets are refused, and large "
        "ones are answered, it is true up to N/2 and needs no tracker."
    ),
    hypotheses=(r"k \ge 1", r"\operatorname{count}(C) \text{ answered iff } k \le |C| \le N-k"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="entropy.QSSc",
)

QSSC = Claim(
    id="entropy.QSSc",
    module=__name__,
    source="new; the tracker is Denning's, quoted in Chirayath et al. 2006, §1.1",
    title="a tracker answers what is refused",
    statement=(
        r"2k \le |T| \le N-2k,\ |C| < k:\quad |C| = |C\cup T| + |C\cup\bar T| - |T| - |\bar T|,\ "
        r"\text{all four answered};\quad \text{such sizes exist iff } k \le N/4"
    ),
    words=(
        "The counts of C or T and of C or not T are within the sizes that are answered, and so are those of "
        "T and of not T, whose sum is N. A set with more than N-k records is N less its complement. If every "
        "set of at least k is answered, count(C) = count(all) - count(not C) does for k <= N/2."
    ),
    hypotheses=(r"T,\ C\cup T,\ C\cup\bar T \text{ may be queried}",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
)


def _answers(records: int, ones: int, least: int) -> tuple[int | None, ...]:
    """Return the answers of a table of one bit about none, the ones, the zeros and all; None: refused."""
    sizes = (0, ones, records - ones, records)
    return tuple(size if least <= size <= records - least else None for size in sizes)


def _possible(records: int, ones: int, least: int) -> int:
    """Return how many numbers of ones agree with the answers."""
    own = _answers(records, ones, least)
    return sum(_answers(records, other, least) == own for other in range(records + 1))


@QSS.refutation
def six_records_alike() -> Witness:
    """No record has the value or all have: every answer is refused in both."""
    return Witness(
        parameters={"N": 6, "k": 1, "ones": 0},
        premises=(lambda _records, least, _ones: least >= 1, "_answers refuses the other sizes"),
        allowed=lambda *_: Fraction(1),
        actual=lambda records, least, ones: Fraction(_possible(records, ones, least)),
        sign="=",
        printed=Fraction(1),
        true=Fraction(2),
        smaller=_smaller,
        none_smaller="below N = 6 no whole k is from 1 to N/6",
        order="N; values are how many counts agree with all answers, of which print leaves one",
        perturbed="splu_proofs.entropy.query_size:_possible larger",
        by_hand="0 and 6 are below 1 or above 5: nothing is answered, and the count may be 0 or 6.",
    )


def _smaller() -> Iterator[Case]:
    for records in range(1, 6):
        for least in range(1, records + 1):
            if 6 * least <= records:
                yield from ((records, least, ones) for ones in range(records + 1))


def _leaves_out(name: str, says: str, *, neither: bool) -> Inequality:
    """Return why d, in neither set, or c, in T alone, is at least k; w, x and y are the excesses."""

    def more_than_least(_a: Any, _b: Any, c: Any, d: Any, k: Any) -> Any:
        return (d if neither else c) - k

    return Inequality(
        name=name,
        says=says,
        variables=("a", "b", "c", "d", "k"),
        given=lambda a, b, c, d, k: (a, b, k - 1 - a - b, a + c - 2 * k, b + d - 2 * k),
        slack=lambda a, b, w, x, y: (
            a,
            b,
            x + 2 * (1 + a + b + w) - a,
            y + 2 * (1 + a + b + w) - b,
            1 + a + b + w,
        ),
        then=more_than_least,
    )


@QSSC.derivation
def the_four_sizes() -> Derivation:
    """Count the records in C and T, in C alone, in T alone, and in neither."""
    return Derivation(
        setting=(
            "a records are in both C and T, b in C alone, c in T alone and d in neither. |C| = a + b < k, "
            "|T| = a + c >= 2k, and N - |T| = b + d >= 2k. C or T has N - d records, C or not T has N - c, "
            "and at least as many as T and not T. Adding: (a+b+c) + (a+b+d) - (a+b+c+d) = a + b."
        ),
        steps=(
            _leaves_out("C or T is not too large", "d >= k: it leaves out at least k records.", neither=True),
            _leaves_out("C or not T is not too large", "c >= k.", neither=False),
        ),
        conclusion="All four sets have from k to N-k records. Sizes from 2k to N-2k exist iff 4k <= N.",
    )


@QSSC.computation(
    cases=3660,
    perturbed=(
        "answers[0] + answers[1] - answers[2] => answers[0] + answers[1] + answers[2]",
        "(records - a - b, => (least - a - b,",
    ),
)
def every_small_table() -> Comparisons:
    """All tables of up to 13 records by how many are in C and T, and every k from 1 to N/2."""
    for records in range(1, 14):
        for least in range(1, records // 2 + 1):
            sizes = [size for size in range(records + 1) if 2 * least <= size <= records - 2 * least]
            yield (bool(sizes), "=", (4 * least <= records), f"N = {records}, k = {least}: trackers")
            for a, b, c in product(range(records + 1), repeat=3):
                d = records - a - b - c
                if d < 0 or a + b >= least:
                    continue
                # where every set of at least k is answered, the complement of C is
                yield (records - a - b, ">=", least, f"N = {records}, k = {least}: the complement is refused")
                if a + c in sizes:
                    answers = (a + b + c, a + b + d, a + c, b + d)
                    for size in answers:
                        yield (least, "<=", size, "a set is refused")
                        yield (size, "<=", records - least, "a set is refused")
                    yield (
                        answers[0] + answers[1] - answers[2] - answers[3],
                        "=",
                        a + b,
                        "another count is found",
                    )
