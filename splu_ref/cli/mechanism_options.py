"""The mechanism of ``splu-ref publish``, built from its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple, TypeAlias

from splu_ref.channels import DataError, Levels, ParameterError, integer
from splu_ref.cli.alpha_beta import expected_size, tuple_chances
from splu_ref.cli.domains import MOST_VALUES
from splu_ref.cli.matrices import read_operator
from splu_ref.cli.options import splu_gen
from splu_ref.cli.output import about, note
from splu_ref.cli.sub_domains import observed_sub_domains, read_sub_domains
from splu_ref.data import Microdata, text
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    DistributionBased,
    Operator,
    PerturbedGeneralization,
    RecordMechanism,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGens,
    Swapping,
    number_columns,
)


@dataclass(frozen=True, kw_only=True)
class MechanismOptions:
    """The options of a mechanism; None or false where one is not given."""

    columns: tuple[str, ...]
    gamma: str | None
    plan: str | None
    retention: str | None
    draws: str | None
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

    def required(self, *names: str, named: bool = True) -> list[str]:
        """Return the texts of options by their attributes' names, or raise and name all that are not given.

        Without ``named`` the sensitive column is named if it is missing too.
        """
        given = {name: getattr(self, name) for name in names}
        left = [f"--{name}" for name, value in given.items() if value is None]
        if left:
            left += [] if named or self.columns else ["--sensitive NAME"]
            raise ParameterError(
                f"this mechanism needs {' and '.join(left)}: give {'it' if len(left) == 1 else 'them'}"
            )
        return list(given.values())


UNNAMED = "no column is sensitive: name it, --sensitive NAME"
"""The error of a publication without any sensitive column."""

Original: TypeAlias = Callable[[], Microdata]

"""Returns the original table, for a mechanism whose parameters depend on it."""


def _splu_gen(options: MechanismOptions, _: Original) -> SpluGens:
    [size] = options.required("gamma", named=False)
    if not options.columns:
        raise ParameterError(UNNAMED)
    made = splu_gen(
        size, options.retention, options.plan or "mixed", options.columns, options.draws or "independent"
    )
    if any(made.for_column(column).retention == 1 for column in options.columns):
        raise ParameterError("--retention 1 publishes every true value: choose less than 1")
    return made


def _anatomy(options: MechanismOptions, _: Original) -> Anatomy:
    [size] = options.required("gamma", named=False)
    mechanism = Anatomy(size, options.plan or "anatomy")
    if options.sensitive_table is None:
        raise ParameterError(
            "anatomy publishes two tables: name the file of the second, with the values of each group, by "
            "--sensitive-table FILE"
        )
    if len(options.columns) > 1:
        raise ParameterError("anatomy publishes one sensitive column: name one, --sensitive NAME")
    return mechanism


def _distribution(_: MechanismOptions, __: Original) -> RecordMechanism:
    return DistributionBased()


def _retention(options: MechanismOptions, original: Original) -> RecordMechanism:
    domains, replacing = _domains(options, original), options.replacing or "uniform"
    [retention] = options.required("retention")
    return RetentionReplacement(
        retention,
        domains,
        shuffled=options.shuffle,
        replacing={name: options.laws[name] for name in domains} if replacing == "given" else replacing,
        compound=options.compound,
    )


def _swap(options: MechanismOptions, _: Original) -> RecordMechanism:
    return Swapping(*options.required("retention", named=False))


def _alpha_beta(options: MechanismOptions, original: Original) -> AlphaBeta:
    domains, table = _domains(options, original), original()
    distinct = len(set(zip(*(table.cells(column) for column in domains), strict=True)))
    size = prod(map(len, domains.values()))
    chances = tuple_chances(options.alpha, options.beta, options.d, options.level, options.k, distinct, size)
    mechanism = AlphaBeta(
        chances.alpha, chances.beta, domains, distinct=options.distinct, large=options.large
    )
    mechanism.tuples(table)  # an error is reported without the notes below
    if options.k is not None:
        note(f"alpha and beta disclose n = {distinct}, the number of tuples, to whoever knows k")
    note(expected_size(mechanism, distinct))
    left = [column for column in table.columns if column not in domains]
    if left:
        note(f"columns without a domain are not published: {', '.join(left)}")
    return mechanism


def _operator(options: MechanismOptions, _: Original) -> RecordMechanism:
    if options.matrix is None:
        raise ParameterError("this mechanism needs --matrix: give a file that the command operator wrote")
    with about(options.matrix):
        return read_operator(options.matrix, shuffled=options.shuffle)


def _small_domains(options: MechanismOptions, original: Original) -> SmallDomainRandomization:
    if (options.domain is None) == (not options.observed_domain):
        raise ParameterError(
            "the values of each part are not declared: give --domain FILE, or --observed-domain for those "
            "that occur"
        )
    levels = Levels.of(*options.required("rho1", "rho2"))
    if options.domain is not None:
        if options.by:
            raise ParameterError(f"--by: {options.domain} names these columns: leave it out")
        found = read_sub_domains(options.domain)
    else:
        if not options.by or len(options.columns) != 1:
            raise ParameterError(
                "--observed-domain needs the sensitive column and those that divide the table: --sensitive "
                "NAME --by NAME"
            )
        found = observed_sub_domains(original(), options.columns[0], options.by)
    return SmallDomainRandomization(
        found.column, found.by, found.domains, levels.amplification, shuffled=options.shuffle
    )


def _perturbed_generalization(options: MechanismOptions, original: Original) -> PerturbedGeneralization:
    domains, table = _domains(options, original), original()
    if len(domains) != 1:
        raise ParameterError("perturbed generalization has one sensitive column: name it, --sensitive NAME")
    if not options.quasi:
        raise ParameterError("no column is to be published as ranges of groups: name one, --quasi NAME")
    [(column, domain)] = domains.items()
    least, retention = options.required("k", "retention")
    made = PerturbedGeneralization(
        column,
        domain,
        options.quasi,
        integer(least, "--k", 1),
        retention,
        numbers=number_columns(table, options.quasi),
    )
    left = [name for name in table.columns if name != column and name not in made.quasi]
    if left:
        note(f"columns that are not --quasi are not published: {', '.join(left)}")
    return made


NamedMechanism: TypeAlias = (
    RecordMechanism | AlphaBeta | Anatomy | SmallDomainRandomization | PerturbedGeneralization
)

Factory: TypeAlias = Callable[[MechanismOptions, Original], NamedMechanism]


class Named(NamedTuple):
    """A mechanism of ``--mechanism``."""

    build: Factory
    options: tuple[str, ...]  # the options that it takes, by their attributes' names
    streamed: bool = False  # whether it can publish a table larger than memory

    @property
    def grouped(self) -> bool:
        """Whether it has decoy groups, whose promises are assessed."""
        return "strict" in self.options

    @property
    def declares(self) -> bool:
        """Whether the values of the sensitive columns are parameters of the mechanism."""
        return not {"observed_domain", "matrix"}.isdisjoint(self.options)


NAMED = {
    "splu-gen": Named(
        _splu_gen,
        ("gamma", "plan", "retention", "draws", "domain", "quasi", "keep", "strict", "epsilon", "append",
         "append_manifest", "transcript", "log"),
        streamed=True,
    ),
    "anatomy": Named(_anatomy, ("gamma", "plan", "domain", "sensitive_table", "keep")),
    "distribution": Named(_distribution, ("domain", "keep"), streamed=True),
    "retention": Named(
        _retention,
        ("retention", "replacing", "compound", "domain", "observed_domain", "shuffle", "keep"),
        streamed=True,
    ),
    "swap": Named(_swap, ("retention", "domain", "keep")),
    "alpha-beta": Named(
        _alpha_beta, ("alpha", "beta", "d", "level", "k", "domain", "observed_domain", "distinct")
    ),
    "operator": Named(_operator, ("matrix", "shuffle", "keep"), streamed=True),
    "small-domains": Named(
        _small_domains, ("rho1", "rho2", "domain", "observed_domain", "by", "shuffle", "keep")
    ),
    "pg": Named(_perturbed_generalization, ("retention", "k", "quasi", "domain", "observed_domain")),
}  # fmt: skip

"""The mechanisms by name."""


def mechanism_named(name: str) -> Named:
    """Return a mechanism by its name in ``--mechanism``."""
    if name not in NAMED:
        raise ParameterError(f"--mechanism {name} is unknown: choose one of {', '.join(NAMED)}")
    return NAMED[name]


def refuse_unknown_options(name: str, known: tuple[str, ...], options: Mapping[str, object]) -> None:
    """Raise if an option is given, by its attribute's name, that the mechanism does not take."""
    for option, given in options.items():
        if given and option not in (*known, "columns", "declared", "laws", "large"):
            fit = ", ".join(map(_spelled, known)) or "none of its own"
            raise ParameterError(
                f"{_spelled(option)} is no option of --mechanism {name}, which takes {fit}: leave it out"
            )


def sensitive_columns(options: MechanismOptions, mechanism: NamedMechanism) -> tuple[str, ...]:
    """Return the sensitive columns: those named by options, or else those of the mechanism."""
    columns = options.columns
    if not columns and isinstance(mechanism, RetentionReplacement | AlphaBeta):
        columns = tuple(name for name, _ in mechanism.domains)
    if not columns and isinstance(mechanism, Operator | SmallDomainRandomization | PerturbedGeneralization):
        columns = (mechanism.column,)
    if not columns:
        raise ParameterError(UNNAMED)
    return columns


def _spelled(option: str) -> str:
    return "--" + option.replace("_", "-")


def _domains(options: MechanismOptions, original: Original) -> dict[str, tuple[str, ...]]:
    """Return the domains of the sensitive columns, from a file or from the table."""
    if (options.domain is None) == (not options.observed_domain):
        raise ParameterError(
            "the domain is not declared: give --domain FILE, or --observed-domain for the values that occur"
        )
    if options.domain is None:
        table = original()
        found = {column: tuple(map(text, table.domain(column))) for column in options.columns}
        large = [column for column, values in found.items() if len(values) > MOST_VALUES]
        if large:
            raise DataError(f"column {large[0]!r} has more than {MOST_VALUES} values: group them first")
        if not found:
            raise ParameterError("--observed-domain needs the sensitive column: name it, --sensitive NAME")
        return found
    for column in options.columns:
        if column not in options.declared:
            raise ParameterError(f"{options.domain}: column {column!r} has no domain: declare its values")
    return {column: options.declared[column] for column in options.columns or options.declared}
