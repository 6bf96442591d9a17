"""``python -m experiments attack-learned``: attack each record by learning from a release of its table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.attacks import LEARNING, LearnedOutcome, attack_by_learning
from splu_ref.audit.attacks.outcome import FEWEST
from splu_ref.channels.parameters import DataError, ParameterError, integer
from splu_ref.cli.attack import GUESSED, attackable, interval_json, share_lines, victims_of
from splu_ref.cli.output import AsJson, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import decimal_down, exact_json
from splu_ref.mechanisms import Anatomy, RecordMechanism

EXAMPLE = "python -m experiments attack-learned foreground adult.csv --manifest manifest.json"
_LEARNS = {
    "foreground": "which values go with which other columns is learned once",
    "de-finetti": "which values go with which other columns is learned until beliefs stand still",
    "classifier": "a classifier takes published values for true ones",
}


def run(
    name: Annotated[str, typer.Argument(help=f"{', '.join(LEARNING)}.")],
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    manifest: Annotated[
        Path, typer.Option("--manifest", help="Manifest with the mechanism and the sensitive columns.")
    ],
    column: Annotated[
        str | None, typer.Option("--column", help="The attacked sensitive column, if there are several.")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            "--draws",
            metavar="LAW",
            help="Attack SPLU-Gen with this law of draws, not the manifest's: independent, capped:M or "
            "all-or-none:A.",
        ),
    ] = None,
    missing: Annotated[
        str | None, typer.Option("--missing", help="Take missing sensitive cells of the table as this value.")
    ] = None,
    runs: Annotated[str, typer.Option("--runs", help="Releases, each attacked by itself.")] = str(FEWEST),
    seed: Annotated[int | None, typer.Option("--seed", help="For tests only: repeatable.")] = None,
    separator: Separator = None,
    as_json: AsJson = False,
) -> None:
    """Publish a table as a manifest says, and attack every record by learning from each release.

    The attacker knows the other columns of all records, all true counts and the decoy plan, and learns which
    values go with which other columns. Nothing predicts the success: it is measured, beside what other
    records disclose about a record. The table is published again in memory: the result is of the mechanism,
    not of the release of the manifest.
    """
    learner = next((each for each in LEARNING if each == name), None)
    if learner is None:
        raise ParameterError(f"attack {name!r} is unknown: choose one of {', '.join(LEARNING)}")
    facts = attackable(manifest, draws)
    if not isinstance(facts.mechanism, RecordMechanism | Anatomy):
        raise DataError(
            f"{manifest}: {facts.mechanism.name} shows nothing of single records: there is none to attack"
        )
    releases = integer(runs, "--runs", 1)
    with counted("attacking") as progress:
        victims = victims_of(facts.mechanism, table, facts, column, 1, seed, missing)
        with about(table):
            outcome = attack_by_learning(
                learner,
                victims.mechanism,
                victims.table,
                victims.column,
                [each for each in victims.table.columns if each not in victims.columns],
                victims.draws,
                runs=releases,
                progress=progress,
            )
    show(_json(outcome), _lines(outcome), as_json=as_json)


def _json(outcome: LearnedOutcome) -> dict[str, object]:
    return {
        "attack": outcome.attack,
        "mechanism": outcome.mechanism,
        "success": exact_json(outcome.success.median, "down"),
        "interval": interval_json(outcome.success),
        "runs": outcome.runs,
        "predicted": None,
        "baseline": exact_json(outcome.majority, "down"),
        "population": exact_json(outcome.population, "down"),
        "surest": exact_json(outcome.surest.median, "down"),
        "attacked": outcome.attacked,
        "e_value": None,
        "says": f"{GUESSED}; {_LEARNS[outcome.attack]}",
    }


def _lines(outcome: LearnedOutcome) -> list[tuple[str, str]]:
    surest = outcome.surest
    return [
        ("attack", f"{outcome.attack} on {outcome.mechanism}"),
        *share_lines(outcome.success),
        ("of the surest", f"{decimal_down(surest.median, 6)} of one record in a hundred"),
        ("without release", f"{decimal_down(outcome.majority, 6)} by the most frequent value"),
        (
            "from other people",
            f"{decimal_down(outcome.population, 6)}, by a classifier of true values of others",
        ),
        ("predicted", "by nothing: this is measured, and other ways to learn may do better"),
        ("says", f"{GUESSED}; {_LEARNS[outcome.attack]}"),
    ]
