"""Requests made from a seed, for hashes over very many answers: docs/specification/conformance.md.

A generator is an object with ``seed`` (a text), ``count`` (requests), ``keys`` (of
the answers, to be hashed) and further fields by operation. All its choices are made of the seeded stream of
the seed's UTF-8 bytes, by the rules for tapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from splu_ref.randomness import SeededSource

Request = dict[str, Any]


def generated_requests(
    operation: str, parameters: Mapping[str, Any], generator: Mapping[str, Any]
) -> Iterator[Request]:
    """Yield the requests of a generator, in order.

    Parameters
    ----------
    operation
        One of `GENERATED`.
    parameters
        The file's parameters; ``gamma`` where codes are made.
    generator
        ``seed`` and ``count``; ``tape``, the bytes per request, or per record where codes are made;
        ``groups`` [least, most] where codes are made.
    """
    stream = SeededSource(generator["seed"].encode())
    make = GENERATED[operation]
    for _ in range(generator["count"]):
        yield {"op": operation, **parameters, **make(stream, parameters, generator)}


def _tape_alone(stream: SeededSource, _: Mapping[str, Any], generator: Mapping[str, Any]) -> Request:
    return {"tape": stream.read(generator["tape"]).hex()}


def _histogram(stream: SeededSource, parameters: Mapping[str, Any], generator: Mapping[str, Any]) -> Request:
    codes, domain = _codes(stream, parameters["gamma"], generator["groups"])
    counts = Counter(codes)
    request: Request = {"histogram": [counts[value] for value in range(domain)]}
    if "tape" in generator:
        request["tape"] = stream.read(generator["tape"] * len(codes)).hex()
    return request


def _table(stream: SeededSource, parameters: Mapping[str, Any], generator: Mapping[str, Any]) -> Request:
    gamma = parameters["gamma"]
    codes, domain = _codes(stream, gamma, generator["groups"])
    codes += stream.subset(domain, stream.integer_below(gamma)).tolist()
    order = stream.permutation(len(codes)).tolist()
    return {
        "sensitive": [codes[place] for place in order],
        "tape": stream.read(generator["tape"] * len(codes)).hex(),
    }


def _codes(stream: SeededSource, gamma: int, groups: tuple[int, int]) -> tuple[list[int], int]:
    """Return the codes of some decoy groups, so that a plan exists, and the number of values."""
    least, most = groups
    number = least + stream.integer_below(most - least + 1)
    domain = gamma + stream.integer_below(gamma)
    return [code for _ in range(number) for code in stream.subset(domain, gamma).tolist()], domain


GENERATED: dict[str, Callable[[SeededSource, Mapping[str, Any], Mapping[str, Any]], Request]] = {
    "below": _tape_alone,
    "permutation": _tape_alone,
    "order_within": _tape_alone,
    "plan": _histogram,
    "publish": _table,
}
"""Operations of which requests can be generated."""
