"""``python -m splu_proofs``: print the ledger, check it, or re-affirm a claim after a deliberate change."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from splu_ref.channels.parameters import InputError
from splu_ref.output.terminal import say

from . import LEDGER
from .table import ledger_table, run_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if all is well, 1 if a claim fails, 2 for unusable input."""
    parser = argparse.ArgumentParser(prog="python -m splu_proofs", description=__doc__)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--run", metavar="ID", help="check a claim, or 'all'")
    action.add_argument(
        "--reaffirm", metavar="ID", nargs="+", help="check claims, and record what they say and their code"
    )
    parser.add_argument("--reason", default="", help="why the claims are affirmed; kept with them")
    parser.add_argument(
        "--changes",
        default="",
        metavar="PARTS",
        help="parts that may say something else, such as words,steps",
    )
    options = parser.parse_args(arguments)
    try:
        if options.reaffirm:
            parts = tuple(filter(None, options.changes.split(",")))
            changed = LEDGER.reaffirm(*options.reaffirm, reason=options.reason, changes=parts)
            for claim_id, differences in changed.items():
                say(f"{claim_id}: affirmed")
                for part, text in differences.items():
                    say(f"  {part}: {text}")
            return 0
        if options.run:
            results = LEDGER.run(options.run, progress=_show_progress if sys.stderr.isatty() else None)
        else:
            sys.stdout.write(ledger_table(LEDGER))
            return 0
    except InputError as error:
        say(f"splu_proofs: {error}", stderr=True)
        return 2
    sys.stdout.write(run_table(results))
    return 0 if all(result.passed for result in results) else 1


def _show_progress(claim_id: str, done: int, total: int) -> None:
    sys.stderr.write(f"\r{done + 1}/{total} {claim_id:<12}")
    if done + 1 == total:
        sys.stderr.write("\n")


if __name__ == "__main__":
    sys.exit(main())
