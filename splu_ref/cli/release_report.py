"""The report on a release, as JSON and as lines of text, for tables in memory and streams."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol, TypeVar

from splu_ref.audit import (
    EXACT,
    Assessment,
    Leaks,
    Remedy,
    against,
    amplification_of,
    crossed_parts,
    mechanism_statement,
    parts_sentence,
    parts_shown,
    public_statement,
    unbounded,
)
from splu_ref.channels import INDEPENDENT, GroupDraws, PublishedCount, natural_logarithm
from splu_ref.cli.assessment import KEY, RELEASES, assessment_json, leaks_json, trade_off, unique_records
from splu_ref.cli.mechanism_options import NamedMechanism
from splu_ref.cli.options import by_column, gammas_of, is_plain, parameter_text, retentions_of
from splu_ref.cli.output import show
from splu_ref.data import Recoding
from splu_ref.guarantees import decimal_up
from splu_ref.mechanisms import (
    AlphaBeta,
    JoinedRelease,
    SpluGen,
    SpluGens,
)

T = TypeVar("T")

PUBLISHER_ONLY = ("max_gamma", "worth", "leaks", "together")
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
    """A report on a release, from which JSON and text are printed."""

    def __init__(
        self,
        mechanism: NamedMechanism,
        release: PublishedRelease,
        output: Path,
        rows: int,
        *,
        second: Path | None = None,
        observed: bool = False,
    ) -> None:
        self.parts = crossed_parts(release.recoded)
        self.result: dict[str, object] = {
            "mechanism": mechanism.name,
            "rows_in": release.rows_in,
            "rows_out": rows,
            "suppressed": release.suppressed,
            "sensitive": _alone(release.domains),
            "domain_size": _alone(map(len, release.domains.values())),
            "values_without_rows": _alone(release.values_without_rows.values()),
            "randomness": release.randomness,
            "recoded": [step.facts() for step in release.recoded],
        }
        published = f"{rows} rows, {release.suppressed} "
        published += "repeated rows dropped" if isinstance(mechanism, AlphaBeta) else "suppressed"
        if isinstance(release, JoinedRelease):
            self.result["batch_rows"] = release.batch.row_count
            published = f"{release.batch.row_count} of {published}"
        self.whose = "in this batch: " if isinstance(release, JoinedRelease) else ""
        self.ratio: Fraction | None = None
        self.details = [("randomness", release.randomness)]
        self.lines = [("published", f"{output} ({published})")]
        if second is not None:
            self.lines.append(("sensitive table", f"{second}, the values of each group"))
        if isinstance(mechanism, SpluGens):
            self._add_groups(mechanism, release)
        else:
            self._add_parameters(mechanism, release, observed=observed)
        if isinstance(mechanism, SpluGens) and mechanism.draws.bound is not None:
            law = str(mechanism.draws)
            self.add("draws", law, f"{law}: {_trade_off(mechanism)}")

    def _add_groups(self, mechanism: SpluGens, release: PublishedRelease) -> None:
        """Add the parameters of SPLU-Gen."""
        most = release.max_gamma
        gammas, retentions = gammas_of(mechanism), retentions_of(mechanism)
        plan = mechanism.for_column(next(iter(release.domains))).plan
        self.result |= {
            "gamma": gammas,
            "retention": retentions,
            "plan": plan,
            "max_gamma": dict(most) if isinstance(most, Mapping) else most,
        }
        if isinstance(most, Mapping) and isinstance(gammas, Mapping):
            most = {column: most[column] for column in gammas}
        allowed = "" if most is None else parameter_text(most)
        self.lines += [
            ("sensitive", ", ".join(release.domains)),
            ("gamma", f"{parameter_text(gammas)} (this table allows up to {allowed})"),
        ]
        self.details += [("retention", f"p = {parameter_text(retentions)}"), ("plan", plan)]

    def _add_parameters(
        self, mechanism: NamedMechanism, release: PublishedRelease, *, observed: bool
    ) -> None:
        """Add the parameters of another mechanism, and the privacy of a record or tuple."""
        # Another value of one record could change a domain taken from the table: no ratio bounds that.
        self.ratio = ratio = None if observed else amplification_of(mechanism)
        epsilon = None if ratio is None else decimal_up(natural_logarithm(ratio))
        facts = mechanism.facts()
        self.result |= {
            "parameters": dict(facts),
            "amplification": None if ratio is None else str(ratio),
            "epsilon": epsilon,
        }
        short = [f"{name} {value}" for name, value in facts.items() if name not in _LONG]
        sensitive = (f"{name} ({len(domain)} values)" for name, domain in release.domains.items())
        subject = "one tuple more or less" if isinstance(mechanism, AlphaBeta) else "local privacy"
        local = ": ".join(unbounded(mechanism))
        if ratio is not None:
            whose = ("tuple" if isinstance(mechanism, AlphaBeta) else "record") + against(mechanism)
            local = f"{_short(ratio)} for a {whose}"
        self.lines += [
            ("mechanism", ", ".join([mechanism.name, *short])),
            ("sensitive", ", ".join(sensitive)),
            (subject, local),
        ]
        self._add_promises(mechanism, release)

    def _add_promises(self, mechanism: NamedMechanism, release: PublishedRelease) -> None:
        """Add what another mechanism promises, alone and of several columns together."""
        quoted = mechanism_statement(mechanism, release.domains, self.ratio)
        self.result["statement"] = quoted
        self.lines += [("to quote", quoted), ("protected", EXACT if EXACT in quoted else UNCOMPUTED)]
        if len(release.domains) > 1:
            known = "epsilon is that of all sensitive columns together"
            unknown = "what the sensitive columns disclose together is not computed for this mechanism"
            self.lines.append(("together", unknown if self.ratio is None else known))

    def add_repetition(self, warning: str | None) -> None:
        """Add a warning of further releases of the table; by default what epsilon says of them."""
        if warning is None and self.ratio is not None:
            several = decimal_up(natural_logarithm(self.ratio**RELEASES), 4)
            warning = (
                "the epsilon of releases with fresh draws adds up (that of "
                f"{RELEASES} releases: {several}): {KEY}"
            )
        self.lines.append(("repeated", warning or f"{REPEATED}: {KEY}"))

    def add(self, name: str, value: object, description: str) -> None:
        """Add a value to the JSON object and its description to the text."""
        self.result[name] = value
        self.lines.append((name, description))

    def add_risks(self, found: Sequence[Leaks], rows: int) -> None:
        """Add the disclosure risks by other columns, for each sensitive column."""
        self.result["leaks"] = [leaks_json(each) for each in found]
        self.lines.append(("unique", self.whose + unique_records(found[0], rows)))

    def add_assessment(self, assessments: Mapping[str, Assessment], remedy: Remedy = "options") -> None:
        """Add privacy and accuracy by column, and what to do if they are poor."""
        shown = {}
        for column, parts in self.parts.items() if self.result.get("plan") == "mixed" else ():
            if column in assessments:
                shown[column] = parts_shown(assessments[column].law, assessments[column].values, parts)
        self.result["worth"] = [
            {"column": column, **assessment_json(each, shown.get(column))}
            for column, each in assessments.items()
        ]
        self.lines += [("parts", f"{column}: {parts_sentence(each)}") for column, each in shown.items()]
        quoted = public_statement(assessments, self.parts) if assessments else None
        self.result["statement"] = quoted
        self.lines += [] if quoted is None else [("to quote", quoted)]
        for column, each in assessments.items():
            of = self.whose + (f"{column}: " if len(assessments) > 1 else "")
            for found, lines in (
                (each.sentences(remedy), self.lines),
                (each.typical_errors(), self.details),
            ):
                lines += [(label, of + text if label else text) for label, text in found]

    def add_together(self, found: Sequence[object], lines: Iterable[tuple[str, str]]) -> None:
        """Add what several sensitive columns disclose together."""
        if found:
            self.result["together"] = found
            self.lines += lines

    def show(self, *, as_json: bool) -> None:
        """Print the report: what to do and to say first, then figures, of which a screen may cut the last."""
        following = "publish gamma and p; keep the counts, max_gamma and the original secret"
        if secret := [name for name in PUBLISHER_ONLY if name in self.result]:
            self.result["publisher_only"] = secret
        entries: list[list[tuple[str, str]]] = []
        for line in [*self.lines, *([("next", following)] if "worth" in self.result else [])]:
            if line[0]:
                entries.append([])
            entries[-1].append(line)
        entries.sort(key=lambda entry: _RANKS.get(entry[0][0], 0))
        show(self.result, [*(line for entry in entries for line in entry), *self.details], as_json=as_json)


def draws_of(mechanism: NamedMechanism) -> GroupDraws:
    """Return the law of draws of SPLU-Gen; of another mechanism that records are independent."""
    return mechanism.draws if isinstance(mechanism, SpluGens) else INDEPENDENT


def record_laws(mechanism: NamedMechanism, columns: Sequence[str]) -> dict[str, PublishedCount]:
    """Return gamma and p by column; of SPLU-Gen alone."""
    if not isinstance(mechanism, SpluGens):
        return {}
    return {column: each.record_law for column, each in by_column(mechanism, columns).items()}


UNCOMPUTED = "T_P and T_f are not computed for this mechanism; estimate gives each count an interval"
REPEATED = "releases with fresh draws disclose more together, how much is not computed for this mechanism"
_ORDER = (
    ("caution",), ("repeated",), ("protected",), ("not checked",), ("to quote",), ("draws", "streamed"),
    ("parts",), ("unique",), ("next",), ("accurate",), ("together",),
)  # fmt: skip
_RANKS = {label: rank for rank, labels in enumerate(_ORDER, 1) for label in labels}
"""Ranks of labels: what must not be cut is first, after what was published; long entries are last."""
_LONG = ("domains", "laws", "matrix", "parts", "quasi")
"""Parameters that are too long for the text output."""


def _alone(values: Iterable[T]) -> T | list[T]:
    """Return the value of the only sensitive column, or those of several."""
    each = list(values)
    return each[0] if len(each) == 1 else each


def unpublished_values(
    release: PublishedRelease, manifest: Path | None, declared: Container[str], remedy: str = "with --domain"
) -> list[str]:
    """Return warnings of values in the manifest that no published row has."""
    counts = {} if manifest is None else release.values_without_rows
    return [
        f"the manifest lists {number} value{'' if number == 1 else 's'} of {column!r} that no published row "
        f"has, and so discloses that the original has {'it' if number == 1 else 'them'}: declare all "
        f"possible values {remedy}"
        for column, number in counts.items()
        if number and column not in declared
    ]


def retention_notes(mechanism: NamedMechanism, manifest: Path | None) -> Iterator[str]:
    """Yield notes if SPLU-Gen has a retention probability below 1/gamma, or one that no manifest states."""
    if not isinstance(mechanism, SpluGens) or is_plain(mechanism):
        return
    one = mechanism if isinstance(mechanism, SpluGen) else mechanism.columns[0][1]
    if one.retention * one.gamma < 1:
        yield (
            "retention is below 1/gamma: each other value of a group is published more often than the true "
            "one, and T_P is lower than at 1/gamma"
        )
    if manifest is None:
        yield (
            f"retention is not 1/gamma: give --retention {one.retention} to estimate, privacy and utility as "
            "well"
        )


def _trade_off(mechanism: SpluGens) -> str:
    """Return benefit and cost of dependent draws, by column if gammas differ."""
    if isinstance(mechanism, SpluGen):
        return trade_off(mechanism.draws, mechanism.gamma)
    by_gamma = {column: trade_off(mechanism.draws, each.gamma) for column, each in mechanism.columns}
    if len(set(by_gamma.values())) == 1:
        return next(iter(by_gamma.values()))
    return "; ".join(f"{column}: {sentence}" for column, sentence in by_gamma.items())


def _short(ratio: Fraction) -> str:
    """Return epsilon and its exponential for a line of text; JSON has the exact ratio."""
    epsilon = decimal_up(natural_logarithm(ratio), 4)
    return f"epsilon <= {epsilon} (e^epsilon <= {decimal_up(ratio, 4)}, both rounded up)"
