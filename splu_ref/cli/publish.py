"""``splu-ref publish``: publish a table by SPLU-Gen, or by the mechanism that is named."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import EPSILON
from splu_ref.channels import ParameterError, positive
from splu_ref.cli.domains import read_domains, read_laws
from splu_ref.cli.mechanism_options import (
    NAMED,
    MechanismOptions,
    mechanism_named,
    refuse_unknown_options,
)
from splu_ref.cli.options import (
    BinsOption,
    CrossOption,
    DropColumn,
    GroupRare,
    IdColumn,
    KeepColumn,
    KeyFile,
    ManifestFile,
    Missing,
    QuasiColumn,
    Seed,
    SensitiveTable,
    Stream,
    source_of,
)
from splu_ref.cli.output import AsJson, Explain, Force, Separator
from splu_ref.cli.preparation import Preparation
from splu_ref.cli.publication import Publication
from splu_ref.cli.streaming import require_fit

EXAMPLE = (
    "splu-ref publish adult.csv -o published.csv --sensitive occupation --gamma 5 --manifest manifest.json"
)


def run(
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The published table, by its suffix.")],
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", "--column", help="Sensitive column; repeat for several."),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            "--gamma",
            help="splu-gen, anatomy: size of a group, at least 2; of splu-gen also by column: job=5,age=10.",
        ),
    ] = None,
    mechanism: Annotated[str, typer.Option("--mechanism", help=f"{', '.join(NAMED)}.")] = "splu-gen",
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            help="splu-gen, anatomy: how groups are formed, mixed (at random), anatomy or cyclic [mixed; of "
            "anatomy anatomy].",
        ),
    ] = None,
    retention: Annotated[
        str | None,
        typer.Option(
            "--retention",
            help="splu-gen, retention, swap, pg: probability that a cell retains its value or place, 0.3 or "
            "3/10 [of splu-gen 1/gamma].",
        ),
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            "--draws",
            help="splu-gen: law of the draws in a group: independent, or dependent: capped:M (bounded noise "
            "for counts above M, less privacy against attackers who know all other records) or "
            "all-or-none:A [independent].",
        ),
    ] = None,
    key_file: KeyFile = None,
    id_column: IdColumn = None,
    seed: Seed = None,
    missing: Missing = None,
    manifest: ManifestFile = None,
    bins: BinsOption = None,
    cross: CrossOption = None,
    group_rare: GroupRare = None,
    hashed: Annotated[
        list[str] | None,
        typer.Option("--hash", help="Column whose values are replaced by hashes under --key-file."),
    ] = None,
    linkage: Annotated[
        str | None,
        typer.Option(
            "--linkage",
            help="A name for releases whose hashes shall agree, which links their records. Otherwise a value "
            "has another hash in each release.",
        ),
    ] = None,
    domain: Annotated[
        Path | None,
        typer.Option(
            "--domain",
            help='JSON, by sensitive column the values that may occur, {"job": ["nurse", "clerk"]} or '
            '{"age": {"min": 17, "max": 90}}: the manifest lists these instead of those that do. For '
            'small-domains by column a list of parts, {"where": {"sex": "F"}, "values": ["a", "b"]}. With '
            '--replacing given their probabilities, {"a": "1/3", "b": "2/3"}. For retention, alpha-beta and '
            "pg, all columns of the file are sensitive without --sensitive.",
        ),
    ] = None,
    drop: DropColumn = None,
    quasi: QuasiColumn = None,
    keep: KeepColumn = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="splu-gen: publish nothing if a predicate discloses a sensitive value, or sensitive columns "
            "each other; with --stream nor if another column does.",
        ),
    ] = False,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            help=f"splu-gen: relative error that counts as wrong, in the report on accuracy [{EPSILON}].",
        ),
    ] = None,
    separator: Separator = None,
    append_to: Annotated[
        Path | None,
        typer.Option(
            "--append",
            help="splu-gen: an earlier release: the table holds new records alone, which are published as a "
            "batch and join its rows. audit-release cannot audit joined batches.",
        ),
    ] = None,
    append_manifest: Annotated[
        Path | None, typer.Option("--append-manifest", help="The manifest of the release of --append.")
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            help="splu-gen: record all random draws here, for an audit; as secret as the original, readable "
            "by you alone.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            help="splu-gen: secret log of releases: warns if the table is published again with other draws.",
        ),
    ] = None,
    stream: Stream = False,
    replacing: Annotated[
        str | None,
        typer.Option(
            "--replacing",
            help="retention: replacements are drawn uniformly from the domain (uniform), by a given law "
            "(given), or with the value of a uniform record (identity) [uniform].",
        ),
    ] = None,
    compound: Annotated[
        bool,
        typer.Option(
            "--compound",
            help="retention: retain or replace all sensitive values of a record together, as one value of "
            "the product of their domains (FRAPP).",
        ),
    ] = False,
    observed_domain: Annotated[
        bool,
        typer.Option(
            "--observed-domain",
            help="retention, alpha-beta, small-domains, pg: take the values that occur, which the release "
            "discloses.",
        ),
    ] = False,
    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle",
            help="retention, operator, small-domains: shuffle the rows. Otherwise they keep their order, by "
            "which the release can be linked to other releases.",
        ),
    ] = False,
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha", help="alpha-beta: a tuple of the table is published with probability alpha + beta."
        ),
    ] = None,
    beta: Annotated[
        str | None,
        typer.Option("--beta", help="alpha-beta: any other tuple is published with probability beta."),
    ] = None,
    d: Annotated[
        str | None,
        typer.Option("--d", help="alpha-beta: largest prior of a tuple, instead of alpha and beta."),
    ] = None,
    level: Annotated[
        str | None, typer.Option("--level", help="alpha-beta: gamma, the largest posterior, with --d or --k.")
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            help="alpha-beta: d = k n/m, n tuples in a domain of m. pg: records of the smallest group.",
        ),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="alpha-beta: drop rows that repeat another.")
    ] = False,
    matrix: Annotated[
        Path | None,
        typer.Option("--matrix", help="operator: JSON with a column, its values and a row for each of them."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", help="small-domains: column that divides the table, with --observed-domain; repeat."
        ),
    ] = None,
    rho1: Annotated[
        str | None, typer.Option("--rho1", help="small-domains: largest prior belief that is protected.")
    ] = None,
    rho2: Annotated[
        str | None,
        typer.Option(
            "--rho2", help="small-domains: largest posterior of it, for an attacker who knows the sub-domain."
        ),
    ] = None,
    sensitive_table: SensitiveTable = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Publish a table: by SPLU-Gen, which draws sensitive values within decoy groups, or another mechanism.

    Random integers come from the system's entropy unless a key or a test seed is given. Columns are recoded
    first: bins, crossings, rare values, hashes, in this order. Then splu-gen deletes fewer than gamma
    records, so that groups are complete. Nothing is published if another column identifies records or
    discloses a sensitive one: --drop it, or --keep it. With --stream only --strict checks this.

    Other mechanisms: distribution draws from the whole column; retention retains the true value with a given
    probability and else draws from a declared domain (randomized response); swap moves it to another record,
    so that columns keep their counts; operator draws from the value's row of a given matrix. Epsilon is that
    of a record with all its sensitive columns in one release. alpha-beta publishes some of the table's
    tuples among fakes from the product of all declared domains, in a random order; its epsilon is that of
    one tuple more or less.

    small-domains is retention within each part of the table, with a domain for each part and the largest
    retention probability that --rho1 and --rho2 allow; its epsilon is for the values of a part. pg (perturbed
    generalization) groups records by other columns and publishes of each group its ranges, the value of one
    record, perturbed as by retention, and its number of records. anatomy puts gamma records with different
    values into each group, and publishes two tables: the other columns with a group number, and the values
    of each group.
    """
    known = mechanism_named(mechanism).options
    laws = {} if replacing != "given" or domain is None else read_laws(domain)
    declared = {column: tuple(law) for column, law in laws.items()}
    if domain is not None and not laws and mechanism != "small-domains":
        declared = read_domains(domain)
    for column in declared:
        if "keep" in known and sensitive and column not in sensitive:  # it would be published unchanged
            name = shlex.quote(column)
            raise ParameterError(
                f"{domain}: column {column!r} is not sensitive: add --sensitive {name}, or declare no values"
            )
    options = MechanismOptions(
        columns=tuple(sensitive or ()), gamma=gamma, plan=plan, retention=retention, draws=draws,
        domain=domain, declared=declared, laws=laws, observed_domain=observed_domain, shuffle=shuffle,
        replacing=replacing, compound=compound, alpha=alpha, beta=beta, d=d, level=level, k=k,
        distinct=distinct, matrix=matrix, by=tuple(by or ()), rho1=rho1, rho2=rho2, quasi=tuple(quasi or ()),
        sensitive_table=sensitive_table, large=force,
    )  # fmt: skip
    own = {
        "draws": draws, "strict": strict, "keep": keep, "epsilon": epsilon, "append": append_to,
        "append_manifest": append_manifest, "transcript": transcript, "log": log,
    }  # fmt: skip
    refuse_unknown_options(mechanism, known, vars(options) | own)
    if mechanism == "alpha-beta" and id_column is not None:
        raise ParameterError("tuples are published, not records: leave out --id")
    if replacing == "given" and domain is None:
        raise ParameterError("--replacing given needs the probabilities: --domain FILE")
    publication = Publication(
        table=table, output=output, mechanism=mechanism, options=options,
        preparation=Preparation.of(
            bins=bins, cross=cross, rare=group_rare, hashed=hashed, key_file=key_file, linkage=linkage,
            domains={} if "observed_domain" in known else declared, drop=drop,
            quasi=quasi if "strict" in known else None, keep=keep,
            sensitive=options.columns or tuple(declared), id_column=id_column,
        ),
        epsilon=positive(str(EPSILON) if epsilon is None else epsilon, "--epsilon"),
        source=source_of(key_file, seed, id_column), key_file=key_file, id_column=id_column, missing=missing,
        manifest=manifest, transcript=transcript, log=log, strict=strict,
        earlier=(append_to, append_manifest), force=force, as_json=as_json,
    )  # fmt: skip
    publication.require_files()
    if not stream:
        publication.publish()
        return
    scanned = strict or len(publication.options.columns) > 1
    require_fit({
        "--bins": bins, "--cross": cross, "--group-rare": group_rare, "--hash": hashed,
        "--domain": publication.preparation.domains, "--drop": drop, "--quasi": quasi and not scanned,
        "--keep": keep and not scanned, "--append": append_to, "--transcript": transcript, "--log": log,
        "--draws": draws not in (None, "independent"), "--observed-domain": observed_domain,
        "--seed": seed is not None,
    })  # fmt: skip
    publication.publish_in_parts()
