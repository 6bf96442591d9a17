"""The report on a release by SPLU-Gen, as JSON and as lines of text, for tables in memory and streams."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from splu_ref.audit import Assessment
from splu_ref.cli.assessment import assessment_json
from splu_ref.cli.options import gammas_of, parameter_text, retentions_of
from splu_ref.cli.output import show
from splu_ref.data import Recoding
from splu_ref.mechanisms import SpluGen, SpluGens

PUBLISHER_ONLY = ("max_gamma", "worth", "leaks")
"""What of a report must stay secret."""


class PublishedRelease(Protocol):
    """A release, published in memory or as a stream; see `splu_ref.mechanisms.Release`."""

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """By sensitive column its domain."""
        ...

    @property
    def values_without_rows(self) -> Mapping[str, int]:
        """By sensitive column the number of values of its domain that no published row has."""
        ...

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """The recoding steps, in order."""
        ...

    @property
    def rows_in(self) -> int:
        """Records of the original."""
        ...

    @property
    def suppressed(self) -> int:
        """Records that were deleted."""
        ...

    @property
    def max_gamma(self) -> int | Mapping[str, int] | None:
        """The largest feasible gamma, by column if they differ."""
        ...

    @property
    def randomness(self) -> str:
        """Kind of the source of randomness."""
        ...


class ReleaseReport:
    """A report on a release, from which JSON and text are printed.

    Parameters
    ----------
    mechanism, release
        The mechanism and its release.
    output, rows
        The published file and its number of rows.
    batch
        Number of new rows if the release joins an earlier one, else None.

    Attributes
    ----------
    result
        The JSON object.
    lines
        Pairs of a label and a text.
    """

    def __init__(
        self,
        mechanism: SpluGens,
        release: PublishedRelease,
        output: Path,
        rows: int,
        batch: int | None = None,
    ) -> None:
        columns = list(release.domains)
        sizes = [len(domain) for domain in release.domains.values()]
        unshown = list(release.values_without_rows.values())
        self._single = single = len(columns) == 1
        allowed = release.max_gamma
        gammas, retentions = gammas_of(mechanism), retentions_of(mechanism)
        plan = mechanism.for_column(columns[0]).plan
        self.result: dict[str, object] = {
            "rows_in": release.rows_in,
            "rows_out": rows,
            "suppressed": release.suppressed,
            "gamma": gammas,
            "retention": retentions,
            "sensitive": columns[0] if single else columns,
            "plan": plan,
            "domain_size": sizes[0] if single else sizes,
            "values_without_rows": unshown[0] if single else unshown,
            "max_gamma": dict(allowed) if isinstance(allowed, Mapping) else allowed,
            "randomness": release.randomness,
            "recoded": [step.facts() for step in release.recoded],
        }
        published = f"{rows} rows, {release.suppressed} suppressed"
        if batch is not None:
            self.result["batch_rows"] = batch
            published = f"{batch} of {published}"
        most = "" if allowed is None else parameter_text(allowed)
        self.lines = [
            ("published", f"{output} ({published})"),
            ("sensitive", ", ".join(columns)),
            ("gamma", f"{parameter_text(gammas)} (this table allows up to {most})"),
            ("retention", f"p = {parameter_text(retentions)}"),
            ("plan", plan),
            ("randomness", release.randomness),
        ]

    def add(self, name: str, value: object, description: str) -> None:
        """Add a value to the JSON object and its description to the text."""
        self.result[name] = value
        self.lines.append((name, description))

    def add_assessment(
        self, assessments: Mapping[str, Assessment], leaks: object, *, recoding: bool = True
    ) -> None:
        """Add privacy and accuracy by column, and to the JSON the disclosure risks.

        With ``recoding`` the advice may name options that recode columns.
        """
        self.result["worth"] = [
            {"column": column, **assessment_json(each)} for column, each in assessments.items()
        ]
        self.result["leaks"] = leaks
        self.result["publisher_only"] = list(PUBLISHER_ONLY)
        for column, each in assessments.items():
            self.lines += [] if self._single else [("column", column)]
            self.lines += each.sentences(recoding=recoding)

    def add_together(self, found: Sequence[object], lines: Iterable[tuple[str, str]]) -> None:
        """Add what several sensitive columns disclose together."""
        if found:
            self.result["together"] = found
            self.result["publisher_only"] = [*PUBLISHER_ONLY, "together"]
            self.lines += lines

    def show(self, closing: Sequence[tuple[str, str]], *, as_json: bool) -> None:
        """Print the report, with ``closing`` at the end of its text."""
        following = "publish gamma and p; keep the counts above, max_gamma and the original secret"
        show(self.result, [*self.lines, *closing, ("next", following)], as_json=as_json)


def unpublished_values(
    release: PublishedRelease, manifest: Path | None, declared: Container[str], remedy: str = "with --domain"
) -> list[str]:
    """Return warnings of values in the manifest that no published row has.

    Parameters
    ----------
    release, manifest
        The release, and the file of its manifest if there is one.
    declared
        The columns whose domain does not come from the table.
    remedy
        The option that declares the domain.
    """
    counts = {} if manifest is None else release.values_without_rows
    return [
        f"the manifest lists {number} value{'' if number == 1 else 's'} of {column!r} that no published row "
        f"has, and so discloses that the original has {'it' if number == 1 else 'them'}: declare all "
        f"possible values {remedy}"
        for column, number in counts.items()
        if number and column not in declared
    ]


def retention_note(mechanism: SpluGen) -> str:
    """Return the note on a retention probability other than 1/gamma."""
    return (
        f"retention is not 1/gamma: give --retention {mechanism.retention} to estimate, privacy and utility "
        "as well"
    )
