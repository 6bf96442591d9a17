"""``splu-ref attack``: attack each record of a table that is published anew, or of a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import (
    FEWEST,
    Attackable,
    AttackOutcome,
    Released,
    Shares,
    Victims,
    attack_release,
    best_guess,
    carried_out,
    corrupted,
    duplicates,
    duplicates_in,
    eliminated,
    known_others,
    presence,
    presence_in,
    reading_named,
    repeated,
    shared_value,
)
from splu_ref.channels import DataError, ParameterError, whole
from splu_ref.cli.output import AsJson, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.data import Microdata, read_table, text
from splu_ref.guarantees import decimal_down, decimal_up, exact_json
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Manifest,
    PerturbedGeneralization,
    RecordMechanism,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    read_manifest,
    read_release,
)
from splu_ref.randomness import SeededSource, SystemSource

EXAMPLE = "splu-ref attack homogeneity adult.csv --manifest manifest.json"


@dataclass(frozen=True, kw_only=True)
class _Options:
    known: int
    releases: int
    value: str | None


GUESSED = "the share of records whose most probable value is their own"


def _left(known: int) -> str:
    return f"the mean probability left to the own value once the {known} likeliest others are excluded"


def _homogeneity(victims: Victims, _: _Options) -> AttackOutcome:
    return carried_out("homogeneity", victims, best_guess, GUESSED)


def _elimination(victims: Victims, options: _Options) -> AttackOutcome:
    known = options.known
    return carried_out("elimination", victims, eliminated(known), _left(known), excluded=known)


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


def _known_others(victims: Victims, options: _Options) -> AttackOutcome:
    return known_others(victims, _code(victims, options.value))


def _shared_value(victims: Victims, options: _Options) -> AttackOutcome:
    return shared_value(victims, _code(victims, options.value))


NAMED: dict[str, tuple[Callable[[Victims, _Options], AttackOutcome], tuple[str, ...], int]] = {
    "homogeneity": (_homogeneity, ("release", "draws"), 1),
    "elimination": (_elimination, ("known", "release", "draws"), 1),
    "corruption": (_corruption, ("known", "draws"), 1),
    "averaging": (_averaging, ("releases", "draws"), 3),
    "presence": (_presence, ("value", "releases", "release", "draws"), 1),
    "shared-value": (_shared_value, ("value", "draws"), 1),
    "known-others": (_known_others, ("value", "releases", "draws"), 1),
}
"""By name: the attack on records, the options that it knows, and how many releases unless told."""
_KNOWN: dict[str, tuple[str, ...]] = {
    **{name: knows for name, (_, knows, _) in NAMED.items()},
    "duplicate": ("reading", "release"),
}


def run(
    name: Annotated[str, typer.Argument(help=f"{', '.join(_KNOWN)}.")],
    manifest: Annotated[
        Path, typer.Option("--manifest", help="Of a release: which mechanism and which columns.")
    ],
    table: Annotated[
        Path | None, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            "--release",
            help="homogeneity, elimination, presence, duplicate: attack this release, which somebody made; "
            "the original may be left out then.",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The sensitive column that is attacked, of several.")
    ] = None,
    known: Annotated[
        str | None,
        typer.Option("--known", help="elimination: values excluded; corruption: other records known [1]."),
    ] = None,
    releases: Annotated[
        str | None,
        typer.Option(
            "--releases", help="averaging, presence, known-others: releases of the table [3; 1; 1]."
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help="presence, shared-value, known-others: of the column [the rarest with two records].",
        ),
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
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="duplicate: a set is published, of fakes that are not in the table, or a bag, of any [set].",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For tests only: repeatable.")] = None,
    separator: Separator = None,
    as_json: AsJson = False,
) -> int:
    """Publish a table as a manifest says, attack every record, and compare with what is predicted exactly.

    The attacker knows more than the public: all true counts, and the decoy plan. What nothing predicts, such
    as corruption on SPLU-Gen, is measured on six publications. The table is published afresh, in memory: what
    is shown belongs to the mechanism, not to the release of the manifest. With --release that release is
    attacked, and judged by the table, if it is given; the plan stays secret then. known-others is computed,
    and publishes nothing.
    Exit code 1: the success contradicts the prediction, at a level of 10^-9; otherwise 0.
    """
    if name not in _KNOWN:
        raise ParameterError(
            f"attack {name!r} is unknown: choose one of {', '.join(_KNOWN)}; those that learn are run in a "
            "checkout, by python -m experiments attack-learned"
        )
    given = {
        "known": known, "releases": releases, "value": value, "draws": draws, "reading": reading,
        "release": release,
    }  # fmt: skip
    for option, told in given.items():
        if told is not None and option not in _KNOWN[name]:
            raise ParameterError(f"--{option} says nothing to {name}: leave it out")
    if table is None and release is None:
        raise ParameterError("name the original table, or a release that is attacked without it: --release")
    if release is not None and (releases or draws or seed is not None):
        raise ParameterError(
            "--releases, --draws and --seed are for publishing, and --release is there: leave them out"
        )
    if name == "duplicate" and column is not None:
        raise ParameterError("--column says nothing to duplicate: leave it out")
    usual = NAMED[name][2] if name in NAMED else 1
    options = _Options(
        known=1 if known is None else whole(known, "--known", 0),
        releases=usual if releases is None else whole(releases, "--releases", 1),
        value=value,
    )
    facts = attackable(manifest, draws)
    if isinstance(facts.mechanism, Anatomy) and release is not None:
        raise ParameterError(
            "a release by Anatomy shows no value for a record: attack the table, without --release"
        )
    with counted("attacking"):
        if name == "duplicate":
            outcome = _duplicate(table, release, facts, reading, seed)
        elif release is not None:
            outcome = _of_release(name, table, release, facts, column, options)
        else:
            assert table is not None
            outcome = _of_table(name, table, manifest, facts, column, options, seed)
    show(_json(outcome), _lines(outcome), as_json=as_json)
    return 1 if outcome.contradicted else 0


def interval_json(shares: Shares | None) -> list[object] | None:
    """Return the ends for programs: null where nothing was measured, or too little for an interval."""
    if shares is None or shares.interval is None:
        return None
    least, greatest = shares.interval
    return [exact_json(least, "down"), exact_json(greatest, "up")]


def share_lines(shares: Shares) -> list[tuple[str, str]]:
    """Return the lines of what was measured on several releases."""
    many = "1 release" if shares.experiments == 1 else f"{shares.experiments} releases"
    ends = f"none: {many} cannot have one, {FEWEST} can"
    if shares.interval is not None:
        least, greatest = shares.interval
        ends = f"{decimal_down(least, 6)} to {decimal_up(greatest, 6)}"
        ends += ", for the median of all releases of this table"
    return [
        ("success", f"{decimal_down(shares.median, 6)}, the median of {many}"),
        ("95 % interval", ends),
    ]


def attackable(manifest: Path, draws: str | None) -> Manifest:
    """Return what a manifest says of a release that can be attacked, with another law of draws if given."""
    told = read_manifest(manifest)
    if draws is not None:
        plain = SpluGen.of(told)
        told = replace(told, mechanism=SpluGen(plain.gamma, plain.retention, plain.plan, draws))
    if isinstance(told.mechanism, SmallDomainRandomization | PerturbedGeneralization):
        raise DataError(
            f"{manifest}: no attack on a release by {told.mechanism.name} is computed here: name another one"
        )
    return told


def _of_table(
    name: str,
    table: Path,
    manifest: Path,
    told: Manifest,
    column: str | None,
    options: _Options,
    seed: int | None,
) -> AttackOutcome:
    """Publish a table anew and attack it."""
    if not isinstance(told.mechanism, RecordMechanism | Anatomy):
        raise DataError(
            f"{manifest}: {told.mechanism.name} shows nothing of single records: there is none to attack"
        )
    victims = victims_of(told.mechanism, table, told, column, options.releases, seed)
    attack = NAMED[name][0]
    with about(table):
        first = attack(victims, options)
        return repeated(lambda again: attack(again, options), victims, first, FEWEST)


def _of_release(
    name: str, table: Path | None, release: Path, told: Manifest, column: str | None, options: _Options
) -> AttackOutcome:
    """Attack a release that is there."""
    original = _original(table)
    with about(release):
        published = read_release(release, told)
        attacked = _column(told, column)
        if isinstance(published.mechanism, SpluGenByColumn):
            published = replace(published, mechanism=published.mechanism.for_column(attacked))
        released = Released(published, attacked, original)
        if name == "presence":
            if options.value is None:
                raise ParameterError("say which value is looked for in the release: --value")
            return presence_in(released, options.value)
        known = options.known if name == "elimination" else 0
        says, score = (_left(known), eliminated(known)) if name == "elimination" else (GUESSED, best_guess)
        return attack_release(name, released, score, says, excluded=known)


def _duplicate(
    table: Path | None, release: Path | None, told: Manifest, reading: str | None, seed: int | None
) -> AttackOutcome:
    """Look for tuples that stand twice, in a table that is published anew or in a release that is there."""
    mechanism, read = told.mechanism, reading_named(reading or "set")
    if not isinstance(mechanism, AlphaBeta):
        raise ParameterError(
            f"{mechanism.name} publishes records, which may be alike: the attack is on sets of tuples"
        )
    original = _original(table)
    if release is not None:
        with about(release):
            return duplicates_in(read_release(release, told), read, original)
    assert table is not None
    assert original is not None
    with about(table):
        source = SystemSource() if seed is None else SeededSource(seed)
        return duplicates(mechanism, original, read, source)


def _original(table: Path | None) -> Microdata | None:
    if table is None:
        return None
    with about(table):
        return read_table(table)


def _column(told: Manifest, column: str | None) -> str:
    columns = tuple(told.domains)
    if column is None and len(columns) > 1:
        raise ParameterError(
            f"the release has the sensitive columns {', '.join(columns)}: name one, --column"
        )
    return columns[0] if column is None else column


def victims_of(
    mechanism: Attackable,
    path: Path,
    told: Manifest,
    column: str | None,
    releases: int,
    seed: int | None,
    missing: str | None = None,
) -> Victims:
    """Return the records of the table at ``path``, to be published as a manifest tells."""
    columns, attacked = tuple(told.domains), _column(told, column)
    if isinstance(mechanism, SpluGenByColumn):  # each column is published as if it were the only one
        columns, mechanism = (attacked,), mechanism.for_column(attacked)
    with about(path):
        table = read_table(path, missing=missing)
        if isinstance(mechanism, RecordMechanism):
            table = mechanism.declared(table)
            domains = {name: tuple(map(text, table.domain(name))) for name in columns}
            mechanism = mechanism.aligned(domains)
        return Victims(
            table=table,
            columns=columns,
            column=attacked,
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
        "interval": interval_json(outcome.measured),
        "runs": None if outcome.measured is None else outcome.measured.experiments,
        "predicted": (
            None
            if outcome.predicted is None
            else exact_json(outcome.predicted, "up" if outcome.bounded else "down")
        ),
        "baseline": exact_json(outcome.baseline, "down"),
        "believed": None if outcome.believed is None else exact_json(outcome.believed, "down"),
        "attacked": outcome.attacked,
        "largest": None if outcome.largest is None else exact_json(outcome.largest, "down"),
        "e_value": None if outcome.e_value is None else outcome.e_value.decimal,
        "noticed": None if outcome.noticed is None else decimal_up(outcome.noticed, 6),
        "agrees": None if outcome.noticed is None else not outcome.contradicted,
        "says": outcome.says,
    }


def _lines(outcome: AttackOutcome) -> list[tuple[str, str]]:
    believed = outcome.believed
    unseen = "not measured" if believed is None else f"{decimal_down(believed, 6)} as the attacker believes"
    success = [("success", unseen if outcome.success is None else decimal_down(outcome.success, 6))]
    return [
        ("attack", f"{outcome.attack} on {outcome.mechanism}"),
        *(success if outcome.measured is None else share_lines(outcome.measured)),
        ("predicted", _predicted(outcome)),
        ("without release", decimal_down(outcome.baseline, 6)),
        ("at most", "not known" if outcome.largest is None else _posterior(outcome.largest)),
        ("agreement", _judged(outcome)),
        ("says", outcome.says),
    ]


def _predicted(outcome: AttackOutcome) -> str:
    if outcome.predicted is None:
        return "not known"
    if outcome.bounded:
        return f"at most {decimal_up(outcome.predicted, 6)}"
    return decimal_down(outcome.predicted, 6)


def _judged(outcome: AttackOutcome) -> str:
    if outcome.e_value is None:
        if outcome.success is None:
            return "not tested: nothing was measured"
        return "not tested: nothing is predicted, or nothing is left to chance"
    if outcome.noticed is None:
        return "not tested: no success that so few releases can have would contradict the prediction"
    evidence = f"e-value {outcome.e_value}, contradicts at 10^9"
    if outcome.contradicted:
        return f"contradicts the prediction ({evidence})"
    return f"no contradiction; a difference of {decimal_up(outcome.noticed, 3)} would be one ({evidence})"


def _posterior(largest: Fraction) -> str:
    return f"{decimal_down(largest, 6)}, the largest probability of any record's value"
