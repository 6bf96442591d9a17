"""What gives a sensitive column away: against brute force, and on tables made for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from splu_ref.audit.advice.coded_table import TableInMemory, groups_of
from splu_ref.audit.advice.joint_view import joint_views
from splu_ref.audit.advice.leaks import Leaks, Roles, _Fit, scan
from splu_ref.audit.advice.skew import require_groups
from splu_ref.audit.advice.verdict import refuse_disclosure
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.cli.assessment import joint_lines
from splu_ref.data import Bins, Cross, Microdata, Rare, Recoding, embedded_table, prepare_table

CELLS = st.sampled_from(["x", "y", "z", ""])


def _scan(columns: dict[str, list[str]], above: int = 3, roles: Roles | None = None) -> Leaks:
    [found] = scan(Microdata.from_frame(pl.DataFrame(columns)), ["s"], above, roles)
    return found


def _kinds(found: Leaks) -> set[tuple[str, tuple[str, ...]]]:
    return {(leak.kind, leak.columns) for leak in found.leaks}


@settings(max_examples=40)
@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from("abc")), min_size=1, max_size=14))
def test_groups_against_brute_force(records: list[tuple[str, str, str]]) -> None:
    assume(len({value for _, _, value in records}) > 1)
    text = pl.DataFrame(records, schema=["p", "q", "s"], orient="row")
    for frame in (text, pd.DataFrame(records, columns=["p", "q", "s"])):
        table = Microdata.from_frame(frame)
        for names in (("p",), ("p", "q")):
            retained = TableInMemory(table)
            [groups] = groups_of(retained, [retained.counted(name) for name in names], "s")
            expected: dict[tuple[str, ...], Counter[str]] = {}
            for record in records:
                cells = record[: len(names)]
                if all(cells):
                    expected.setdefault(cells, Counter())[record[2]] += 1
            places = np.arange(len(groups.key))
            found = {tuple(where.values()): place for place, where in enumerate(groups.where(places))}
            assert found.keys() == expected.keys()
            guessed = 0
            for cells, place in found.items():
                counts = [count for _, count in expected[cells].most_common(2)] + [0]
                size, most, second = groups.size[place], groups.most[place], groups.second[place]
                assert (size, most, second) == (expected[cells].total(), counts[0], counts[1])
                guessed += counts[0] if counts[0] - 1 > counts[1] else 0
            assert groups.guessed == guessed


JOBS = ["clerk", "nurse", "smith", "cook"]


@pytest.fixture(scope="module")
def columns() -> dict[str, list[str]]:
    """Forty records: a code of the job, one that errs twice, two halves of it, ids, and a coin."""
    jobs = [JOBS[row % 4] for row in range(40)]
    return {
        "id": [f"r{row}" for row in range(40)],
        "half": [f"h{row}" if row < 30 else "same" for row in range(40)],
        "code": [job[:2] for job in jobs],
        "rough": ["cl" if row in (1, 2) else job[:2] for row, job in enumerate(jobs)],
        "one": [str(row % 4 // 2) for row in range(40)],
        "two": [str(row % 2) for row in range(40)],
        "coin": [str(row // 20) for row in range(40)],
        "s": jobs,
    }


def test_each_kind_is_found_with_its_numbers(columns: dict[str, list[str]]) -> None:
    found = _scan(columns)
    assert _kinds(found) == {
        ("unique", ("id",)),
        ("nearly unique", ("half",)),
        ("determines", ("code",)),
        ("nearly determines", ("rough",)),
        ("determines", ("one", "two")),
    }
    by_column = {leak.columns: (leak.records, leak.among) for leak in found.leaks}
    assert by_column[("id",)] == (40, 40)
    assert by_column[("half",)] == (30, 40)
    assert by_column[("code",)] == (40, 40)
    assert by_column[("rough",)] == (38, 40)
    assert found.leaks[0].sentence == (
        "'code' discloses 's': all 40 records that share a cell share the value"
    )
    assert [(str(each.predicate), each.value, each.count, each.size) for each in found.concentrations] == [
        (f"one={JOBS.index(job) // 2} and two={JOBS.index(job) % 2}", job, 10, 10) for job in JOBS
    ]
    assert found.unique_records == 40


def test_free_text_is_named_and_every_column_that_stops_publication(columns: dict[str, list[str]]) -> None:
    text = [f"note {row}" if row % 4 == 0 else "none" for row in range(40)]
    less = ["none" if row % 8 else cell for row, cell in enumerate(text)]
    coin, number = columns["coin"], columns["id"]
    found = _scan({"text": text, "s": coin})
    assert _kinds(found) == {("partly unique", ("text",))}
    assert found.leaks[0].sentence == "'text' is partly unique: 10 of 40 records have a unique cell"
    refuse_disclosure([found])
    assert _kinds(_scan({"text": less, "s": coin})) == set()
    options = "nothing is published; .*drop id .*drop other, or .*keep id .*keep other to publish them all"
    with pytest.raises(DataError, match=f"'id' is unique.* 'other' is unique.*: {options}"):
        refuse_disclosure([_scan({"text": text, "id": number, "other": number, "s": coin})])


def test_a_cell_of_its_own_determines_nothing(columns: dict[str, list[str]]) -> None:
    """Predictions leave the record itself out; otherwise unique columns would determine everything."""
    found = _scan({"id": columns["id"], "s": columns["s"]})
    assert _kinds(found) == {("unique", ("id",))}
    shuffled = [columns["s"][row * 7 % 40 // 3 % 40] for row in range(40)]
    assert _kinds(_scan({"coin": columns["coin"], "s": shuffled})) == set()


def test_roles(columns: dict[str, list[str]]) -> None:
    quasi = _scan(columns, roles=Roles(quasi=("id", "half"), keep=("code", "rough", "one")))
    assert _kinds(quasi) == set()
    assert (quasi.unique_records, quasi.unique_by) == (40, ("id", "half"))
    assert _scan(columns, roles=Roles(quasi=("coin",))).unique_records == 0
    for roles, error in (
        (Roles(quasi=("s",)), "is sensitive"),
        (Roles(quasi=("id",), keep=("id",)), "choose one"),
    ):
        with pytest.raises(ParameterError, match=error):
            _scan(columns, roles=roles)
    with pytest.raises(DataError, match="no column 'nowhere'"):
        _scan(columns, roles=Roles(keep=("nowhere",)))


@pytest.mark.parametrize("dates", [False, True])
def test_the_order_of_numbers_or_dates_gives_away(dates: bool) -> None:
    rows = range(60)
    cells = [f"20{row // 12:02}-{row % 12 + 1:02}-01" if dates else str(row * 1.5 - 20) for row in rows]
    bands = ["low" if row < 21 else "middle" if row < 40 else "high" for row in rows]
    [leak] = [leak for leak in _scan({"x": cells, "s": bands}).leaks if leak.kind == "ranges"]
    assert (leak.columns, leak.records, leak.among) == (("x",), 56, 60)
    turns = [JOBS[row % 3] for row in rows]
    assert not [leak for leak in _scan({"x": cells, "s": turns}).leaks if leak.kind == "ranges"]


def test_concentrated_predicates_of_any_size_and_none_twice() -> None:
    town = ["far"] * 20 + ["near"] * 20 + ["mid"] * 9
    job = ["cook"] * 18 + ["clerk"] * 2 + ["cook", "clerk"] * 10 + ["smith"] * 9
    sex = ["m", "f"] * 24 + ["m"]
    found = _scan({"town": town, "sex": sex, "s": job}, above=9)
    assert [str(each) for each in found.concentrations if "sex" not in str(each)] == [
        "town=far: 18 of 20 are cook"
    ]
    assert [str(each) for each in found.concentrations if "sex" in str(each)] == [
        "sex=f and town=near: 10 of 10 are clerk",
        "sex=m and town=near: 10 of 10 are cook",
    ]


def test_wide_tables_are_looked_at_in_part() -> None:
    wide = {f"c{number}": ["a", "b", "a", "b"] for number in range(30)} | {"s": ["x", "y", "x", "y"]}
    table = Microdata.from_frame(pl.DataFrame(wide))
    [found] = scan(table, ["s"], 1, most_cells=10 * 5_004)
    assert (found.pairs, found.all_pairs) == (10, len(list(combinations(range(30), 2))))
    assert "10 of 435 pairs" in found.searched


def test_a_skewed_column_names_what_works_for_it() -> None:
    ill = ["no"] * 60 + ["yes"] * 40
    sex = ["m", "f"] * 50
    with pytest.raises(DataError, match=r"'no' occurs 60 times .* ill_sex=ill,sex .* up to 3, ") as reported:
        require_groups(Microdata.from_frame(pl.DataFrame({"sex": sex, "ill": ill})), "ill")
    assert "publish --mechanism retention " in str(reported.value)
    assert "sensitive ill --retention 1/2 --domain FILE --shuffle" in str(reported.value)
    table = Microdata.from_frame(pl.DataFrame({"sex": sex, "ill": ill, "drug": list("xy") * 50}))
    every = "sensitive ill_sex .*sensitive drug allows .*sensitive ill .*sensitive drug --retention"
    with pytest.raises(DataError, match=every):
        require_groups(table, "ill", ["drug", "ill"])
    with pytest.raises(
        DataError,
        match=r"No crossing with one other column of at most 50 .*; splu-ref publish",
    ):
        require_groups(Microdata.from_frame(pl.DataFrame({"id": range(100), "ill": ill})), "ill")
    assert require_groups(Microdata.from_frame(pl.DataFrame({"ill": ill[20:]})), "ill") == 2


def test_sensitive_columns_that_determine_each_other() -> None:
    cells = [f"{code}" for code in range(6) for _ in range(20)]
    columns = {"code": cells, "level": [str(int(cell) // 2) for cell in cells], "other": ["a", "b"] * 60}
    table = Microdata.from_frame(pl.DataFrame(columns))
    found = scan(table, list(columns), 200)
    drawn = {(each.sensitive, leak.columns) for each in found for leak in each.leaks if leak.drawn}
    assert drawn == {("level", ("code",))}
    accepted = scan(table, list(columns), 200, Roles(keep=("level",)))
    assert not [leak for each in accepted for leak in each.leaks]


def test_fitting_cells_of_a_column_and_its_copy() -> None:
    cells = [str(value) for value in range(33) for _ in range(20)]
    table = Microdata.from_frame(pl.DataFrame({"a": cells, "b": cells}))
    laws = dict.fromkeys("ab", PublishedCount.of(5))
    [view] = joint_views(table, scan(table, ["a", "b"], 100), laws, Fraction(3, 10), 10)
    assert view.exact
    assert (view.columns, view.dependence) == (("a", "b"), "found")
    [cells_that_fit] = view.fitting
    assert cells_that_fit.share == pytest.approx(0.06, abs=1e-6)
    assert cells_that_fit.right == pytest.approx((2 / 3, 2 / 3), abs=1e-6)


def test_columns_without_dependence_are_said_to_have_none_only_if_it_was_searched() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": list("xy") * 60, "b": list("xxyyz") * 24}))
    laws = dict.fromkeys("ab", PublishedCount.of(2))
    for roles, dependence in ((Roles(), "not found"), (Roles(keep=("a",)), "not searched")):
        [view] = joint_views(table, scan(table, ["a", "b"], 100, roles), laws, Fraction(3, 10), 10)
        assert (view.dependence, view.exact, view.fitting) == (dependence, False, ())
        assert any("no dependence was found" in words for _, words in joint_lines([view])) is (not roles.keep)


def _recoded(columns: dict[str, list[str]], steps: Sequence[Recoding], roles: Roles | None = None) -> Leaks:
    table = Microdata.from_frame(pl.DataFrame(columns))
    [found] = scan(prepare_table(table, steps, {}), ["s"], 3, roles)
    return found


def test_a_recoding_hides_nothing_of_what_the_sensitive_column_was() -> None:
    """A code of one part of a crossing, of exact numbers behind bins, and of values that are grouped."""
    rows = range(120)
    columns = {
        "code": [f"c{row % 6}" for row in rows],
        "coin": [str(row // 7 % 2) for row in rows],
        "part": [JOBS[row % 6 // 2] for row in rows],
        "other": [str(row * row % 11 // 3) for row in rows],
    }
    crossing = [Cross.of("s", ["part", "other"])]
    found = _recoded(columns, crossing)
    assert [(leak.kind, leak.columns, leak.discloses) for leak in found.leaks] == [
        ("determines", ("code",), "part")
    ]
    with pytest.raises(DataError, match="'code' discloses 'part': all 120 records"):
        refuse_disclosure([found])
    assert _recoded(columns, crossing, Roles(keep=("code",))).leaks == ()
    # nine of ten are in one bin, whose guess is as good as that by any column; the numbers behind are not
    ages = [str(90 if row % 10 == 0 else row % 6) for row in rows]
    binned = _recoded({"code": columns["code"], "s": ages}, [Bins.of("s", "50")])
    assert [(leak.kind, leak.columns, leak.discloses) for leak in binned.leaks] == [
        ("nearly determines", ("code",), "s before bins")
    ]
    chained = {"code": columns["code"], "part": ages, "other": columns["other"]}
    assert [
        (leak.columns, leak.discloses)
        for leak in _recoded(chained, [Bins.of("part", "50"), Cross.of("s", ["part", "other"])]).leaks
    ] == [(("code",), "part before bins")]
    jobs = [f"rare {row}" if row % 60 == 0 else JOBS[row % 3] for row in rows]
    grouped = _recoded({"code": columns["code"], "s": jobs}, [Rare.of("s", 10)])
    assert {leak.discloses for leak in grouped.leaks} == {"s"}  # not a second time
    constant = _recoded({**columns, "part": ["same"] * 120}, crossing)
    assert constant.leaks == ()


def test_what_determines_a_part_determines_the_crossing_of_another_sensitive_column() -> None:
    rows = range(120)
    columns = {"b": [str(row % 6) for row in rows], "p": [str(row % 6 // 2) for row in rows]}
    table = Microdata.from_frame(pl.DataFrame({**columns, "q": [str(row * row % 11 // 3) for row in rows]}))
    crossed = prepare_table(table, [Cross.of("s", ["p", "q"])], {})
    found = {each.sensitive: each.leaks for each in scan(crossed, ["s", "b"], 3)}
    assert [(leak.columns, leak.discloses, leak.drawn) for leak in found["s"]] == [(("b",), "p", True)]


def test_a_frequent_value_is_predicted_by_any_column_but_not_disclosed() -> None:
    """Of 1000 records 20 have the rare value; errors are compared with those of the frequent one, 20."""
    rare = [row % 50 == 0 for row in range(1000)]
    s = ["yes" if each else "no" for each in rare]
    independent = [str(row % 7) for row in range(1000)]
    assert _scan({"other": independent, "s": s}, above=10).leaks == ()
    assert _scan({"other": independent, "s": s}, above=10).found == 0

    def flag(right: int) -> list[str]:
        return ["1" if each and row < 50 * right else "0" for row, each in enumerate(rare)]

    assert _kinds(_scan({"flag": flag(10), "s": s})) == {("nearly determines", ("flag",))}
    few = _scan({"flag": flag(9), "s": s}, above=5)
    assert few.leaks == ()
    assert [str(each) for each in few.concentrations] == ["flag=1: 9 of 9 are yes"]
    assert _kinds(_scan({"flag": flag(20), "s": s})) == {("determines", ("flag",))}


def test_a_predicate_without_rare_values_is_reported_if_three_were_expected() -> None:
    for others, expected in ((29, []), (30, ["group=a: 30 of 30 are no"])):
        groups = ["a"] * others + ["b"] * (300 - others)
        s = ["no"] * 300
        for row in range(30):
            s[299 - row] = "yes"
        found = _scan({"group": groups, "s": s}, above=10)
        assert [
            str(each) for each in found.concentrations if each.predicate.assignments[0][1] == "a"
        ] == expected


def test_of_a_pair_the_better_predictor_is_dropped() -> None:
    """The day alone says little, the rough code nearly everything: only together they reach nine of ten."""
    rows = range(400)
    s = [JOBS[row % 4] for row in rows]
    wrong = [row % 7 == 0 for row in rows]
    rough = ["b" if bad else value for bad, value in zip(wrong, s, strict=True)]
    day = [str(row % 4 if bad else row // 4 % 4) for row, bad in enumerate(wrong)]
    for columns in ({"day": day, "rough": rough}, {"rough": rough, "day": day}):
        [leak] = _scan({**columns, "s": s}).leaks
        assert leak.columns == ("day", "rough")
        with pytest.raises(DataError, match="drop rough, or"):
            refuse_disclosure([_scan({**columns, "s": s})])


def _narrowing(columns: dict[str, list[str]]) -> set[tuple[str, ...]]:
    return {leak.columns for leak in _scan(columns, above=10).leaks if leak.kind == "narrows"}


def test_a_month_narrows_dates_and_a_share_narrows_amounts() -> None:
    """No cell has a frequent value, but draws from the whole table seldom fit it."""
    rng = np.random.default_rng(1)
    start = date(2020, 1, 1).toordinal()
    days = [date.fromordinal(start + day).isoformat() for day in rng.integers(730, size=8000).tolist()]
    found = _scan(
        {
            "month": [day[:7] for day in days],
            "half": ["1" if day[5:] < "07" else "2" for day in days],
            "s": days,
        }
    )
    [leak] = found.leaks
    assert (leak.kind, leak.columns, leak.discloses) == ("narrows", ("month",), "s")
    assert leak.records == pytest.approx(8000, abs=5)
    assert leak.among == pytest.approx(8000 * (1 + 1 / 24), abs=20)
    assert leak.sentence == (
        "'month' narrows 's': if half of the published values are true, "
        "so are 95 of 100 of those that other records with the same cell have"
    )
    with pytest.raises(DataError, match=r"'month' narrows 's': .*: nothing is published; drop month"):
        refuse_disclosure([found])
    amounts = rng.integers(2000, size=8000)
    tax = {"tax": list(map(str, (19 * amounts // 100).tolist()))}
    assert _narrowing({**tax, "s": list(map(str, amounts.tolist()))}) == {("tax",)}


def test_as_many_true_as_drawn_values_fit_columns_that_are_independent() -> None:
    """Over all orders of the values, exactly; no table of 8000 records with 2000 values is reported."""
    rng = np.random.default_rng(2)
    for cells, values in (("aabbc", "vvwwx"), ("aaabcd", "vvvwwx"), ("aab--c", "vwwxyy")):
        true, drawn = 0, Fraction(0)
        for order in permutations(values):
            table = TableInMemory(
                Microdata.from_frame(
                    pl.DataFrame({"x": [cell.strip("-") for cell in cells], "s": list(order)})
                )
            )
            fit = _Fit(table, "s", table.counted("x"))
            for numbers, counts in table.counts(["x"], "s"):
                fit.add(numbers, counts)
            true, drawn = true + fit.true, drawn + fit.drawn
        assert true == drawn > 0
    for _ in range(50):
        x, s = (list(map(str, rng.integers(2000, size=8000).tolist())) for _ in range(2))
        assert not _narrowing({"x": x, "s": s})


def test_values_that_occur_once_with_a_cell_do_not_fit_it() -> None:
    """Unless a record is left out, nearly all true values would fit, and hardly a draw."""
    rng = np.random.default_rng(3)
    x, s = (list(map(str, rng.integers(700, size=3000).tolist())) for _ in range(2))
    assert not _narrowing({"x": x, "s": s})
    # a fifth of the records fits, or two records fewer
    for twice, reported in ((100, {("x",)}), (99, set())):
        pairs = [(f"x{row}", f"s{row}") for row in range(twice) for _ in range(2)]
        rest = 1000 - 2 * twice
        pairs += [(f"a{row // 2}", f"b{row * 7 % rest // 2}") for row in range(rest)]
        found = _narrowing({"x": [x for x, _ in pairs], "s": [s for _, s in pairs]})
        assert found == reported


def test_no_column_of_the_embedded_table_narrows_another() -> None:
    table = embedded_table()
    for sensitive in ("age", "education", "occupation"):
        [found] = scan(table, [sensitive], 10, most_cells=0)
        assert not [leak for leak in found.leaks if leak.kind == "narrows"]


def test_what_narrows_numbers_before_they_are_in_bins_need_not_narrow_the_bins() -> None:
    numbers = np.random.default_rng(5).integers(400, size=2000).tolist()
    columns = {"digits": [str(number % 20) for number in numbers], "s": list(map(str, numbers))}
    assert _narrowing(columns) == {("digits",)}
    assert _recoded(columns, [Bins.of("s", "100")]).leaks == ()


def test_what_determines_a_part_of_a_crossing_is_not_also_called_narrowing() -> None:
    rng = np.random.default_rng(4)
    region, other = rng.integers(15, size=1500).tolist(), rng.integers(20, size=1500).tolist()
    columns = {"code": [f"c{each}" for each in region], "region": list(map(str, region))}
    found = _recoded({**columns, "other": list(map(str, other))}, [Cross.of("s", ["region", "other"])])
    assert [(leak.kind, leak.discloses) for leak in found.leaks if "code" in leak.columns] == [
        ("determines", "region")
    ]
