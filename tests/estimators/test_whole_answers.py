"""Whole answers of every method about releases by every mechanism, number by number.

``answers.txt`` holds them: after ``#`` a release, after ``>`` a method, then a line for each query. The other
tests of this room say what such numbers mean, each within the error of what it compares with; these say that
none of them changes unnoticed. Lines were written by ``python -m tests.estimators.test_whole_answers``, which
prints them all: where one changes, another test should say why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product, zip_longest
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.estimators import METHODS, Interval, Query, QueryEstimate, QueryEstimator, estimator_of
from splu_ref.estimators.answers import EMPTY_PREDICATE, MOVED
from splu_ref.mechanisms import (
    AlphaBeta,
    Operator,
    PerturbedGeneralization,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
)
from splu_ref.mechanisms.release import PublishedTable
from splu_ref.output.terminal import say
from splu_ref.randomness import SeededSource

ROWS = 360
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")
_CLOSE = 1e-5
"""Of a number, or of a record: less than another processor or library may differ by is no change."""


def _mixed(number: int) -> int:
    return pow(number + 1, 40503, 65537)


def _job(row: int) -> str:
    """A job of eight, of which some are several times as frequent, and some commoner among women."""
    return "aaabbbbccddeeeffghbbbbcc"[_mixed(row) % 18 + 6 * (row % 2)]


FRAME = pl.DataFrame(
    {
        "sex": ["F" if row % 2 else "M" for row in range(ROWS)],
        "age": [20 + _mixed(row + 1000) % 13 for row in range(ROWS)],
        "job": [_job(row) for row in range(ROWS)],
        "home": ["vwwxxyyzzzv"[_mixed(row + 500) % 8 + _mixed(row) % 18 // 6] for row in range(ROWS)],
    }
)
JOBS, HOMES = "abcdefgh", "vwxyz"
JOB, HOME = ("job",), ("job", "home")
ALONE = ("job=a", "job!=a")
BESIDE = ("sex=M and job={g, h}", "age=25..29 and job!=h")
JOINT = ("sex=M and home=y and job={a, b}",)
EACH = (*ALONE, *BESIDE, *JOINT)
MORE = (
    "job={a, b}",
    "job=h",
    "sex=F and job=b",
    "sex=F and job!=b",
    "sex=M and job=h",
    "age>=25 and sex=F and job={a, c}",
    "home=x and job=a",
    "age<=25 and home!=z and job=b",
    "home=w and job!=a",
)
"""Queries of the two kinds of draws whose answers are the most different."""

_STATES = [["1/2" if own == seen else "1/14" for seen in range(8)] for own in range(8)]
_NEIGHBORS = [["3/5" if own == seen else "1/5" if (own - seen) % 8 in (1, 7) else 0 for seen in range(8)]
              for own in range(8)]  # fmt: skip
_PARTS: dict[tuple[str, ...], str] = {("F",): JOBS[1:], ("M",): JOBS}
RELEASES: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "SPLU-Gen": (SpluGen(3), HOME, (*EACH, *MORE)),
    "SPLU-Gen, retention 1/2": (SpluGen(3, "1/2"), HOME, EACH),
    "SPLU-Gen, anatomy": (SpluGen(3, plan="anatomy"), HOME, EACH[1:]),
    "SPLU-Gen, capped": (SpluGen(3, draws="capped:4"), HOME, EACH[1:]),
    "SPLU-Gen, all or none": (SpluGen(3, draws="all-or-none:20"), HOME, (*EACH, *MORE)),
    "SPLU-Gen by column":
        (SpluGenByColumn({"job": SpluGen(3, plan="anatomy"), "home": SpluGen(2, "2/3")}), HOME, EACH[1:]),
    "retention": (RetentionReplacement("1/2", {"job": JOBS, "home": HOMES}), HOME, EACH),
    "operator": (Operator("job", JOBS, _NEIGHBORS), JOB, (*ALONE, *BESIDE)),
    "operator, shuffled": (Operator("job", JOBS, _STATES, shuffled=True), JOB, (*ALONE, *BESIDE)),
    "swapping": (Swapping("1/2"), JOB, (*ALONE, *BESIDE)),
    "parts": (SmallDomainRandomization("job", ["sex"], _PARTS, 9), JOB, (*ALONE, *BESIDE)),
    "groups": (PerturbedGeneralization("job", JOBS, ["sex", "age"], 2, "2/5"), JOB, (*ALONE, *BESIDE[:1])),
    "tuples":
        (AlphaBeta("1/2", "1/5", {"job": JOBS, "home": HOMES}), HOME,
         ("job=a and home=x", "job!=b and home={v, w}", "job=a")),
}  # fmt: skip


def _line(query: str, answer: QueryEstimate) -> str:
    error = answer.model_error if answer.standard_error is None else answer.standard_error
    numbers = [answer.estimate, error, *(answer.interval or ("no interval",))]
    text = " ".join(f"{one:.9g}" if isinstance(one, float) else str(one) for one in numbers)
    counts = f"{answer.published_count}/{answer.predicate_count}"
    besides = (
        answer.interval_kind,
        *(() if answer.variance_estimate is None else (f"variance {float(answer.variance_estimate):.9g}",)),
        *(() if answer.condition_number is None else (f"condition {answer.condition_number:.9g}",)),
        *(("exact",) if answer.exact else ()),
        *(f"{one[:40]}…" for one in (answer.note, answer.warning) if one),
    )  # fmt: skip
    return f"{query}: {text}, {counts}, {', '.join(besides)}"


def _answer_lines(
    answering: Callable[[Sequence[Query]], list[QueryEstimate]], queries: Iterable[str]
) -> Iterator[str]:
    texts = list(queries)
    for text, answer in zip(texts, answering([Query.parse([text]) for text in texts]), strict=True):
        yield _line(text, answer)


def _of_splu_gen(release: PublishedTable, mechanism: Any, queries: Sequence[str]) -> Iterator[str]:
    estimator = QueryEstimator(release.table, HOME, mechanism, domains=release.domains)
    each: list[tuple[str, Interval]] = [(name, "each") for name in METHODS]
    for name, kind in (*each, ("shrunk", "average")):
        yield f"> {name}, {kind}"
        method = METHODS[name]
        fit = [query for query in queries if method.joint is not None or "home" not in query]
        fit = [query for query in fit if method.answers_predicates or query.startswith("job")]
        yield from _answer_lines(partial(estimator.estimate, method=name, interval=kind), fit)


def _lines(name: str) -> Iterator[str]:
    mechanism, sensitive, queries = RELEASES[name]
    frame = FRAME.select(sensitive).unique(maintain_order=True) if isinstance(mechanism, AlphaBeta) else FRAME
    release = mechanism.publish(frame, list(sensitive), SeededSource(1))
    yield f"# {name}"
    if isinstance(mechanism, SpluGen | SpluGenByColumn):
        yield from _of_splu_gen(release, mechanism, queries)
        return
    answering = estimator_of(release)
    for method in (None, *getattr(answering, "methods", ())[1:]):
        yield f"> {method}"
        yield from _answer_lines(partial(answering, method=method), queries)


def _same(expected: str, line: str) -> bool:
    """Return whether two lines agree: words exactly, numbers up to rounding."""
    one, other = _NUMBER.split(expected), _NUMBER.split(line)
    numbers = zip(_NUMBER.findall(expected), _NUMBER.findall(line), strict=False)
    return one == other and all(
        isclose(float(a), float(b), rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in numbers
    )


def _expected_lines() -> dict[str, list[str]]:
    text = Path(__file__).with_name("answers.txt").read_text("utf-8")
    parts = re.split(r"^# ", text, flags=re.MULTILINE)[1:]
    return {name: lines.splitlines() for name, _, lines in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("name", RELEASES)
def test_every_number_is_unchanged(name: str) -> None:
    [_, *lines] = _lines(name)
    pairs = zip_longest(_expected_lines()[name], lines, fillvalue="")
    assert [pair for pair in pairs if not _same(*pair)] == []


def test_no_error_of_a_clipped_estimate_is_larger_than_any_that_is_possible() -> None:
    """Tables weight their cells by the error of the model, which is larger in some of these predicates."""
    queries = [
        Query.of({"age": age, "sex": sex, "job": job}) for age, sex, job in product(range(20, 33), "FM", JOBS)
    ]
    mechanisms: list[tuple[SpluGen | RetentionReplacement, str]] = [
        *((SpluGen(3), method) for method in ("exact", "em", "shrunk")),
        (RetentionReplacement("1/5", {"job": JOBS}), "em"),
    ]
    for mechanism, method in mechanisms:
        answers = estimator_of(mechanism.publish(FRAME, "job", SeededSource(1)))(queries, method)
        errors = np.array([answer.standard_error for answer in answers])
        largest = [max(answer.estimate, answer.predicate_count - answer.estimate) for answer in answers]
        assert (errors <= np.array(largest) + 1e-9).all(), method
        assert any(answer.known_error > error for answer, error in zip(answers, errors, strict=True)), method


def test_an_empty_predicate_is_called_one() -> None:
    query = Query.parse(["age>99 and job=a"])
    for mechanism in (SpluGen(3), RetentionReplacement("1/5", {"job": JOBS})):
        ask = estimator_of(mechanism.publish(FRAME, "job", SeededSource(1)))
        for method in ("inversion", "em", *(["exact", "shrunk"] if isinstance(mechanism, SpluGen) else [])):
            [answer] = ask([query], method)
            assert (answer.estimate, answer.predicate_count, answer.note) == (0, 0, EMPTY_PREDICATE)
            assert (answer.interval, answer.exact, answer.warning) == ((0, 0), True, None)


def test_the_note_on_shrunk_states_the_error_of_the_estimate_that_its_interval_is_of() -> None:
    """The ends of the interval are 1.7 to 2.6 standard errors of the published count's estimate away."""
    ask = estimator_of(SpluGen(3).publish(FRAME, "job", SeededSource(1)))
    answers = ask([Query.parse([f"sex=M and job={job}"]) for job in JOBS], "shrunk")
    for answer in answers:
        error = float(str(answer.note).rsplit(" ", 1)[1])
        assert answer.interval is not None
        assert answer.interval[1] - answer.interval[0] <= 2 * 2.6 * error + 8
    assert any(float(str(answer.note).rsplit(" ", 1)[1]) > 1.5 * answer.known_error for answer in answers)


def test_an_estimate_at_an_end_of_its_range_is_called_moved() -> None:
    ask = estimator_of(SpluGen(3).publish(FRAME, "job", SeededSource(1)))
    queries = [Query.parse([f"age={age} and job={job}"]) for age in sorted(set(FRAME["age"])) for job in JOBS]
    for method in ("exact", "em"):
        answers = ask(queries, method)
        at_end = [
            answer.estimate in {0, answer.predicate_count} and answer.known_error > 0 for answer in answers
        ]
        assert 0 < sum(at_end) < len(at_end)
        assert [answer.note == MOVED for answer in answers] == at_end


def test_another_number_word_or_line_is_detected() -> None:
    line = "job=a: 21.5 3.741657 15 30, 21/360, each, exact"
    assert _same(line, line.replace("3.741657", "3.741658"))
    for old, new in (("3.741657", "3.7418"), ("30", "31"), ("job=a", "job=b"), ("exact", ""), (line, "")):
        assert not _same(line, line.replace(old, new))


if __name__ == "__main__":
    for text in (line for name in RELEASES for line in _lines(name)):
        say(text)
