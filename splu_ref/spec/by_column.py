"""A γ for each column: SPLU-Gen with parameters of their own for each sensitive column.

The paper has one γ for a table. Here each column may have the largest group size that its most frequent
value allows, or any smaller one.
The name of this method in a manifest is ``SPLU-Gen by column``. It is an addition of this specification.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import lcm

from splu_ref.spec.errors import require
from splu_ref.spec.splu_gen import Parameters, Source, _column


def publish(
    columns: Sequence[Sequence[int]],
    parameters: Sequence[Parameters],
    source_of: Callable[[int], Source],
) -> tuple[list[int], list[int], list[list[int]]]:
    """Publish a table, given as the codes of each sensitive column, by the parameters of each column.

    Return the original record at each published row, the deleted records, and for each column the published
    codes. The steps are those of `splu_ref.spec.splu_gen.publish`, with two differences: the remainder has N
    mod L records, L being the least common multiple of all γ, and each column has its own γ, plan method and
    retention. The law of the draws is the same for all columns.

    Refused (``parameter``) before anything is drawn: no record; columns with different laws of the draws; in
    a column of group size γ, a value of more than (N - N mod L)/γ records.

    In the example L = 4, so that nothing is deleted. The column of γ = 4 has one group, that of γ = 2 has
    two.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> keys = bytes.fromhex("".join(f"{key:08x}" for key in (1, 2, 3, 4)))
    >>> tape = OneStream(Tape(keys + bytes([0, 1, 2, 3]) + keys + bytes([0, 1, 0, 1]) + keys))
    >>> parameters = [Parameters(4, "anatomy"), Parameters(2, "cyclic")]
    >>> publish([[0, 1, 2, 3], [0, 0, 1, 1]], parameters, lambda column: tape)
    ([0, 1, 2, 3], [], [[0, 0, 1, 2], [0, 1, 1, 0]])
    """
    size, multiple = len(columns[0]), lcm(*(each.gamma for each in parameters))
    require(size > 0, "there is no record")
    require(len({each.law for each in parameters}) == 1, "the columns have different laws of the draws")
    for codes, each in zip(columns, parameters, strict=True):
        most = max(codes.count(code) for code in set(codes))
        require(most * each.gamma <= size - size % multiple, "a value is too frequent for gamma")
    first = source_of(0)
    deleted = first.subset(range(size), size % multiple)
    left = [record for record in range(size) if record not in set(deleted)]
    drawn = [
        _column([codes[record] for record in left], left, each, source_of(number))
        for number, (codes, each) in enumerate(zip(columns, parameters, strict=True))
    ]
    shuffled = first.permutation(left)
    published = [[column.published[place] for place in shuffled] for column in drawn]
    return [left[place] for place in shuffled], deleted, published


def facts(of_column: Mapping[str, Parameters]) -> list[tuple[str, str]]:
    """Return the parameters as pairs of name and text, in the order of the message of a release key.

    ``gamma``, ``retention`` and ``plan`` are JSON lists, without white space, of pairs of a column's name and
    the value as a text, the names ascending by code point. ``draws``, one text for all columns, follows if
    the draws are not independent. In a manifest each of the three is an object by column.

    >>> facts({"b": Parameters(6), "a": Parameters(4)})[0]
    ('gamma', '[["a","4"],["b","6"]]')
    """
    each = {name: dict(of_column[name].facts()) for name in sorted(of_column)}
    first = next(iter(each.values()))

    def written(fact: str) -> str:
        pairs = [[name, own[fact]] for name, own in each.items()]
        return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))

    return [(fact, value if fact == "draws" else written(fact)) for fact, value in first.items()]
