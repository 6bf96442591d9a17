"""Requests beyond the stated limits are refused before any work is done: the work would take hours."""

from __future__ import annotations

import pytest

from splu_ref.conformance.comparison import error_kind
from splu_ref.spec.protocol import answer

LARGE: dict[str, dict[str, object]] = {
    "items": {"op": "coins", "size": 1_000_001, "tape": ""},
    "a population": {"op": "subset", "population": str(2**63 + 1), "count": 1, "tape": "00"},
    "members": {"op": "subset", "population": 20_000, "count": 10_001, "tape": "00"},
    "a histogram": {"op": "plan", "histogram": [10**15, 10**15], "gamma": 2, "method": "cyclic"},
    "a code": {"op": "publish", "sensitive": [0, 10**15], "gamma": 2, "method": "cyclic", "tape": ""},
    "a bound": {"op": "draws", "gamma": 2, "retention": f"1/{2**63 + 1}", "size": 1, "tape": "00"},
    "releases": {
        "op": "publish_random",
        "sensitive": [0, 1],
        "gamma": 2,
        "method": "cyclic",
        "times": 10_001,
    },
    "an error": {"op": "error_probability", "gamma": 2, "epsilon": "1/2", "frequency": 10**12},
    "an error with a retention": {
        "op": "error_probability",
        "gamma": 2,
        "epsilon": "1/2",
        "frequency": 4000,
        "retention": "1/3",
    },
    "a minimum": {"op": "privacy_minimum", "gamma": 2, "epsilon": "1/2", "alpha": 10**12},
    "a threshold": {"op": "utility_threshold", "gamma": 2, "epsilon": "1/1000000", "t_e": "1/1000000"},
    "a concept": {
        "op": "concept_error",
        "gamma": 2,
        "epsilon": "1",
        "rows": 10**9,
        "sensitive_count": 10**6,
        "predicate_count": 10**6,
        "concept_count": 10,
        "decoys_in_predicate": 10,
    },
    "an interval": {"op": "interval", "published_count": 10**6, "gamma": 10**9, "confidence": "1/2"},
    "a conjunction": {
        "op": "conjunction",
        "gamma": 2,
        "rows": 10**12,
        "predicate_count": 10**7,
        "published_count": 5,
        "both_count": 1,
    },
    "fakes": {
        "op": "publish_alpha_beta",
        "alpha": "1/2",
        "beta": "1/2",
        "tape": "00",
        "sensitive": [
            {"column": f"c{n}", "domain": [str(v) for v in range(1000)], "cells": ["1"]} for n in range(4)
        ],
    },
    "a matrix": {"op": "amplification", "matrix": [["1"]] * 33},
    "likelihoods": {"op": "permanent_posterior", "likelihoods": [["1"] * 9] * 9},
    "counts of a prior": {
        "op": "breach_profile",
        "matrix": [["1"], ["1"]],
        "rho1": "1/4",
        "rho2": "1/2",
        "counts": [10**9, 1],
    },
    "primes": {
        "op": "entropy_loss",
        "tables": [[0], [1]],
        "prior": ["1/100000007", "100000006/100000007"],
        "matrix": [["1"]] * 2,
    },
    "digits of a number": {"op": "below", "bound": "9" * 401, "size": 1, "tape": ""},
}


@pytest.mark.parametrize("what", LARGE)
def test_what_is_too_large_is_refused_at_once(what: str) -> None:
    assert error_kind(answer(LARGE[what])) == "parameter"


def test_the_same_requests_are_answered_when_they_are_small() -> None:
    small: dict[str, dict[str, object]] = {
        "an error": {"frequency": 100},
        "a minimum": {"alpha": 10},
        "a threshold": {"epsilon": "1/2", "t_e": "1/2"},
        "an interval": {"published_count": 10, "gamma": 3},
        "a conjunction": {"predicate_count": 100},
        "primes": {"prior": ["1/7", "6/7"]},
        "counts of a prior": {"counts": [10, 1]},
    }
    for what, change in small.items():
        assert error_kind(answer({**LARGE[what], **change})) is None, what
