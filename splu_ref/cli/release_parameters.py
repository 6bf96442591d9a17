"""The public parameters of a release: options, manifest and transcript are reconciled here, and only here.

Tables and mechanisms are imported when a file is read: a guarantee of numbers needs none of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from splu_ref.channels import (
    DataError,
    GroupDraws,
    ParameterError,
    integer,
    probability,
    retention_probability,
)
from splu_ref.cli.output import show

if TYPE_CHECKING:
    from splu_ref.mechanisms import Manifest, Mechanism, SpluGens, Transcript

GammaOption: TypeAlias = Annotated[
    str | None, typer.Option("--gamma", help="Size of a decoy group, at least 2; or give --manifest.")
]
ManifestOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--manifest",
        help="The manifest of a release, for every sensitive column by its gamma, retention and draws.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReleaseParameters:
    """Parameters that a guarantee is computed for."""

    # gamma, retention, draws: as in the options; without a retention probability it is 1/gamma
    gamma: str
    retention: str | None
    draws: GroupDraws
    # the sensitive columns that were published with them; empty if they come from options
    columns: tuple[str, ...] = ()
    values: str | None = None  # number of values of each of these columns, where the guarantee depends on it
    rows: int = 0  # records of the release; 0 if the parameters come from options
    grown: bool = False  # whether the release consists of batches
    plan: str = "mixed"  # name of its plan method

    def require_possible(self, frequency: str | None) -> None:
        """Raise if no value of the release can have so many records: each decoy group has it at most once."""
        count = 1 if frequency is None else integer(frequency, "frequency", 1)
        if self.columns and count * int(self.gamma) > self.rows:
            raise ParameterError(
                f"no value has {count} of the {self.rows} records in the manifest: with gamma = {self.gamma} "
                f"a value has at most {self.rows // int(self.gamma)}; give a smaller --frequency"
            )

    def require_one_law(self, most: int | None, option: str) -> None:
        """Raise if batches change the law of counts up to ``most``, or of all counts.

        Dependent draws are capped, or all or none, within each batch: counts above the bound have another
        law than in one table.
        """
        bound = self.draws.bound
        if self.grown and bound is not None and (most is None or most > bound):
            raise ParameterError(
                f"the release consists of batches, each with its own draws {self.draws}: the law of counts "
                f"above {bound} is not known for all tables; give {option} up to {bound}"
            )


@dataclass(frozen=True)
class Answer:
    """A guarantee under some parameters, as JSON and as lines of text."""

    parameters: ReleaseParameters
    result: Mapping[str, object]
    lines: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """The options that state public parameters of a release; None where an option is left out."""

    sensitive: Sequence[str] | None = None
    gamma: str | None = None
    retention: str | None = None
    plan: str | None = None
    draws: str | None = None


@dataclass(frozen=True, kw_only=True)
class StatedRelease:
    """The public parameters of a release: from options, manifest and transcript, which must agree."""

    mechanism: Mechanism[object]
    # columns, stated: the sensitive columns that are named, and those that the file states
    columns: tuple[str, ...]
    stated: tuple[str, ...]
    planned: bool  # whether a plan is named
    manifest: Manifest | None = None
    transcript: Transcript | None = None

    @classmethod
    def open(
        cls, options: ReleaseOptions, manifest: Path | None, transcript: Path | None = None
    ) -> StatedRelease:
        """Read the files, and reconcile the options with them."""
        from splu_ref.mechanisms import SpluGens, read_manifest, read_transcript  # noqa: PLC0415 - see below

        facts = None if manifest is None else read_manifest(manifest)
        record = None if transcript is None else read_transcript(transcript)
        if facts is not None and record is not None:
            _require_one_release(facts, record)
        if facts is not None:
            mechanism, columns, source = facts.mechanism, tuple(facts.domains), "manifest"
        elif record is not None:
            mechanism, columns, source = record.mechanism, record.sensitive, "transcript"
        else:
            return cls._of_options(options)
        agree = Agreement(source)
        for column in options.sensitive or ():
            agree("sensitive", column, column if column in columns else ", ".join(columns))
        if isinstance(mechanism, SpluGens):
            agree.require_splu_gen(options, mechanism, columns)
        else:
            agree.require_other(options, mechanism)
        return cls(
            mechanism=mechanism,
            columns=tuple(options.sensitive or columns),
            stated=columns,
            planned=True,
            manifest=facts,
            transcript=record,
        )

    @classmethod
    def _of_options(cls, options: ReleaseOptions) -> StatedRelease:
        from splu_ref.cli.options import splu_gen  # noqa: PLC0415 - see below

        if options.gamma is None or not options.sensitive:
            raise ParameterError("no parameters: give --gamma and --sensitive, or the release's --manifest")
        made = splu_gen(
            options.gamma, options.retention, options.plan or "mixed", options.sensitive,
            options.draws or "independent",
        )  # fmt: skip
        columns = tuple(options.sensitive)
        return cls(mechanism=made, columns=columns, stated=columns, planned=options.plan is not None)


def domain_text(observed: bool | None) -> str:
    """Return whether a bound for a record holds, by what a manifest says of the domain."""
    if observed is None:
        return "epsilon holds only if the domain was declared, not taken from the table"
    if observed:
        return "taken from the table: no epsilon holds, since one record could change the domain"
    return "declared by the publisher, not taken from the table, as epsilon needs"


@dataclass(frozen=True)
class Agreement:
    """Comparison of options with a manifest or a transcript."""

    source: str

    def __call__(self, option: str, given: object, stated: object) -> None:
        """Raise unless an option is left out or says what the file says."""
        if given is not None and given != stated:
            raise ParameterError(
                f"--{option} {given} contradicts the {self.source}, which has {stated}: leave it out, or "
                "give the right file"
            )

    def require_splu_gen(self, options: ReleaseOptions, mechanism: SpluGens, columns: Sequence[str]) -> None:
        """Compare the options with the parameters of every column."""
        from splu_ref.cli.options import by_column, gammas_of, parameter_text, splu_gen  # noqa: PLC0415

        every = by_column(mechanism, columns)
        given = mechanism if options.gamma is None else splu_gen(options.gamma, None, "mixed", columns)
        if any(given.for_column(column).gamma != each.gamma for column, each in every.items()):
            self("gamma", options.gamma, parameter_text(gammas_of(mechanism)))
        for each in every.values():
            if options.retention is not None:
                self("retention", retention_probability(options.retention, each.gamma), each.retention)
            self("plan", options.plan, each.plan)
            self("draws", None if options.draws is None else GroupDraws.parse(options.draws), each.draws)

    def require_other(self, options: ReleaseOptions, mechanism: Mechanism[object]) -> None:
        """Refuse the options of decoy groups for a mechanism without."""
        for option, given in (("gamma", options.gamma), ("plan", options.plan), ("draws", options.draws)):
            if given is not None:
                raise ParameterError(f"--{option}: {mechanism.name} has no decoy groups: leave it out")
        if options.retention is not None:
            stated = getattr(mechanism, "retention", None)
            if not isinstance(stated, Fraction):
                raise ParameterError(
                    f"--retention: {mechanism.name} has no retention probability: leave it out"
                )
            self("retention", probability(options.retention, "--retention"), stated)


def _require_one_release(facts: Manifest, record: Transcript) -> None:
    """Raise if manifest and transcript state different parameters; the message names the first."""
    stated, other = ({"method": each.name, **each.facts()} for each in (facts.mechanism, record.mechanism))
    for name in dict.fromkeys((*stated, *other)):
        if stated.get(name) != other.get(name):
            one, two = (_fact_text(each.get(name)) for each in (stated, other))
            raise ParameterError(
                f"{name} is {one} in the manifest and {two} in the transcript: give both files of one release"
            )


def _fact_text(fact: object) -> str:
    if isinstance(fact, Mapping):
        return ",".join(f"{column}={each}" for column, each in fact.items())
    return "not stated" if fact is None else str(fact)


def release_parameters(
    manifest: Path | None,
    gamma: str | None,
    retention: str | None,
    draws: str | None = None,
    *,
    by_values: bool = False,
) -> list[ReleaseParameters]:
    """Return the parameters of the options or of a manifest; columns with equal parameters share an entry.

    With ``by_values`` the number of a column's values is a parameter too, for dependent draws.
    """
    if manifest is None:
        if gamma is None:
            raise ParameterError("no parameters: give --gamma, or the release's --manifest")
        law = GroupDraws.parse(draws or "independent")
        return [ReleaseParameters(gamma=gamma, retention=retention, draws=law)]
    from splu_ref.mechanisms import SpluGens  # noqa: PLC0415 - a number needs no tables

    options = ReleaseOptions(gamma=gamma, retention=retention, draws=draws)
    release = StatedRelease.open(options, manifest)
    facts, mechanism = release.manifest, release.mechanism
    assert facts is not None, "it is read"
    if not isinstance(mechanism, SpluGens):
        raise DataError(
            f"{manifest}: this is a release by {mechanism.name}, and the command computes promises of "
            f"SPLU-Gen: {_instead(mechanism, shlex.quote(str(manifest)))}"
        )
    found: dict[ReleaseParameters, list[str]] = {}
    for column, domain in facts.domains.items():
        each = mechanism.for_column(column)
        plain = each.retention == Fraction(1, each.gamma)
        case = ReleaseParameters(
            gamma=str(each.gamma),
            retention=None if plain else str(each.retention),
            draws=each.draws,
            values=str(len(domain)) if by_values and each.draws.bound is not None else None,
            rows=facts.rows,
            grown=bool(facts.batches),
            plan=each.plan,
        )
        found.setdefault(case, []).append(column)
    return [replace(case, columns=tuple(columns)) for case, columns in found.items()]


def _instead(mechanism: Mechanism[object], manifest: str) -> str:
    """Return which command computes what a release by another mechanism promises."""
    from splu_ref.mechanisms import (  # noqa: PLC0415 - a number needs no tables
        AlphaBeta,
        Operator,
        RetentionReplacement,
        SmallDomainRandomization,
        Swapping,
    )

    breach = "use splu-ref breach"
    if isinstance(mechanism, AlphaBeta):
        given = f"--alpha {mechanism.alpha} --beta {mechanism.beta} --m {mechanism.size}"
        return f"use splu-ref useful {given} --n TUPLES --query-size TUPLES --rho RHO"
    if isinstance(mechanism, SmallDomainRandomization):
        size = max(len(domain) for _, domain in mechanism.domains)
        return (
            f"{breach} --retention {mechanism.retention(size)} --values {size} --rho1 RHO1 --rho2 RHO2 for "
            "the part with most values"
        )
    if isinstance(mechanism, Swapping):
        return f"{breach} --manifest {manifest} --prior PUBLISHED --rho1 RHO1 --rho2 RHO2"
    if isinstance(mechanism, RetentionReplacement | Operator):
        return f"{breach} --manifest {manifest} --rho1 RHO1 --rho2 RHO2"
    return f"use splu-ref audit-release PUBLISHED --manifest {manifest}, which checks its declared law"


def require_one(cases: Sequence[ReleaseParameters], certificate: Path | None) -> None:
    """Raise if a certificate would have to cover several laws."""
    if certificate is not None and len(cases) > 1:
        named = " and ".join(", ".join(case.columns) for case in cases)
        raise ParameterError(
            f"a certificate covers one gamma and p, and those of {named} differ: give --gamma instead of "
            "--manifest"
        )


def show_answers(
    answers: Sequence[Answer],
    *,
    as_json: bool,
    file: Path | None = None,
    force: bool = False,
    **more: object,
) -> None:
    """Print the answer for the options, or those for a manifest by column, with ``more`` for all columns."""
    if not answers[0].parameters.columns:
        [alone] = answers
        show(alone.result, alone.lines, as_json=as_json, file=file, force=force)
        return
    lines: list[tuple[str, str]] = []
    for answer in answers:
        lines += [("column", ", ".join(answer.parameters.columns)), *answer.lines]
    columns = [
        {"column": column, "promise": answer.result}
        for answer in answers
        for column in answer.parameters.columns
    ]
    show({"columns": columns, **more}, lines, as_json=as_json, file=file, force=force)
