"""What `utility` answers about draws that hang together within a group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from splu_ref.certificates import drawn_threshold_certificate
from splu_ref.channels import GroupDraws
from splu_ref.cli.certify import Make
from splu_ref.cli.drawn import OF_A_PLAN, Lines, bargain_line
from splu_ref.cli.exactly import words
from splu_ref.cli.progress import counted
from splu_ref.cli.promised import Promised
from splu_ref.guarantees import (
    DrawnThreshold,
    Noise,
    drawn_error_bound,
    drawn_threshold,
    exact_json,
    table_threshold,
)
from splu_ref.guarantees.drawn_utility import LARGEST_GROUP
from splu_ref.model import Gamma, positive, whole

if TYPE_CHECKING:
    from splu_ref.guarantees import DrawnCount


def drawn_utility(
    case: Promised,
    epsilon: str,
    frequency: str | None,
    t_e: str | None,
    values: str | None,
    counts: Sequence[DrawnCount],
) -> tuple[dict[str, object], Lines, Make | None]:
    """Return how accurate large counts are under a law of draws: in every table, and in that of ``counts``.

    Of a single count there is nothing that makes a certificate.
    """
    gamma, draws = case.gamma, case.draws
    known = values or (len(counts) if Gamma(gamma) <= LARGEST_GROUP else 0)
    noise = Noise.of(draws, gamma, known) if known else None
    if frequency is not None:
        result, lines = _error(gamma, epsilon, frequency, draws, noise)
        return result, [*lines, bargain_line(draws, Gamma(gamma))], None
    assert t_e is not None, "either is given"
    with counted("bounding tails"):
        found = drawn_threshold(gamma, epsilon, t_e, draws, noise)
        result, lines = _threshold(found, counts)
    lines.append(bargain_line(draws, found.gamma))
    return result, lines, partial(drawn_threshold_certificate, found)


def _error(
    gamma: str, epsilon: str, frequency: str, draws: GroupDraws, noise: Noise | None
) -> tuple[dict[str, object], Lines]:
    """Return how likely a count is published wrongly, at most, in every table."""
    size, count, distance = Gamma(gamma), whole(frequency, "frequency", 1), positive(epsilon, "epsilon")
    error = exact_json(drawn_error_bound(size, distance, count, draws, noise), "up")
    known = draws.bound is not None and count <= draws.bound
    result = {
        "gamma": int(size),
        "retention": f"1/{size}",
        "draws": str(draws),
        "epsilon": str(distance),
        "frequency": count,
        "error": error,
        "is_exact": known,
    }
    words_of_it = "with that probability" if known else "with at most that probability, whatever the table"
    return result, [
        ("error probability", words(error) if known else f"at most {error['decimal']}"),
        ("in words", f"a count of {count} is published off by at least {distance} of it {words_of_it}"),
    ]


def _threshold(found: DrawnThreshold, counts: Sequence[DrawnCount]) -> tuple[dict[str, object], Lines]:
    """Return from which count on counts are accurate: in every table, and in one."""
    result: dict[str, object] = {
        "gamma": int(found.gamma),
        "retention": f"1/{found.gamma}",
        "draws": str(found.draws),
        "epsilon": str(found.epsilon),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "is_least": found.is_least,
        "table": None,
    }
    least = "the least count, exactly" if found.is_least else "a smaller one may be true"
    if found.proof == "slots":
        proof = "Chernoff's bound of the marked slots, as many as the values allow"
    else:
        proof = (
            "the law of independent draws up to the cap, and its Chernoff bound, which holds above as well"
        )
    lines = [
        ("T_f, every table", f"{found.threshold}: {least}"),
        ("proved by", proof),
    ]
    if counts:
        threshold = table_threshold(counts, found.epsilon, found.t_e)
        accurate = sum(each.frequency >= threshold for each in counts)
        result["table"] = {
            "threshold": threshold,
            "accurate": accurate,
            "values": len(counts),
            "of": OF_A_PLAN,
        }
        lines += [
            ("T_f, this table", f"{threshold}, exactly: {accurate} of {len(counts)} values"),
            ("", OF_A_PLAN),
        ]
    meaning = (
        f"with gamma = {found.gamma} and draws {found.draws}, every count from {found.threshold} on is "
        f"published off by at least {found.epsilon} of it with probability at most {found.t_e}, whatever the "
        "table"
    )
    lines.append(("in words", meaning))
    return result, lines
