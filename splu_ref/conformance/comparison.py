"""Comparison of answers with the required ones, and messages on their differences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import NoReturn

from splu_ref.channels import Json
from splu_ref.conformance.vector import Vector
from splu_ref.output import replace_invisible

_SHOWN = 160


_AROUND = 20
"""Characters shown before and after the place where an answer is no JSON."""


class UnreadableAnswerError(Exception):
    """A line that is no answer of the protocol: why."""


def read_answer(line: bytes, identifier: str) -> dict[str, Json]:
    """Return the object of an answer."""
    try:
        answer = json.loads(line.decode(), parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise UnreadableAnswerError("its answer is not UTF-8") from None
    except _RepeatedKeyError as error:
        raise UnreadableAnswerError(
            f"its answer has the key {shown(str(error))} twice in one object"
        ) from None
    except json.JSONDecodeError as error:
        place, around = error.pos, error.doc[max(error.pos - _AROUND, 0) : error.pos + _AROUND]
        raise UnreadableAnswerError(
            f"its answer is not JSON from character {place + 1} of {len(error.doc)} on, in {clipped(around)}"
        ) from None
    except (ValueError, RecursionError):
        raise UnreadableAnswerError(f"its answer is not JSON: {clipped(line.decode())}") from None
    if not isinstance(answer, dict):
        raise UnreadableAnswerError(f"its answer is not an object: {shown(answer)}")
    if "id" in answer and answer["id"] != identifier:
        raise UnreadableAnswerError(f"it answered the request {shown(answer['id'])}, not {shown(identifier)}")
    return answer


def fault(vector: Vector, answer: Mapping[str, Json]) -> str | None:
    """Return what is wrong with an answer, or None."""
    kind = error_kind(answer)
    if vector.error is not None:
        if kind == vector.error:
            beside = sorted(answer.keys() - {"error", "id"})
            return f"has {shown(beside[0])} beside its error" if beside else None
        given = f"the error {shown(kind)}" if kind is not None else f"answered {shown(answer)}"
        return f"must be refused with the kind {vector.error!r}, not {given}"
    if "error" in answer:
        return f"must be answered, not refused: {shown(answer['error'])}"
    # Intermediate values come first, so that the first difference shows where the answer went wrong.
    expected = {**{key: vector.also[key] for key in vector.also if key in answer}, **(vector.answer or {})}
    for key, value in expected.items():
        if key not in answer:
            return f"the answer has no {key!r}"
        if not same(answer[key], value):
            return f"{key!r} is {_difference(answer[key], value)}"
    return None


def error_kind(answer: Mapping[str, Json]) -> str | None:
    """Return the kind of error that an answer states, or None if it states none."""
    error = answer.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("kind"), str):
        return None
    kind: str = error["kind"]
    return kind


def same(given: object, expected: object) -> bool:
    """Return whether two JSON values are equal: 1, 1.0, "1" and true are four values."""
    if type(given) is not type(expected):
        return False
    if isinstance(given, list) and isinstance(expected, list):
        return len(given) == len(expected) and all(map(same, given, expected))
    if isinstance(given, dict) and isinstance(expected, dict):
        return given.keys() == expected.keys() and all(same(given[key], expected[key]) for key in given)
    return given == expected


def shown(value: object) -> str:
    """Return a JSON value for a message, short."""
    return clipped(json.dumps(value))


def clipped(text: str) -> str:
    """Return a text for a message, in one short line that a terminal can show."""
    line = replace_invisible(" ".join(text[: 8 * _SHOWN].split()))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def _difference(given: object, expected: object) -> str:
    """Return both values, or of two long lists the first entries that differ."""
    if isinstance(given, list) and isinstance(expected, list) and len(shown(expected)) == _SHOWN:
        for place, (one, other) in enumerate(zip(given, expected, strict=False)):
            if not same(one, other):
                return f"{shown(one)} at place {place}, not {shown(other)}"
        return f"a list of {len(given)}, not of {len(expected)}"
    return f"{shown(given)}, not {shown(expected)}"


class _RepeatedKeyError(ValueError):
    """A key that stands twice in an object, of which readers of JSON take one or the other."""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise _RepeatedKeyError(
            next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        )
    return unique


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
