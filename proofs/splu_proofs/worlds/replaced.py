"""Retention replacement as it is shipped, over every outcome of its draws."""

from __future__ import annotations

from fractions import Fraction


def published(codes: tuple[int, ...], size: int, p: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the published codes of a column with ``size`` declared values."""
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    mechanism = RetentionReplacement(p, {"column": tuple(f"{code:03}" for code in range(size))})

    def run(source: Draws) -> tuple[int, ...]:
        column = {"column": np.array(codes, dtype=np.int64)}
        release = mechanism.publish_columns(column, {"column": size}, lambda _: source)
        return tuple(release.published["column"].tolist())

    law: dict[tuple[int, ...], Fraction] = {}
    for values, chance in outcomes(run):
        law[values] = law.get(values, Fraction(0)) + chance
    return law


def kept_share(records: int, size: int) -> float:
    """Publish a column of ``records`` codes at p = 1/5, and return how many retain their true value."""
    import numpy as np  # noqa: PLC0415  as above

    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  as above
    from splu_ref.randomness import SystemSource  # noqa: PLC0415  as above

    mechanism = RetentionReplacement("1/5", {"column": tuple(f"{code:03}" for code in range(size))})
    codes = np.arange(records, dtype=np.int64) % size
    source = SystemSource()
    release = mechanism.publish_columns({"column": codes}, {"column": size}, lambda _: source)
    return float((release.published["column"] == codes).mean())
