"""Parameters of a release whose guarantees are computed: from options, or by column from its manifest."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from splu_ref.channels import DataError, GroupDraws, ParameterError, whole
from splu_ref.cli.output import show

if TYPE_CHECKING:
    from splu_ref.mechanisms import Mechanism

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
        count = 1 if frequency is None else whole(frequency, "frequency", 1)
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


def release_parameters(
    manifest: Path | None,
    gamma: str | None,
    retention: str | None,
    draws: str = "independent",
    *,
    by_values: bool = False,
) -> list[ReleaseParameters]:
    """Return the parameters of the options or of a manifest; columns with equal parameters share an entry."""
    law = GroupDraws.parse(draws)
    if manifest is None:
        if gamma is None:
            raise ParameterError("no parameters: give --gamma, or the release's --manifest")
        return [ReleaseParameters(gamma=gamma, retention=retention, draws=law)]
    if gamma is not None or retention is not None or law.bound is not None:
        raise ParameterError("--manifest states gamma, retention and draws: leave out these options")
    from splu_ref.mechanisms import SpluGens, read_manifest, splu_gen_of  # noqa: PLC0415 - a number needs no tables

    facts = read_manifest(manifest)
    if not isinstance(facts.mechanism, SpluGens):
        raise DataError(
            f"{manifest}: this is a release by {facts.mechanism.name}, and the command computes promises of "
            f"SPLU-Gen: {_instead(facts.mechanism, shlex.quote(str(manifest)))}"
        )
    mechanism = splu_gen_of(facts)
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
