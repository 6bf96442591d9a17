"""``python -m property_tests.mutants``: run the kill matrix and print it.

Exit code 0 if the shipped code passes every check, every mutant is killed by the checks written for it, and
every check kills some mutant; else 1; 2 for unusable options.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from property_tests.checks import CHECKS
from property_tests.mutants import MUTANTS
from property_tests.mutants.junit_results import shipped_results
from property_tests.mutants.matrix import SHIPPED_NAME, Cell, Matrix, kill_matrix
from property_tests.run import Run, configured_seed, fresh_seed
from splu_ref.channels.parameters import InputError
from splu_ref.data.files import refuse_existing, write_whole

_LINE_EVERY = 50  # cells between two lines of progress where there is no terminal
_MARK = {"killed": "x", "alive": ".", "not run": " "}


def main(arguments: list[str] | None = None) -> int:
    """Run the matrix with the given command-line arguments and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.mutants", description=__doc__)
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the matrix as JSON (replaced if it exists)"
    )
    parser.add_argument("--workers", type=int, default=1, help="number of processes (default: 1)")
    parser.add_argument(
        "--passed",
        type=Path,
        metavar="FILE",
        help="JUnit report of a full run with the same seed: what the code as it is passed there",
    )
    parser.add_argument(
        "--every",
        action="store_true",
        help="run each mutant under every check that can see its fault, not only under those written for it",
    )
    parser.add_argument("--run-seed", metavar="TEXT", help="seed of all samples (default: the fixed one)")
    parser.add_argument("--fresh-seed", action="store_true", help="use a seed that no run has used")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error(f"--workers is {options.workers}: give at least 1")
    seed = options.run_seed or (fresh_seed() if options.fresh_seed else configured_seed())
    try:
        if options.json is not None:
            refuse_existing(options.json, force=True)
        passed = shipped_results(options.passed, seed) if options.passed else {}
    except InputError as error:
        parser.error(str(error))
    messages = Console(stderr=True)
    messages.print(f"run seed {seed}, {len(passed)} of {len(CHECKS)} checks passed before", highlight=False)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=messages,
        disable=not messages.is_terminal,
    ) as bar:
        task = bar.add_task("kill matrix")
        done = 0

        def finished(cell: Cell, total: int) -> None:
            nonlocal done
            done += 1
            bar.update(task, completed=done, total=total, description=f"{cell.mutant}, {cell.check}")
            if not messages.is_terminal and done % _LINE_EVERY == 0:
                messages.print(f"{done} of {total} cells", highlight=False)

        matrix = kill_matrix(Run(seed, "matrix"), options.workers, finished, passed, every=options.every)
    _print(matrix, Console())
    if options.json is not None:
        text = json.dumps(matrix.to_json(), indent=1) + "\n"
        write_whole(options.json, text.encode("utf-8"), force=True)
    for fault in matrix.faults:
        messages.print(f"FAILS: {fault}", highlight=False, markup=False)
    return 1 if matrix.faults else 0


def _print(matrix: Matrix, console: Console) -> None:
    table = Table(title="Kill matrix: x killed, . alive, blank: not run")
    table.add_column("mutant", no_wrap=True)
    for number, _ in enumerate(CHECKS, 1):
        table.add_column(str(number), justify="center")
    for mutant in (SHIPPED_NAME, *MUTANTS):
        table.add_row(mutant, *(_MARK[matrix.cells[mutant, check].state] for check in CHECKS))
    console.print(table)
    for number, check in enumerate(CHECKS, 1):
        console.print(f"{number:3d} {check}", highlight=False)
    killed = sum(map(matrix.killed, MUTANTS))
    console.print(f"{killed} of {len(MUTANTS)} mutants killed", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
