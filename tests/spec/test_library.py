"""The library and the specification answer small random requests alike, operation by operation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from splu_ref.conformance import library
from splu_ref.conformance.comparison import error_kind
from splu_ref.conformance.operations import estimates
from splu_ref.mechanisms import SpluGen, Swapping
from splu_ref.randomness import KeyedRecords, TapeSource
from splu_ref.spec import protocol as specification
from tests.spec.random_requests import MAKERS, Request, request_of

EXAMPLES = 150
REFUSED_EITHER_WAY = {"unsupported", "parameter"}
"""A request with two faults may be refused for either: the order of these kinds is left to the program."""
COMPARED_ELSEWHERE = {
    "publish_random": "its releases are random: the runner tests their law",
    "certificate": "it has two independent checkers: the vectors compare them",
    "manifest": "it reads a file of many parts: the vectors compare them",
}
"""Operations for which no random requests are made: why."""


def difference(request: Request) -> str | None:
    """Return how the two answers to a request differ, or None."""
    ours = json.loads(json.dumps(library.answer(request)))
    theirs = json.loads(json.dumps(specification.answer(request)))
    kinds = [error_kind(ours), error_kind(theirs)]
    if kinds == [None, None]:
        return None if ours == theirs else f"{ours} instead of {theirs} to {request}"
    same = kinds[0] == kinds[1] or set(map(str, kinds)) == REFUSED_EITHER_WAY
    return None if same else f"{ours} instead of {theirs} to {request}"


def first_difference(operation: str, examples: int = EXAMPLES) -> str | None:
    """Return the first difference among the requests of so many seeds, or None."""
    found = (difference(request_of(operation, seed)) for seed in range(examples))
    return next((each for each in found if each is not None), None)


@pytest.mark.parametrize("operation", MAKERS)
def test_an_operation_of_the_library_is_the_specified_one(operation: str) -> None:
    assert first_difference(operation) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "operation", ["publish", "release", "plan", "publish_keyed", "publish_retention", "conjunction"]
)
def test_more_requests(operation: str) -> None:
    assert first_difference(operation, 8 * EXAMPLES) is None


def test_a_draw_that_is_large_is_a_text() -> None:
    request = {"op": "draws", "gamma": str(2**63), "size": 1, "tape": "7fffffffffffffff"}
    for given in (library.answer(request), specification.answer(request)):
        assert given == {"result": [str(2**63 - 1)], "consumed": 8}


def test_a_small_count_of_large_groups_is_summed_no_longer_than_others() -> None:
    request = {"op": "interval", "published_count": 0, "gamma": 5_001, "confidence": "9/10"}
    assert error_kind(specification.answer(request)) == "parameter"
    assert library.answer(request) == {"interval": [0, 2]}


def test_a_number_that_no_answer_can_repeat_makes_a_line_malformed() -> None:
    for digits in ("1e400", "-1e400", "[2e308]"):
        assert specification.read_line(f'{{"op": "describe", "id": {digits}}}'.encode()) is None
    assert specification.read_line(b'{"op": "describe", "id": 1e300}') is not None


def test_every_operation_is_compared() -> None:
    assert MAKERS.keys() | COMPARED_ELSEWHERE.keys() == library.OPERATIONS.keys()
    assert library.OPERATIONS.keys() - specification.OPERATIONS.keys() <= {"certificate", "manifest"}


@pytest.mark.parametrize("operation", MAKERS)
def test_requests_of_every_outcome_are_made(operation: str) -> None:
    """Among the requests are some with an answer, and some without."""
    kinds = [error_kind(specification.answer(request_of(operation, seed))) for seed in range(EXAMPLES)]
    assert kinds.count(None) >= EXAMPLES // 20
    assert {"unsupported", "parameter"} <= set(kinds)


def _other_way_round(true: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: true(*arguments)[::-1]


FAULTS: dict[str, tuple[str, object, str, Callable[[Any], Any]]] = {
    "a shuffle is reversed": ("publish", TapeSource, "permutation", _other_way_round),
    "an order within codes is reversed where it is short": (
        "order_within",
        TapeSource,
        "order_within",
        lambda true: lambda *a: true(*a)[::-1] if len(a[1]) == 2 else true(*a),
    ),
    "the remainder is not sorted": ("keyed", KeyedRecords, "subset", _other_way_round),
    "an estimate is rounded": (
        "conjunction",
        estimates,
        "conjunction_estimate",
        lambda true: lambda **a: round(true(**a), 3),
    ),
    "a retention probability is ignored": (
        "publish",
        SpluGen,
        "__init__",
        lambda true: lambda self, gamma, retention, *rest: true(self, gamma, None, *rest),
    ),
    "swapping leaves the last column alone": (
        "publish_swap",
        Swapping,
        "publish_columns",
        lambda true: (
            lambda self, codes, sizes, draws: true(
                self,
                dict(list(codes.items())[:1]) | {n: c * 0 for n, c in list(codes.items())[1:]},
                sizes,
                draws,
            )
        ),
    ),
    "the bytes that were read are not counted": (
        "below",
        library,
        "OPERATIONS",
        lambda true: true | {"below": lambda fields: {**true["below"](fields), "consumed": 0}},
    ),
}
"""Faults planted in the library: the operation, what is replaced, and by what."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_operation_of_the_library_is_detected(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operation, owner, name, broken = FAULTS[fault]
    monkeypatch.setattr(owner, name, broken(getattr(owner, name)))
    assert first_difference(operation) is not None
