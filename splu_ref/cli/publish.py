"""``splu-ref publish``: publish a table by the mechanism that is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.channels import DataError, Levels, ParameterError, natural_logarithm, whole
from splu_ref.cli.alpha_beta import chances_asked, expected_size
from splu_ref.cli.domains import MOST_VALUES, read_domains, read_laws
from splu_ref.cli.matrices import read_operator
from splu_ref.cli.options import IdColumn, KeyFile, ManifestFile, Missing, Seed, SensitiveTable, Stream
from splu_ref.cli.output import AsJson, Force, Separator, about, note, show
from splu_ref.cli.progress import counted
from splu_ref.cli.released import Made, unpublished_values
from splu_ref.cli.sanitize import SEEDED, refuse_identity, refuse_overlap, source_of
from splu_ref.cli.streaming import require_fit, streamed, told_of
from splu_ref.cli.sub_domains import observed_sub_domains, read_sub_domains
from splu_ref.data import Microdata, read_table, refuse_existing, require_suffix, text, write_all
from splu_ref.guarantees import TupleChances, decimal_up
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    DistributionBased,
    Operator,
    PerturbedGeneralization,
    RecordMechanism,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    Swapping,
    TwoTablesRelease,
    number_columns,
)

EXAMPLE = (
    "splu-ref publish adult.csv -o answers.csv --mechanism retention --column sex --retention 1/5 "
    "--domain domain.json"
)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the options say of the mechanism; None or false where they say nothing."""

    columns: tuple[str, ...]
    gamma: str | None
    plan: str | None
    retention: str | None
    domain: Path | None
    declared: Mapping[str, tuple[str, ...]]
    laws: Mapping[str, Mapping[str, str]]
    observed_domain: bool
    shuffle: bool
    replacing: str | None
    compound: bool
    alpha: str | None
    beta: str | None
    d: str | None
    level: str | None
    k: str | None
    distinct: bool
    matrix: Path | None
    by: tuple[str, ...]
    rho1: str | None
    rho2: str | None
    quasi: tuple[str, ...]
    sensitive_table: Path | None
    large: bool

    def required(self, name: str) -> str:
        """Return the text of an option, by its attribute's name."""
        given: str | None = getattr(self, name)
        if given is None:
            raise ParameterError(f"this mechanism needs --{name}: give it")
        return given


_Held: TypeAlias = Callable[[], Microdata]
"""Returns the original, for a mechanism that is made of it."""


def _splu_gen(asked: _Asked, _: _Held) -> RecordMechanism:
    mechanism = SpluGen(asked.required("gamma"), asked.retention, asked.plan or "mixed")
    refuse_identity(mechanism)
    return mechanism


def _anatomy(asked: _Asked, _: _Held) -> Anatomy:
    mechanism = Anatomy(asked.required("gamma"), asked.plan or "anatomy")
    if asked.sensitive_table is None:
        raise ParameterError(
            "anatomy publishes two tables: say where the second goes, with the values of each group, "
            "--sensitive-table FILE"
        )
    if len(asked.columns) > 1:
        raise ParameterError("anatomy publishes one sensitive column: name one, --column NAME")
    return mechanism


def _distribution(_: _Asked, __: _Held) -> RecordMechanism:
    return DistributionBased()


def _retention(asked: _Asked, held: _Held) -> RecordMechanism:
    domains, replacing = _domains(asked, held), asked.replacing or "uniform"
    return RetentionReplacement(
        asked.required("retention"),
        domains,
        shuffled=asked.shuffle,
        replacing={name: asked.laws[name] for name in domains} if replacing == "given" else replacing,
        compound=asked.compound,
    )


def _swap(asked: _Asked, _: _Held) -> RecordMechanism:
    return Swapping(asked.required("retention"))


def _alpha_beta(asked: _Asked, held: _Held) -> AlphaBeta:
    domains, table = _domains(asked, held), held()
    distinct = len(set(zip(*(table.cells(column) for column in domains), strict=True)))
    size = prod(map(len, domains.values()))
    chances = chances_asked(asked.alpha, asked.beta, asked.d, asked.level, asked.k, distinct, size)
    mechanism = AlphaBeta(chances.alpha, chances.beta, domains, distinct=asked.distinct, large=asked.large)
    mechanism.tuples(table)  # an error is told alone
    if asked.k is not None:
        note(f"alpha and beta follow from n = {distinct}, the number of tuples: whoever knows k can tell it")
    note(expected_size(mechanism, distinct))
    left = [column for column in table.columns if column not in domains]
    if left:
        note(f"columns without a domain are not published: {', '.join(left)}")
    return mechanism


def _operator(asked: _Asked, _: _Held) -> RecordMechanism:
    if asked.matrix is None:
        raise ParameterError("this mechanism needs --matrix: give it, as the command operator writes it")
    with about(asked.matrix):
        return read_operator(asked.matrix, shuffled=asked.shuffle)


def _small_domains(asked: _Asked, held: _Held) -> SmallDomainRandomization:
    if (asked.domain is None) == (not asked.observed_domain):
        raise ParameterError(
            "say which values each part may have: --domain FILE, or --observed-domain for those that occur"
        )
    levels = Levels.of(asked.required("rho1"), asked.required("rho2"))
    if asked.domain is not None:
        if asked.by:
            raise ParameterError(f"--by: {asked.domain} tells by which columns: leave it out")
        found = read_sub_domains(asked.domain)
    else:
        if not asked.by or len(asked.columns) != 1:
            raise ParameterError(
                "--observed-domain needs the sensitive column and those that divide the table: --column NAME "
                "--by NAME"
            )
        found = observed_sub_domains(held(), asked.columns[0], asked.by)
    return SmallDomainRandomization(
        found.column, found.by, found.domains, levels.amplification, shuffled=asked.shuffle
    )


def _perturbed_generalization(asked: _Asked, held: _Held) -> PerturbedGeneralization:
    domains, table = _domains(asked, held), held()
    if len(domains) != 1:
        raise ParameterError("perturbed generalization has one sensitive column: name it, --column NAME")
    if not asked.quasi:
        raise ParameterError("say which columns are published as ranges of groups: --quasi NAME")
    [(column, domain)] = domains.items()
    made = PerturbedGeneralization(
        column, domain, asked.quasi, whole(asked.required("k"), "--k", 1), asked.required("retention"),
        numbers=number_columns(table, asked.quasi),
    )  # fmt: skip
    left = [name for name in table.columns if name != column and name not in made.quasi]
    if left:
        note(f"columns that are not --quasi are not published: {', '.join(left)}")
    return made


_Mechanism: TypeAlias = (
    RecordMechanism | AlphaBeta | Anatomy | SmallDomainRandomization | PerturbedGeneralization
)
_Making: TypeAlias = Callable[[_Asked, _Held], _Mechanism]

NAMED: dict[str, tuple[_Making, tuple[str, ...]]] = {
    "splu-gen": (_splu_gen, ("gamma", "plan", "retention")),
    "anatomy": (_anatomy, ("gamma", "plan", "sensitive_table")),
    "distribution": (_distribution, ()),
    "retention": (_retention, ("retention", "replacing", "compound", "domain", "observed_domain", "shuffle")),
    "swap": (_swap, ("retention",)),
    "alpha-beta": (
        _alpha_beta,
        ("alpha", "beta", "d", "level", "k", "domain", "observed_domain", "distinct"),
    ),
    "operator": (_operator, ("matrix", "shuffle")),
    "small-domains": (
        _small_domains,
        ("rho1", "rho2", "domain", "observed_domain", "by", "shuffle"),
    ),
    "pg": (
        _perturbed_generalization,
        ("retention", "k", "quasi", "domain", "observed_domain"),
    ),
}
"""By name: what makes the mechanism of the options, and which options it knows."""
STREAMED = ("splu-gen", "distribution", "retention", "operator")
"""Those that publish a table larger than memory."""


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
            help="splu-gen, retention, swap, pg: probability that a cell keeps its value or place.",
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
            help="retention: one coin keeps or replaces all sensitive values of a record, which are then one "
            "value of the product of their domains (FRAPP).",
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
            help="All mechanisms with a domain: the values that occur, which the release then tells.",
        ),
    ] = False,
    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle",
            help="retention, operator, small-domains: rows in a random order. They keep their order "
            "otherwise: no row's law depends on it, but rows at their old places link the release to others.",
        ),
    ] = False,
    alpha: Annotated[
        str | None,
        typer.Option("--alpha", help="alpha-beta: a tuple of the table is published with alpha + beta."),
    ] = None,
    beta: Annotated[
        str | None, typer.Option("--beta", help="alpha-beta: any other tuple is published with beta.")
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
        str | None, typer.Option("--rho1", help="small-domains: largest prior of what is to be protected.")
    ] = None,
    rho2: Annotated[
        str | None,
        typer.Option("--rho2", help="small-domains: largest posterior of it, for who knows the sub-domain."),
    ] = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi",
            help="pg: column that is published as a range of the group; repeat. Others are not published.",
        ),
    ] = None,
    sensitive_table: SensitiveTable = None,
    key_file: KeyFile = None,
    id_column: IdColumn = None,
    seed: Seed = None,
    missing: Missing = None,
    manifest: ManifestFile = None,
    separator: Separator = None,
    stream: Stream = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Publish a table by a mechanism of your choice: a value for each record, groups, or a set of tuples.

    splu-gen draws it from the record's decoy group, as sanitize does; distribution from the whole column;
    retention keeps it with a probability and else draws from a declared domain (randomized response); swap
    moves it to another record, and every column keeps its counts; operator draws from the value's row of a
    given matrix. The epsilon told there is that of a record, all its sensitive columns together, in one
    release. alpha-beta publishes some of the table's tuples among fakes from the product of all declared
    domains, in a random order; its epsilon is that of one tuple more or less.

    small-domains is retention within each part of the table, in a domain of the part's own, as far as two
    levels of a belief allow; its epsilon is among the values of a part. pg (perturbed generalization) groups
    records by other columns and publishes of each group its ranges, the value of one record, kept or drawn as
    by retention, and how many records it has. anatomy puts gamma records with different values into each
    group, and publishes two tables: the other columns with the number of the group, and each group's values.
    """
    make, known = _named(mechanism)
    asked = _Asked(
        columns=tuple(column or ()), gamma=gamma, plan=plan, retention=retention, domain=domain,
        declared={}, laws={}, observed_domain=observed_domain, shuffle=shuffle, replacing=replacing,
        compound=compound, alpha=alpha, beta=beta, d=d, level=level, k=k, distinct=distinct, matrix=matrix,
        by=tuple(by or ()), rho1=rho1, rho2=rho2, quasi=tuple(quasi or ()),
        sensitive_table=sensitive_table, large=force,
    )  # fmt: skip
    _refuse_others(mechanism, known, asked)
    if make is _alpha_beta and id_column is not None:
        raise ParameterError("tuples are published, not records: leave out --id")
    if replacing == "given":
        if domain is None:
            raise ParameterError("--replacing given needs the probabilities: --domain FILE")
        laws = read_laws(domain)
        asked = replace(asked, laws=laws, declared={name: tuple(law) for name, law in laws.items()})
    elif domain is not None and make is not _small_domains:
        asked = replace(asked, declared=read_domains(domain))
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
        require_fit({"--observed-domain": observed_domain, "--seed": seed is not None})
        streaming = make(asked, lambda: read_table(table, missing))
        assert isinstance(streaming, RecordMechanism)
        columns = _columns(asked, streaming)
        of_parts = streamed(
            table, output, columns, streaming, key_file,
            id_column=id_column, missing=missing, manifest=manifest, force=force,
        )  # fmt: skip
        _note_domains(of_parts, manifest, mechanism, observed=False)
        _show(
            streaming, of_parts, of_parts.manifest.rows, output, observed=False, as_json=as_json,
            made=told_of(of_parts),
        )  # fmt: skip
        return
    with counted("publishing") as progress:
        with about(table):
            original = read_table(table, missing)
            progress(1, 3)
            made = make(asked, lambda: original)
            columns = _columns(asked, made)
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
            "no tuple was published, which the chances allow: the estimate of a count is -beta/alpha times "
            "the tuples of the domain that are counted"
        )
    if observed_domain:
        note(
            "--observed-domain: the domain is a fact about the data now, and the release tells it: declare "
            "it with --domain to promise anything of a value that one record has"
        )
    _note_domains(release, manifest, mechanism, observed=observed_domain)
    _show(
        made, release, release.table.row_count, output,
        observed=observed_domain, second=sensitive_table, as_json=as_json,
    )  # fmt: skip


def _note_domains(release: Made, manifest: Path | None, name: str, *, observed: bool) -> None:
    """Warn of values in the manifest that no row shows, unless the mechanism's options declare the domain."""
    declares = not {"domain", "matrix"}.isdisjoint(NAMED[name][1])
    remedy = "with --domain" if declares else "in Python, with Microdata.with_domain"
    if name == "splu-gen":
        remedy = "with splu-ref sanitize --domain"
    declared = release.domains if declares and not observed else ()
    for remark in unpublished_values(release, manifest, declared, remedy):
        note(remark)


_LONG = ("domains", "laws", "matrix", "parts", "quasi")
"""Facts that are too long to be read."""


def _named(name: str) -> tuple[_Making, tuple[str, ...]]:
    if name not in NAMED:
        raise ParameterError(f"--mechanism {name} is unknown: choose one of {', '.join(NAMED)}")
    return NAMED[name]


def _refuse_others(name: str, known: tuple[str, ...], asked: _Asked) -> None:
    """Raise if an option is given that the mechanism does not know."""
    given = [
        option
        for option in vars(asked)
        if option not in ("columns", "declared", "laws", "large") and getattr(asked, option)
    ]
    for option in given:
        if option not in known:
            fit = ", ".join(map(_spelled, known)) or "none of its own"
            raise ParameterError(
                f"{_spelled(option)} is no option of --mechanism {name}, which knows {fit}: leave it out"
            )


def _columns(asked: _Asked, mechanism: _Mechanism) -> tuple[str, ...]:
    """Return the sensitive columns: those that were named, or those that the mechanism is for."""
    columns = asked.columns
    if not columns and isinstance(mechanism, RetentionReplacement | AlphaBeta):
        columns = tuple(name for name, _ in mechanism.domains)
    if not columns and isinstance(mechanism, Operator | SmallDomainRandomization | PerturbedGeneralization):
        columns = (mechanism.column,)
    if not columns:
        raise ParameterError("no column is sensitive: name it, --column NAME")
    return columns


def _spelled(option: str) -> str:
    return "--" + option.replace("_", "-")


def _domains(asked: _Asked, held: _Held) -> dict[str, tuple[str, ...]]:
    """Return the domains of the sensitive columns, from a file or from the table."""
    if (asked.domain is None) == (not asked.observed_domain):
        raise ParameterError(
            "say which values may be published: --domain FILE, or --observed-domain for those that occur"
        )
    if asked.domain is None:
        table = held()
        found = {column: tuple(map(text, table.domain(column))) for column in asked.columns}
        large = [column for column, values in found.items() if len(values) > MOST_VALUES]
        if large:
            raise DataError(f"column {large[0]!r} has more than {MOST_VALUES} values: group them first")
        if not found:
            raise ParameterError("--observed-domain needs to know of which column: name it, --column NAME")
        return found
    for column in asked.columns:
        if column not in asked.declared:
            raise ParameterError(f"{asked.domain}: column {column!r} is not there: declare its values")
    return {column: asked.declared[column] for column in asked.columns or asked.declared}


def _ratio(mechanism: _Mechanism) -> Fraction | None:
    if isinstance(
        mechanism, RetentionReplacement | Operator | SmallDomainRandomization | PerturbedGeneralization
    ):
        return mechanism.amplification
    if isinstance(mechanism, AlphaBeta):
        return TupleChances(mechanism.alpha, mechanism.beta).amplification
    return None


def _show(
    mechanism: _Mechanism,
    release: Made,
    rows: int,
    output: Path,
    *,
    observed: bool,
    second: Path | None = None,
    as_json: bool,
    made: tuple[dict[str, object], str] | None = None,
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
    if made is not None:
        result["streamed"], words = made
        lines.append(("streamed", words))
    show(result, lines, as_json=as_json)


def _local(mechanism: _Mechanism, ratio: Fraction | None, epsilon: str | None) -> str:
    tuples = isinstance(mechanism, AlphaBeta)
    if ratio is not None:
        whose = "tuple" if tuples else "record"
        if isinstance(mechanism, SmallDomainRandomization):
            whose += ", among the values of its part"
        if isinstance(mechanism, PerturbedGeneralization):
            whose += ", for who knows all others or thinks them independent of it"
        return f"e^epsilon = {ratio} for a {whose}: epsilon <= {epsilon}"
    if tuples:
        return "none is shown: beta is 0, alpha + beta is 1, or the domain is that of the table"
    if (
        isinstance(mechanism, RetentionReplacement)
        and mechanism.replacing == "given"
        and not mechanism.amplification
    ):
        return "none: a value of probability 0 is published for nobody but its own records"
    if isinstance(mechanism, Anatomy):
        return "none: a value that its group does not show is not that of a record"
    if isinstance(mechanism, Operator):
        return "none: a value is published for some true values and never for others"
    return "none is shown: what is published of a record depends on others"
