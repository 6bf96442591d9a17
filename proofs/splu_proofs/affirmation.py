"""The affirmed fingerprints: what every proof and the code it licenses looked like when last confirmed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from splu_ref.channels.parameters import InputError
from splu_ref.data.files import write_whole

from .binding import fingerprints
from .claim import Claim
from .kernel import ACCEPTED_BY

ACCEPTED_ON = "coq ran on"
"""Where the affirmed fingerprints of a claim say on which day that was."""

AFFIRMED = Path(__file__).with_name("affirmed.json")


def affirmed(path: Path = AFFIRMED) -> dict[str, dict[str, str]]:
    """Return, for every claim id, the fingerprints that were affirmed, and who accepted its Coq files."""
    if not path.exists():
        return {}
    loaded: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def outdated(claim: Claim, path: Path = AFFIRMED) -> str:
    """Return why the proof of ``claim`` is outdated, or an empty text if it is not."""
    known = affirmed(path).get(claim.id)
    remedy = f"check it and run python -m splu_proofs --reaffirm {claim.id}"
    try:
        present = fingerprints(claim)
    except InputError as error:
        return f"proof outdated: {error}"
    if known is None:
        return f"proof never affirmed: {remedy}"
    names = (known.keys() | present.keys()) - {ACCEPTED_BY, ACCEPTED_ON}
    changed = sorted(name for name in names if known.get(name) != present.get(name))
    return f"proof outdated, changed: {', '.join(changed)}; {remedy}" if changed else ""


def affirm(claim: Claim, path: Path = AFFIRMED, accepted_by: str = "") -> None:
    """Record the present fingerprints of ``claim``. The caller has checked its evidence.

    Parameters
    ----------
    claim
        The claim.
    path
        The file.
    accepted_by
        The version of Coq that accepted its Coq files; empty if it has none.

    Raises
    ------
    InputError
        If a name does not exist, or the file cannot be written.
    """
    known = affirmed(path)
    known[claim.id] = fingerprints(claim)
    if accepted_by:
        known[claim.id] |= {ACCEPTED_BY: accepted_by, ACCEPTED_ON: datetime.now(UTC).date().isoformat()}
    text = json.dumps(dict(sorted(known.items())), indent=2) + "\n"
    try:
        write_whole(path, text.encode(), force=True)
    except InputError as error:
        raise InputError(f"{error}: re-affirm from a checkout") from None
