"""``splu-ref publish``: publish a table by the mechanism that is named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.channels import ParameterError, natural_logarithm
from splu_ref.cli.domains import read_domains, read_laws
from splu_ref.cli.mechanism_options import (
    NAMED,
    STREAMED,
    MechanismOptions,
    NamedMechanism,
    mechanism_named,
    refuse_unknown_options,
    sensitive_columns,
)
from splu_ref.cli.options import (
    BinsOption,
    CrossOption,
    DropColumn,
    GroupRare,
    IdColumn,
    KeyFile,
    ManifestFile,
    Missing,
    Seed,
    SensitiveTable,
    Stream,
)
from splu_ref.cli.output import AsJson, Force, Separator, about, note, show
from splu_ref.cli.preparation import Preparation
from splu_ref.cli.progress import counted
from splu_ref.cli.release_report import PublishedRelease, unpublished_values
from splu_ref.cli.sanitize import SEEDED, refuse_overlap, source_of
from splu_ref.cli.streaming import require_fit, streamed, streaming_costs
from splu_ref.data import read_table, refuse_existing, require_suffix, write_all
from splu_ref.guarantees import TupleChances, decimal_up
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Operator,
    PerturbedGeneralization,
    RecordMechanism,
    RetentionReplacement,
    SmallDomainRandomization,
    TwoTablesRelease,
)

EXAMPLE = (
    "splu-ref publish adult.csv -o answers.csv --mechanism retention --column sex --retention 1/5 "
    "--domain domain.json"
)


def run(
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The published table, by its suffix.")],
    mechanism: Annotated[str, typer.Option("--mechanism", help=f"{', '.join(NAMED)}.")],
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "--sensitive", help="Sensitive column; repeat for several."),
    ] = None,
    gamma: Annotated[str | None, typer.Option("--gamma", help="splu-gen, anatomy: size of a group.")] = None,
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
            help="splu-gen, retention, swap, pg: probability that a cell retains its value or place.",
        ),
    ] = None,
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
    domain: Annotated[
        Path | None,
        typer.Option(
            "--domain",
            help='retention, alpha-beta, pg: JSON, by column its values, ["a", "b"], '
            'or {"min": 17, "max": 90}. For small-domains by column a list of parts, {"where": {"sex": "F"}, '
            '"values": ["a", "b"]}. '
            "Without --column, all columns of the file are sensitive. With --replacing given their "
            'probabilities, {"a": "1/3", "b": "2/3"}.',
        ),
    ] = None,
    observed_domain: Annotated[
        bool,
        typer.Option(
            "--observed-domain",
            help="All mechanisms with a domain: take the values that occur, which the release discloses.",
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
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi",
            help="pg: column to publish as a range of each group; repeat. Others are not published.",
        ),
    ] = None,
    sensitive_table: SensitiveTable = None,
    key_file: KeyFile = None,
    id_column: IdColumn = None,
    seed: Seed = None,
    missing: Missing = None,
    manifest: ManifestFile = None,
    bins: BinsOption = None,
    cross: CrossOption = None,
    group_rare: GroupRare = None,
    drop: DropColumn = None,
    separator: Separator = None,
    stream: Stream = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Publish a table by a mechanism of your choice: a value for each record, groups, or a set of tuples.

    splu-gen draws the value from the record's decoy group, as sanitize does; distribution from the whole
    column; retention retains the true value with a given probability and else draws from a declared domain
    (randomized response); swap moves it to another record, so that columns keep their counts; operator draws
    from the value's row of a given matrix. Epsilon is that of a record with all its sensitive columns in one
    release. alpha-beta publishes some of the table's tuples among fakes from the product of all declared
    domains, in a random order; its epsilon is that of one tuple more or less.

    small-domains is retention within each part of the table, with a domain for each part and the largest
    retention probability that --rho1 and --rho2 allow; its epsilon is for the values of a part. pg (perturbed
    generalization) groups records by other columns and publishes of each group its ranges, the value of one
    record, perturbed as by retention, and its number of records. anatomy puts gamma records with different
    values into each group, and publishes two tables: the other columns with a group number, and the values
    of each group.
    """
    make, known = mechanism_named(mechanism)
    options = MechanismOptions(
        columns=tuple(column or ()), gamma=gamma, plan=plan, retention=retention, domain=domain,
        declared={}, laws={}, observed_domain=observed_domain, shuffle=shuffle, replacing=replacing,
        compound=compound, alpha=alpha, beta=beta, d=d, level=level, k=k, distinct=distinct, matrix=matrix,
        by=tuple(by or ()), rho1=rho1, rho2=rho2, quasi=tuple(quasi or ()),
        sensitive_table=sensitive_table, large=force,
    )  # fmt: skip
    refuse_unknown_options(mechanism, known, options)
    if mechanism == "alpha-beta" and id_column is not None:
        raise ParameterError("tuples are published, not records: leave out --id")
    if replacing == "given":
        if domain is None:
            raise ParameterError("--replacing given needs the probabilities: --domain FILE")
        laws = read_laws(domain)
        options = replace(options, laws=laws, declared={name: tuple(law) for name, law in laws.items()})
    elif domain is not None and mechanism != "small-domains":
        options = replace(options, declared=read_domains(domain))
    wanted = Preparation.of(
        sensitive=options.columns, bins=bins, cross=cross, rare=group_rare, drop=drop, quasi=None, keep=None
    )
    source = source_of(key_file, seed, id_column)
    written = [path for path in (output, sensitive_table, manifest) if path is not None]
    for path in (output, sensitive_table):
        if path is not None:
            require_suffix(path)
    refuse_overlap(written, [path for path in (table, key_file, domain, matrix) if path is not None])
    for path in written:
        refuse_existing(path, force=force)
    if stream:
        if mechanism not in STREAMED:
            raise ParameterError(
                f"--mechanism {mechanism} needs the whole table at once: publish without --stream, or by one "
                f"of {', '.join(STREAMED)}"
            )
        unfit = {"--bins": bins, "--cross": cross, "--group-rare": group_rare, "--drop": drop}
        require_fit({**unfit, "--observed-domain": observed_domain, "--seed": seed is not None})
        streaming = make(options, lambda: read_table(table, missing))
        assert isinstance(streaming, RecordMechanism)
        columns = sensitive_columns(options, streaming)
        of_parts = streamed(
            table, output, columns, streaming, key_file,
            id_column=id_column, missing=missing, manifest=manifest, force=force,
        )  # fmt: skip
        _note_domains(of_parts, manifest, mechanism, observed=False)
        _show(
            streaming, of_parts, of_parts.manifest.rows, output, observed=False, as_json=as_json,
            streaming=streaming_costs(of_parts),
        )  # fmt: skip
        return
    with counted("publishing") as progress:
        with about(table):
            original = wanted.read(table, missing).table
            progress(1, 3)
            made = make(options, lambda: original)
            columns = sensitive_columns(options, made)
            release = made.publish(original, columns, source, id_column=id_column)
        progress(2, 3)
        outputs = (
            release.outputs(output, manifest, sensitive_table)
            if isinstance(release, TwoTablesRelease)
            else release.outputs(output, manifest)
        )
    write_all(outputs, force=force)
    if seed is not None:
        note(SEEDED)
    if not release.table.row_count:
        note(
            "no tuple was published, which can happen by chance: the estimate of a count is -beta/alpha "
            "times the tuples of the domain that are counted"
        )
    if observed_domain:
        note(
            "--observed-domain: the domain depends on the data, and the release discloses it: declare it "
            "with --domain to protect values that a single record has"
        )
    _note_domains(release, manifest, mechanism, observed=observed_domain)
    _show(
        made, release, release.table.row_count, output,
        observed=observed_domain, second=sensitive_table, as_json=as_json,
    )  # fmt: skip


def _note_domains(release: PublishedRelease, manifest: Path | None, name: str, *, observed: bool) -> None:
    """Warn of values in the manifest that no row has, unless the domain was declared."""
    declares = not {"domain", "matrix"}.isdisjoint(NAMED[name][1])
    remedy = "with --domain" if declares else "in Python, with Microdata.with_domain"
    if name == "splu-gen":
        remedy = "with splu-ref sanitize --domain"
    declared = release.domains if declares and not observed else ()
    for remark in unpublished_values(release, manifest, declared, remedy):
        note(remark)


_LONG = ("domains", "laws", "matrix", "parts", "quasi")
"""Parameters that are too long for the text output."""


def _ratio(mechanism: NamedMechanism) -> Fraction | None:
    if isinstance(
        mechanism, RetentionReplacement | Operator | SmallDomainRandomization | PerturbedGeneralization
    ):
        return mechanism.amplification
    if isinstance(mechanism, AlphaBeta):
        return TupleChances(mechanism.alpha, mechanism.beta).amplification
    return None


def _show(
    mechanism: NamedMechanism,
    release: PublishedRelease,
    rows: int,
    output: Path,
    *,
    observed: bool,
    second: Path | None = None,
    as_json: bool,
    streaming: tuple[dict[str, object], str] | None = None,
) -> None:
    # With a domain from the table another value of one record could be another domain: no ratio bounds that.
    ratio = None if observed else _ratio(mechanism)
    tuples = isinstance(mechanism, AlphaBeta)
    dropped = "repeated rows dropped" if tuples else "suppressed"
    epsilon = None if ratio is None else decimal_up(natural_logarithm(ratio))
    result: dict[str, object] = {
        "mechanism": mechanism.name,
        "rows_in": release.rows_in,
        "rows_out": rows,
        "suppressed": release.suppressed,
        "sensitive": list(release.domains),
        "domain_size": [len(domain) for domain in release.domains.values()],
        "values_without_rows": list(release.values_without_rows.values()),
        "parameters": dict(mechanism.facts()),
        "randomness": release.randomness,
        "amplification": None if ratio is None else str(ratio),
        "epsilon": epsilon,
    }
    parameters = [f"{name} {value}" for name, value in mechanism.facts().items() if name not in _LONG]
    lines = [
        ("published", f"{output} ({rows} rows, {release.suppressed} {dropped})"),
        *([] if second is None else [("sensitive table", f"{second}, the values of each group")]),
        ("mechanism", ", ".join([mechanism.name, *parameters])),
        (
            "sensitive",
            ", ".join(f"{name} ({len(domain)} values)" for name, domain in release.domains.items()),
        ),
        (
            "one tuple more or less" if tuples else "local privacy",
            _local(mechanism, ratio, epsilon),
        ),
        ("randomness", release.randomness),
    ]
    if streaming is not None:
        result["streamed"], words = streaming
        lines.append(("streamed", words))
    show(result, lines, as_json=as_json)


def _local(mechanism: NamedMechanism, ratio: Fraction | None, epsilon: str | None) -> str:
    tuples = isinstance(mechanism, AlphaBeta)
    if ratio is not None:
        whose = "tuple" if tuples else "record"
        if isinstance(mechanism, SmallDomainRandomization):
            whose += ", within the values of its part"
        if isinstance(mechanism, PerturbedGeneralization):
            whose += ", for an attacker who knows all others or takes them for independent"
        return f"e^epsilon = {ratio} for a {whose}: epsilon <= {epsilon}"
    if tuples:
        return "no bound: beta is 0, alpha + beta is 1, or the domain is that of the table"
    if (
        isinstance(mechanism, RetentionReplacement)
        and mechanism.replacing == "given"
        and not mechanism.amplification
    ):
        return "none: a value of probability 0 is published only for records that have it"
    if isinstance(mechanism, Anatomy):
        return "none: each record's true value is among those of its group"
    if isinstance(mechanism, Operator):
        return "none: a value is published for some true values and never for others"
    return "no bound: what is published for a record depends on other records"
