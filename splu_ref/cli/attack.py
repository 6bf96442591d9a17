"""``splu-ref attack``: attack each record of a table that is published again, or of an existing release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import (
    FEWEST,
    Attackable,
    AttackedRelease,
    AttackOutcome,
    Shares,
    Victims,
    attack_release,
    attack_table,
    best_guess,
    corruption,
    duplicates,
    duplicates_in,
    eliminated,
    informed_adversary,
    presence,
    presence_in,
    reading_named,
    repeat_attack,
    shared_value,
)
from splu_ref.channels import DataError, ParameterError, integer
from splu_ref.cli.output import AsJson, Explain, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import Agreement
from splu_ref.data import Microdata, read_table, text, with_missing_as_text
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


GUESSED = "the share of records whose most probable value is their true value, on average over ties"


def _elimination_score(known: int) -> str:
    return f"the mean probability of the true value once the {known} likeliest others are excluded"


def _homogeneity(victims: Victims, _: _Options) -> AttackOutcome:
    return attack_table("homogeneity", victims, best_guess, GUESSED)


def _elimination(victims: Victims, options: _Options) -> AttackOutcome:
    known = options.known
    return attack_table("elimination", victims, eliminated(known), _elimination_score(known), excluded=known)


def _averaging(victims: Victims, options: _Options) -> AttackOutcome:
    return attack_table(
        "averaging",
        victims,
        best_guess,
        f"the share of records whose most probable value, after {options.releases} releases with fresh "
        "randomness, is their true value, on average over ties; under one key they are one release",
    )


def _corruption(victims: Victims, options: _Options) -> AttackOutcome:
    return corruption(victims, options.known)


def _presence(victims: Victims, options: _Options) -> AttackOutcome:
    return presence(victims, _code(victims, options.value))


def _known_others(victims: Victims, options: _Options) -> AttackOutcome:
    return informed_adversary(victims, _code(victims, options.value))


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
"""By name: the attack on records, its options, and its default number of releases."""
_KNOWN: dict[str, tuple[str, ...]] = {
    **{name: knows for name, (_, knows, _) in NAMED.items()},
    "duplicate": ("reading", "release"),
}


def run(
    name: Annotated[str, typer.Argument(help=f"{', '.join(_KNOWN)}.")],
    manifest: Annotated[
        Path, typer.Option("--manifest", help="Manifest with the mechanism and the sensitive columns.")
    ],
    table: Annotated[
        Path | None, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            "--release",
            help="homogeneity, elimination, presence, duplicate: attack this existing release; the original "
            "may then be left out.",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The attacked sensitive column, if there are several.")
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
            help="presence, shared-value, known-others: the attacked value [the rarest with two records].",
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
            help="duplicate: the release is a set, with fakes that are not in the table, or a bag, with any "
            "[set].",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For tests only: repeatable.")] = None,
    separator: Separator = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Publish a table as its manifest says, attack every record, and compare with the exact prediction.

    The attacker knows more than the public: all true counts, and the decoy plan. Attacks without an exact
    prediction, such as corruption of SPLU-Gen, are measured on six publications. The table is published again
    in memory: the result is about the mechanism, not about the release of the manifest. With --release that
    release is attacked, without knowledge of the plan, and the success is computed if the table is given.
    known-others is computed without publishing.
    Exit code 1: the success contradicts the prediction, at a level of 10^-9; otherwise 0.
    """
    if name not in _KNOWN:
        raise ParameterError(
            f"attack {name!r} is unknown: choose one of {', '.join(_KNOWN)}; for learning attacks run "
            "python -m experiments attack-learned in a checkout"
        )
    given = {
        "known": known, "releases": releases, "value": value, "draws": draws, "reading": reading,
        "release": release,
    }  # fmt: skip
    for option, text_given in given.items():
        if text_given is not None and option not in _KNOWN[name]:
            instead = " and give the original table" if option == "release" and table is None else ""
            raise ParameterError(f"--{option} does not apply to {name}: leave it out{instead}")
    if table is None and release is None:
        raise ParameterError("nothing to attack: name the original table, or a release by --release")
    if release is not None and (releases or draws or seed is not None):
        raise ParameterError(
            "--releases, --draws and --seed are for publishing, and --release is given: leave them out"
        )
    if name == "duplicate" and column is not None:
        raise ParameterError("--column does not apply to duplicate: leave it out")
    usual = NAMED[name][2] if name in NAMED else 1
    options = _Options(
        known=1 if known is None else integer(known, "--known", 0),
        releases=usual if releases is None else integer(releases, "--releases", 1),
        value=value,
    )
    facts = attackable(manifest, draws)
    if isinstance(facts.mechanism, Anatomy) and release is not None:
        raise ParameterError(
            "a release by Anatomy has no value for a record: attack the table, without --release"
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
    """Return the ends of the interval for JSON; None if too little was measured."""
    if shares is None or shares.interval is None:
        return None
    least, greatest = shares.interval
    return [exact_json(least, "down"), exact_json(greatest, "up")]


def share_lines(shares: Shares) -> list[tuple[str, str]]:
    """Return the lines of success and interval, measured on several releases."""
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
    """Read the manifest of a release that can be attacked; ``draws`` replaces its law of draws."""
    facts = read_manifest(manifest)
    if draws is not None:
        plain = SpluGen.of(facts)
        facts = replace(facts, mechanism=SpluGen(plain.gamma, plain.retention, plain.plan, draws))
    if isinstance(facts.mechanism, SmallDomainRandomization | PerturbedGeneralization):
        raise DataError(
            f"{manifest}: attacks on releases by {facts.mechanism.name} are not implemented: give another "
            "manifest"
        )
    return facts


def _of_table(
    name: str,
    table: Path,
    manifest: Path,
    facts: Manifest,
    column: str | None,
    options: _Options,
    seed: int | None,
) -> AttackOutcome:
    """Publish a table again and attack it."""
    if not isinstance(facts.mechanism, RecordMechanism | Anatomy):
        raise DataError(
            f"{manifest}: {facts.mechanism.name} publishes no values of single records: use the attack "
            "duplicate"
        )
    victims = victims_of(facts.mechanism, table, facts, column, options.releases, seed)
    attack = NAMED[name][0]
    with about(table):
        first = attack(victims, options)
        return repeat_attack(lambda again: attack(again, options), victims, first, FEWEST)


def _of_release(
    name: str, table: Path | None, release: Path, facts: Manifest, column: str | None, options: _Options
) -> AttackOutcome:
    """Attack an existing release."""
    original = None if table is None else _original(table, facts)
    with about(release):
        published = read_release(release, facts)
        left = [each for each in published.table.columns if original is None or each not in facts.hashed]
        published = replace(published, table=published.table.select(left))
        attacked = _column(facts, column)
        if isinstance(published.mechanism, SpluGenByColumn):
            published = replace(published, mechanism=published.mechanism.for_column(attacked))
        target = AttackedRelease(published, attacked, original)
        if name == "presence":
            if options.value is None:
                raise ParameterError("presence in a release needs a value: name it, --value")
            return presence_in(target, options.value)
        if name == "elimination":
            known = options.known
            return attack_release(name, target, eliminated(known), _elimination_score(known), excluded=known)
        return attack_release(name, target, best_guess, GUESSED)


def _duplicate(
    table: Path | None, release: Path | None, facts: Manifest, reading: str | None, seed: int | None
) -> AttackOutcome:
    """Search for duplicate tuples, in a table that is published again or in an existing release."""
    mechanism, read = facts.mechanism, reading_named(reading or "set")
    if not isinstance(mechanism, AlphaBeta):
        raise ParameterError(
            f"{mechanism.name} publishes records, which may be equal: the attack is on sets of tuples"
        )
    original = None if table is None else _original(table, facts)
    if release is not None:
        with about(release):
            return duplicates_in(read_release(release, facts), read, original)
    assert table is not None
    assert original is not None
    with about(table):
        source = SystemSource() if seed is None else SeededSource(seed)
        return duplicates(mechanism, original, read, source)


def _original(path: Path, facts: Manifest, missing: str | None = None) -> Microdata:
    """Return the original as it was published: missing cells as text, recoded, without hashed columns."""
    if facts.missing is not None:
        Agreement("manifest")("missing", missing, facts.missing)
    with about(path):
        table = facts.recode(read_table(path, facts.missing or missing), without=facts.hashed)
        return with_missing_as_text(table, tuple(facts.domains))


def _column(facts: Manifest, column: str | None) -> str:
    columns = tuple(facts.domains)
    if column is None and len(columns) > 1:
        raise ParameterError(
            f"the release has the sensitive columns {', '.join(columns)}: name one, --column"
        )
    return columns[0] if column is None else column


def victims_of(
    mechanism: Attackable,
    path: Path,
    facts: Manifest,
    column: str | None,
    releases: int,
    seed: int | None,
    missing: str | None = None,
) -> Victims:
    """Return the records of the table at ``path``, to be published as a manifest states."""
    columns, attacked = tuple(facts.domains), _column(facts, column)
    if isinstance(mechanism, SpluGenByColumn):  # columns are published independently
        columns, mechanism = (attacked,), mechanism.for_column(attacked)
    table = _original(path, facts, missing)
    with about(path):
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
            close = get_close_matches(value, domain, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "check its spelling"
            raise ParameterError(f"column {victims.column!r} has no value {value!r}: {remedy}")
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
        "noticed": None if outcome.detectable is None else decimal_up(outcome.detectable, 6),
        "agrees": not outcome.contradicted if outcome.tested_by_release else None,
        "says": outcome.measure,
    }


def _lines(outcome: AttackOutcome) -> list[tuple[str, str]]:
    believed = outcome.believed
    unknown = "not measured" if believed is None else f"{decimal_down(believed, 6)} as the attacker believes"
    success = [("success", unknown if outcome.success is None else decimal_down(outcome.success, 6))]
    return [
        ("attack", f"{outcome.attack} on {outcome.mechanism}"),
        *(success if outcome.measured is None else share_lines(outcome.measured)),
        ("predicted", _predicted(outcome)),
        ("without release", decimal_down(outcome.baseline, 6)),
        ("at most", "not known" if outcome.largest is None else _posterior(outcome.largest)),
        ("agreement", _judged(outcome)),
        ("measure", outcome.measure),
        *([("to hide it", outcome.remedy)] if outcome.remedy else []),
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
        if outcome.predicted is None:
            return "not tested: nothing is predicted"
        return f"not tested: {outcome.untested or 'the outcome is certain, not random'}"
    if not outcome.tested_by_release:
        return "not tested: with so few releases no success would contradict the prediction"
    verdict = "no contradiction"
    if outcome.contradicted:
        verdict = "contradicts the prediction"
    elif outcome.detectable is not None:
        verdict += f"; a difference of {decimal_up(outcome.detectable, 3)} would be one"
    return f"{verdict} (e-value {outcome.e_value}{outcome.tested}, contradicts at 10^9)"


def _posterior(largest: Fraction) -> str:
    return f"{decimal_down(largest, 6)}, the largest probability of any record's value"
