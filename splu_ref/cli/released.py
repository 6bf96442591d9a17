"""What a publisher reads of a release by SPLU-Gen, whichever way it was made."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from splu_ref.audit import Worth
from splu_ref.cli.options import in_words, retentions_told, sizes_told
from splu_ref.cli.output import show
from splu_ref.cli.worth import worth_json
from splu_ref.data import Recoding
from splu_ref.mechanisms import SpluGen, SpluGens


class Made(Protocol):
    """What is told of a release; see `splu_ref.mechanisms.Release`."""

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """By sensitive column its domain."""
        ...

    @property
    def values_without_rows(self) -> Mapping[str, int]:
        """By sensitive column, how many values of its domain no published row has."""
        ...

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """The columns that were recoded."""
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
        """The largest gamma that the table allows, or by column."""
        ...

    @property
    def randomness(self) -> str:
        """Where the draws came from."""
        ...


class Told:
    """The object for programs and the lines for people, which grow together.

    Parameters
    ----------
    mechanism, release
        What was published, and how.
    output, rows
        Where, and how many rows stand there.
    batch
        Number of the rows that are new; None if all are.

    Attributes
    ----------
    result
        For programs.
    lines
        For people.
    """

    def __init__(
        self, mechanism: SpluGens, release: Made, output: Path, rows: int, batch: int | None = None
    ) -> None:
        columns = list(release.domains)
        sizes = [len(domain) for domain in release.domains.values()]
        unshown = list(release.values_without_rows.values())
        self._single = single = len(columns) == 1
        allowed = release.max_gamma
        gammas, retentions = sizes_told(mechanism), retentions_told(mechanism)
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
        most = "" if allowed is None else in_words(allowed)
        self.lines = [
            ("published", f"{output} ({published})"),
            ("sensitive", ", ".join(columns)),
            ("gamma", f"{in_words(gammas)} (this table allows up to {most})"),
            ("retention", f"p = {in_words(retentions)}"),
            ("plan", plan),
            ("randomness", release.randomness),
        ]

    def add(self, name: str, told: object, words: str) -> None:
        """Tell one thing more, to programs and to people."""
        self.result[name] = told
        self.lines.append((name, words))

    def judged(self, worths: Mapping[str, Worth], leaks: object, *, recoding: bool = True) -> None:
        """Tell what the release is worth, by column, and, to programs, what gives its values away.

        The advice names options that recode columns, or none if they do not go with the others.
        """
        self.result["worth"] = [{"column": column, **worth_json(each)} for column, each in worths.items()]
        self.result["leaks"] = leaks
        self.result["publisher_only"] = ["max_gamma", "worth", "leaks"]
        for column, each in worths.items():
            self.lines += [] if self._single else [("of", column)]
            self.lines += each.sentences(recoding=recoding)

    def show(self, closing: Sequence[tuple[str, str]], *, as_json: bool) -> None:
        """Print the one or the other, with some lines more for people."""
        following = "tell gamma and p; keep the counts above, max_gamma and the original to yourself"
        show(self.result, [*self.lines, *closing, ("next", following)], as_json=as_json)


def unpublished_values(
    release: Made, manifest: Path | None, declared: Container[str], remedy: str = "with --domain"
) -> list[str]:
    """Return warnings of values that a manifest discloses, though no row shows them.

    Parameters
    ----------
    release, manifest
        What was published, and where its manifest stands, None without one.
    declared
        The columns whose domain does not come from the table.
    remedy
        How the domain can be declared.
    """
    counts = {} if manifest is None else release.values_without_rows
    return [
        f"the manifest lists {number} value{'' if number == 1 else 's'} of {column!r} that no published row "
        f"has, and so discloses that the original has {'it' if number == 1 else 'them'}: declare all "
        f"possible values {remedy}"
        for column, number in counts.items()
        if number and column not in declared
    ]


def kept_oftener(mechanism: SpluGen) -> str:
    """Return what must be said to other commands of a retention that is not 1/gamma."""
    return (
        f"retention is not 1/gamma: say --retention {mechanism.retention} to estimate, privacy and utility "
        "as well"
    )
