"""Of which release a promise is asked: by its parameters, or by its manifest, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.channels import GroupDraws, ParameterError, whole
from splu_ref.cli.output import about, show

GammaIfTold: TypeAlias = Annotated[
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
class Promised:
    """Parameters that a promise is computed for.

    Attributes
    ----------
    gamma, retention, draws
        As options tell them; no retention is 1/gamma.
    columns
        The sensitive columns of a release that were published so; empty where options tell the parameters.
    values
        Values of each of these columns, where the promise depends on them.
    rows
        Records of the release; 0 without one.
    grown
        Whether the release consists of batches.
    plan
        Name of its plan method.
    """

    gamma: str
    retention: str | None
    draws: GroupDraws
    columns: tuple[str, ...] = ()
    values: str | None = None
    rows: int = 0
    grown: bool = False
    plan: str = "mixed"

    def require_possible(self, frequency: str | None) -> None:
        """Raise if no value of the release can have so many records: a decoy group holds it once."""
        count = 1 if frequency is None else whole(frequency, "frequency", 1)
        if self.columns and count * int(self.gamma) > self.rows:
            raise ParameterError(
                f"no value has {count} of the {self.rows} records that the manifest tells: with gamma = "
                f"{self.gamma} a value has at most {self.rows // int(self.gamma)}; give a smaller --frequency"
            )

    def require_one_law(self, most: int | None, option: str) -> None:
        """Raise if batches change the law of counts up to ``most``, or of all counts.

        Draws that hang together are capped, or are all or none, in each batch by itself: counts above the
        bound have another law than in one table.
        """
        bound = self.draws.bound
        if self.grown and bound is not None and (most is None or most > bound):
            raise ParameterError(
                f"the release grew by batches, each with draws {self.draws} of its own: of counts above "
                f"{bound} nothing is known for all tables; give {option} up to {bound}"
            )


@dataclass(frozen=True)
class Answer:
    """What is promised under some parameters: for programs and for people."""

    by: Promised
    result: Mapping[str, object]
    lines: list[tuple[str, str]] = field(default_factory=list)


def promised(
    manifest: Path | None,
    gamma: str | None,
    retention: str | None,
    draws: str = "independent",
    *,
    by_values: bool = False,
) -> list[Promised]:
    """Return what options or a manifest tell; columns with the same parameters are taken together.

    Parameters
    ----------
    manifest, gamma, retention, draws
        The options.
    by_values
        Whether the number of a column's values is a parameter too, where draws hang together.

    Raises
    ------
    ParameterError
        If neither or both tell them.
    DataError
        If the manifest cannot be read, or is of a release by another mechanism than SPLU-Gen.
    """
    law = GroupDraws.parse(draws)
    if manifest is None:
        if gamma is None:
            raise ParameterError("say --gamma, or give the release's --manifest")
        return [Promised(gamma=gamma, retention=retention, draws=law)]
    if gamma is not None or retention is not None or law.bound is not None:
        raise ParameterError("--manifest tells gamma, retention and draws: leave out the options that do")
    from splu_ref.mechanisms import read_manifest, splu_gen_of  # noqa: PLC0415 - a number needs no tables

    facts = read_manifest(manifest)
    with about(manifest):
        mechanism = splu_gen_of(facts)
    found: dict[Promised, list[str]] = {}
    for column, domain in facts.domains.items():
        each = mechanism.for_column(column)
        plain = each.retention == Fraction(1, each.gamma)
        case = Promised(
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


def require_one(cases: Sequence[Promised], certificate: Path | None) -> None:
    """Raise if one certificate would have to be of several laws."""
    if certificate is not None and len(cases) > 1:
        named = " and ".join(", ".join(case.columns) for case in cases)
        raise ParameterError(
            f"a certificate is of one gamma and p, and those of {named} differ: give --gamma in place of "
            "--manifest"
        )


def show_promises(
    answers: Sequence[Answer],
    *,
    as_json: bool,
    file: Path | None = None,
    force: bool = False,
    **more: object,
) -> None:
    """Print one answer as it is, or those of a manifest column by column, with what holds for all."""
    if not answers[0].by.columns:
        [alone] = answers
        show(alone.result, alone.lines, as_json=as_json, file=file, force=force)
        return
    lines: list[tuple[str, str]] = []
    for answer in answers:
        lines += [("of", ", ".join(answer.by.columns)), *answer.lines]
    columns = [
        {"column": column, "promise": answer.result} for answer in answers for column in answer.by.columns
    ]
    show({"columns": columns, **more}, lines, as_json=as_json, file=file, force=force)
