"""Small domains: retention replacement in each part of a table, with a domain of its own.

Chaytor, chapter 2. Some public columns divide the table into parts. Within a part of m values a value is
retained with probability p = (G - 1)/(m + G - 1), so that the amplification of every part is G. How bytes are
drawn is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.splu_gen import Source


def publish(
    cells: Sequence[tuple[str, ...]],
    values: Sequence[str],
    domains: Mapping[tuple[str, ...], Sequence[str]],
    amplification: Fraction,
    order: str,
    source: Source,
) -> tuple[list[int], list[str]]:
    """Publish a sensitive column. Return the original record at each row, and the published values.

    ``cells`` are those of each record in the dividing columns; they name its part, whose declared values are
    in ``domains``. With p = u/w in lowest terms:

    1. For each part that has records, ascending by its cells by code point: draw one integer r below w m for
       each of them, in their order. If r < u m, the value is retained. Otherwise it is value number r mod m
       of the part's domain, ascending by code point.
    2. If ``order`` is ``shuffled``, draw a permutation of all records. If it is ``kept``, rows keep their
       order.

    Refused (``parameter``): an amplification of at most 1; a part with fewer than two values, or with one
    twice; w m above 2^63; no record; a record of an undeclared part; a value outside the domain of its part.

    In the example G = 3 and m = 2 give p = 1/2 and r below 4: 3 replaces the value by number 1, y; 1 retains
    it.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> tape = OneStream(Tape(bytes([3, 1])))
    >>> domains = {("a",): ["y", "x"], ("b",): ["x", "z"]}
    >>> publish([("b",), ("a",)], ["z", "x"], domains, Fraction(3), "kept", tape)
    ([0, 1], ['z', 'y'])
    """
    require(amplification > 1, "the amplification is not above 1")
    require(len(values) > 0, "there is no record")
    require(
        all(2 <= len(domain) == len(set(domain)) for domain in domains.values()), "a part has too few values"
    )
    require(set(cells) <= set(domains), "a record belongs to no part")
    require(
        all(value in domains[part] for part, value in zip(cells, values, strict=True)),
        "a value is not in the domain of its part",
    )
    retention = {
        part: (amplification - 1) / (len(domain) + amplification - 1) for part, domain in domains.items()
    }
    require(
        all(p.denominator * len(domains[part]) <= 2**63 for part, p in retention.items()),
        "the amplification has too large a denominator",
    )
    published = list(values)
    for part in sorted(domains):
        domain, p = sorted(domains[part]), retention[part]
        records = [record for record, own in enumerate(cells) if own == part]
        for record, integer in zip(
            records, source.below(p.denominator * len(domain), records) if records else [], strict=True
        ):
            if integer >= p.numerator * len(domain):
                published[record] = domain[integer % len(domain)]
    everyone = range(len(values))
    rows = source.permutation(everyone) if order == "shuffled" else list(everyone)
    return rows, [published[row] for row in rows]
