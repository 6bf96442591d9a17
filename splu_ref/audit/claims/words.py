"""Claims in plain words, and the commands that compute their numbers again."""

from __future__ import annotations

from splu_ref.audit.claims.claim import Claim
from splu_ref.audit.claims.document import clipped
from splu_ref.model import shown


def setting(claim: Claim) -> str:
    """Return ``with gamma = 10``, and the retention probability where it is not 1/gamma."""
    if is_plain(claim):
        return f"with gamma = {shown(claim.gamma)}"
    return f"with gamma = {shown(claim.gamma)} and retention {clipped(claim.written['retention'])}"


def is_plain(claim: Claim) -> bool:
    """Return whether each record keeps its value with the probability of the paper, 1/gamma."""
    return claim.retention * claim.gamma == 1


def written(claim: Claim, key: str) -> str:
    """Return a number of the claim as the publisher wrote it, for a sentence."""
    return clipped(claim.written[key])


def records(alpha: int) -> str:
    """Return ``1 to 3 records``."""
    return "1 record" if alpha == 1 else f"1 to {shown(alpha)} records"


def command(name: str, claim: Claim, *options: str, more: str = "") -> str:
    """Return a command with gamma, retention and epsilon, and the keys of the claim named in ``options``."""
    words = [f"splu-ref {name} --gamma {claim.written['gamma']}"]
    if not is_plain(claim):
        words.append(f"--retention {claim.written['retention']}")
    words += [f"--{key.replace('_', '-')} {claim.written[key]}" for key in ("epsilon", *options)]
    return " ".join([*words, *([more] if more else [])])
