"""``splu-ref attack``: publish a table as a manifest says, and attack each of its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit.attacks import (
    Attackable,
    AttackOutcome,
    Victims,
    best_guess,
    carried_out,
    corrupted,
    eliminated,
    presence,
    shared_value,
)
from splu_ref.cli.output import AsJson, about, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import decimal_down, decimal_up, exact_json
from splu_ref.manifest import Manifest
from splu_ref.mechanisms import Anatomy, RecordMechanism, read_manifest
from splu_ref.microdata import read_table
from splu_ref.microdata.values import text
from splu_ref.model import DataError, ParameterError, whole
from splu_ref.randomness import SeededSource, SystemSource

EXAMPLE = "splu-ref attack homogeneity adult.csv --manifest manifest.json"


@dataclass(frozen=True, kw_only=True)
class _Options:
    known: int
    releases: int
    value: str | None


def _homogeneity(victims: Victims, _: _Options) -> AttackOutcome:
    return carried_out(
        "homogeneity", victims, best_guess, "the share of records whose most probable value is their own"
    )


def _elimination(victims: Victims, options: _Options) -> AttackOutcome:
    return carried_out(
        "elimination",
        victims,
        eliminated(options.known),
        f"the mean probability left to the own value once the {options.known} likeliest others are excluded",
        excluded=options.known,
    )


def _averaging(victims: Victims, options: _Options) -> AttackOutcome:
    return carried_out(
        "averaging",
        victims,
        best_guess,
        f"the share of records whose most probable value, after {options.releases} releases with fresh "
        "randomness, is their own; under one key they are one release",
    )


def _corruption(victims: Victims, options: _Options) -> AttackOutcome:
    return corrupted(victims, options.known)


def _presence(victims: Victims, options: _Options) -> AttackOutcome:
    return presence(victims, _code(victims, options.value))


def _shared_value(victims: Victims, options: _Options) -> AttackOutcome:
    return shared_value(victims, _code(victims, options.value))


NAMED: dict[str, tuple[Callable[[Victims, _Options], AttackOutcome], tuple[str, ...], int]] = {
    "homogeneity": (_homogeneity, (), 1),
    "elimination": (_elimination, ("known",), 1),
    "corruption": (_corruption, ("known",), 1),
    "averaging": (_averaging, ("releases",), 3),
    "presence": (_presence, ("value", "releases"), 1),
    "shared-value": (_shared_value, ("value",), 1),
}
"""By name: the attack, the options that it knows, and how many releases it looks at unless told."""


def run(
    name: Annotated[str, typer.Argument(help=f"{', '.join(NAMED)}.")],
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    manifest: Annotated[
        Path, typer.Option("--manifest", help="Of a release: which mechanism and which columns.")
    ],
    column: Annotated[
        str | None, typer.Option("--column", help="The sensitive column that is attacked, of several.")
    ] = None,
    known: Annotated[
        str | None,
        typer.Option("--known", help="elimination: values excluded; corruption: other records known [1]."),
    ] = None,
    releases: Annotated[
        str | None, typer.Option("--releases", help="averaging, presence: releases of the table [3; 1].")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option("--value", help="presence, shared-value: of the column [the rarest with two records]."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For tests only: repeatable.")] = None,
    as_json: AsJson = False,
) -> int:
    """Publish a table as a manifest says, attack every record, and compare with what is predicted exactly.

    The attacker knows more than the public: all true counts, and the decoy plan. The table is published
    afresh, in memory: what is shown belongs to the mechanism, not to the release of the manifest. Exit code
    1: the success contradicts the prediction, at a level of 10^-9; otherwise 0.
    """
    if name not in NAMED:
        raise ParameterError(f"attack {name!r} is unknown: choose one of {', '.join(NAMED)}")
    attack, knows, usual = NAMED[name]
    for option, given in (("known", known), ("releases", releases), ("value", value)):
        if given is not None and option not in knows:
            raise ParameterError(f"--{option} says nothing to {name}: leave it out")
    options = _Options(
        known=1 if known is None else whole(known, "--known", 0),
        releases=usual if releases is None else whole(releases, "--releases", 1),
        value=value,
    )
    told = read_manifest(manifest)
    mechanism = told.mechanism
    if not isinstance(mechanism, RecordMechanism | Anatomy):
        raise DataError(
            f"{manifest}: {mechanism.name} shows nothing of single records: there is none to attack"
        )
    victims = _victims(mechanism, table, told, column, options.releases, seed)
    with counted("attacking"), about(table):
        outcome = attack(victims, options)
    show(_json(outcome), _lines(outcome), as_json=as_json)
    return 1 if outcome.contradicted else 0


def _victims(
    mechanism: Attackable, path: Path, told: Manifest, column: str | None, releases: int, seed: int | None
) -> Victims:
    """Return the records of the table at ``path``, to be published as a manifest tells."""
    columns = tuple(told.domains)
    if column is None and len(columns) > 1:
        raise ParameterError(
            f"the release has the sensitive columns {', '.join(columns)}: name one, --column"
        )
    with about(path):
        table = read_table(path)
        if isinstance(mechanism, RecordMechanism):
            table = mechanism.declared(table)
            domains = {name: tuple(map(text, table.domain(name))) for name in columns}
            mechanism = mechanism.aligned(domains)
        return Victims(
            table=table,
            columns=columns,
            column=columns[0] if column is None else column,
            mechanism=mechanism,
            draws=SystemSource() if seed is None else SeededSource(seed),
            releases=releases,
        )


def _code(victims: Victims, value: str | None) -> int:
    """Return the code of a value, or of the rarest one that two records have."""
    domain = list(map(text, victims.table.domain(victims.column)))
    if value is not None:
        if value not in domain:
            raise ParameterError(f"column {victims.column!r} has no value {value!r}: check its spelling")
        return domain.index(value)
    shared = {code: count for code, count in victims.counts.items() if count > 1}
    if not shared:
        raise DataError(f"no two records share a value of column {victims.column!r}: name one, --value")
    return min(shared, key=shared.__getitem__)


def _json(outcome: AttackOutcome) -> dict[str, object]:
    return {
        "attack": outcome.attack,
        "mechanism": outcome.mechanism,
        "success": None if outcome.success is None else exact_json(outcome.success, "down"),
        "predicted": None if outcome.predicted is None else exact_json(outcome.predicted, "down"),
        "baseline": exact_json(outcome.baseline, "down"),
        "largest": None if outcome.largest is None else exact_json(outcome.largest, "down"),
        "e_value": None if outcome.e_value is None else outcome.e_value.decimal,
        "noticed": None if outcome.noticed is None else decimal_up(outcome.noticed, 6),
        "agrees": None if outcome.noticed is None else not outcome.contradicted,
        "says": outcome.says,
    }


def _lines(outcome: AttackOutcome) -> list[tuple[str, str]]:
    return [
        ("attack", f"{outcome.attack} on {outcome.mechanism}"),
        ("success", "nothing to see" if outcome.success is None else decimal_down(outcome.success, 6)),
        ("predicted", "not known" if outcome.predicted is None else decimal_down(outcome.predicted, 6)),
        ("without release", decimal_down(outcome.baseline, 6)),
        ("at most", "not known" if outcome.largest is None else _posterior(outcome.largest)),
        ("agreement", _judged(outcome)),
        ("says", outcome.says),
    ]


def _judged(outcome: AttackOutcome) -> str:
    if outcome.e_value is None:
        return "not tested: nothing is predicted, or nothing is left to chance"
    if outcome.noticed is None:
        return "not tested: no success that so few releases can have would contradict the prediction"
    evidence = f"e-value {outcome.e_value}, contradicts at 10^9"
    if outcome.contradicted:
        return f"contradicts the prediction ({evidence})"
    return f"no contradiction; a difference of {decimal_up(outcome.noticed, 3)} would be one ({evidence})"


def _posterior(largest: Fraction) -> str:
    return f"{decimal_down(largest, 6)}, the largest probability of any record's value"
