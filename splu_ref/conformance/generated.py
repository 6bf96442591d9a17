"""Requests made from a seed, for hashes over very many answers: docs/specification/conformance.md.

All choices of a generator come from the seeded stream of its seed's UTF-8 bytes, by the rules for tapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict

from splu_ref.randomness import SeededSource

Request: TypeAlias = dict[str, object]


class Generator(TypedDict):
    """Parameters of generated requests."""

    seed: str  # names the seeded stream
    count: int  # number of requests
    keys: Sequence[str]  # the keys of their answers that are hashed
    # Bytes per request, or per record where codes are made; none where the operation reads no tape. Of a
    # certificate the bytes of the first text.
    tape: NotRequired[int]
    # the least and the greatest number of decoy groups, where codes are made
    groups: NotRequired[Sequence[int]]


def generated_requests(
    operation: str, parameters: Mapping[str, object], generator: Generator
) -> Iterator[Request]:
    """Yield the requests of a generator, in order."""
    stream = SeededSource(generator["seed"].encode())
    make = GENERATED[operation]
    for number in range(generator["count"]):
        made = make(stream, parameters, generator) if make else _padded(parameters, generator, number)
        yield {"op": operation, **parameters, **made}


def _tape_alone(stream: SeededSource, _: Mapping[str, object], generator: Generator) -> Request:
    return {"tape": stream.read(generator["tape"]).hex()}


def _histogram(stream: SeededSource, parameters: Mapping[str, object], generator: Generator) -> Request:
    codes, domain = _codes(stream, _gamma(parameters), generator["groups"])
    counts = Counter(codes)
    request: Request = {"histogram": [counts[value] for value in range(domain)]}
    if "tape" in generator:
        request["tape"] = stream.read(generator["tape"] * len(codes)).hex()
    return request


def _table(stream: SeededSource, parameters: Mapping[str, object], generator: Generator) -> Request:
    gamma = _gamma(parameters)
    codes, domain = _codes(stream, gamma, generator["groups"])
    codes += stream.subset(domain, stream.integer_below(gamma)).tolist()
    order = stream.permutation(len(codes)).tolist()
    return {
        "sensitive": [codes[place] for place in order],
        "tape": stream.read(generator["tape"] * len(codes)).hex(),
    }


def _padded(parameters: Mapping[str, object], generator: Generator, number: int) -> Request:
    """Return a certificate padded with blanks to a requested number of bytes."""
    text = parameters["text"]
    assert isinstance(text, str)
    return {"text": text + " " * (generator["tape"] + number - len(text.encode()))}


def _gamma(parameters: Mapping[str, object]) -> int:
    gamma = parameters["gamma"]
    assert isinstance(gamma, int)
    return gamma


def _codes(stream: SeededSource, gamma: int, groups: Sequence[int]) -> tuple[list[int], int]:
    """Return the codes of some decoy groups, so that a plan exists, and the number of values."""
    least, most = groups
    number = least + stream.integer_below(most - least + 1)
    domain = gamma + stream.integer_below(gamma)
    return [code for _ in range(number) for code in stream.subset(domain, gamma).tolist()], domain


GENERATED: dict[str, Callable[[SeededSource, Mapping[str, object], Generator], Request] | None] = {
    "below": _tape_alone,
    "coins": _tape_alone,
    "permutation": _tape_alone,
    "order_within": _tape_alone,
    "plan": _histogram,
    "publish": _table,
    "certificate": None,
}
"""Operations with generated requests, and the function that draws a request; None if nothing is drawn."""
