"""Sums and answers of ``python -m experiments query-interface``: what follows from many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from experiments.query_interfaces import (
    Class,
    SumAudit,
    audit_sums,
    distinguishable,
    exact_answers,
    known_bits,
    noisy_answers,
    published_answers,
    reconstruct,
)
from splu_ref.audit.attacks.outcome import Shares
from splu_ref.channels.parameters import ParameterError, integer
from splu_ref.cli.output import about, show
from splu_ref.cli.queries import some_queries
from splu_ref.data import Microdata
from splu_ref.data.cell_values import text
from splu_ref.estimators import Query
from splu_ref.estimators.queries.condition_text import read_conditions
from splu_ref.estimators.queries.counting import Columns, records_of
from splu_ref.mechanisms import Budget, LaplaceCounts, RecordMechanism, read_manifest
from splu_ref.mechanisms.manifest import Manifest
from splu_ref.randomness import SeededSource, SystemSource

SHOWN = 10
"""Records that are listed for a reader; a program gets all."""
_RECONSTRUCTED = (
    "measured on this table, not predicted; majority is the share that is right without any answer, by the "
    "more frequent bit; other ways to fit may do better"
)


def query_of(columns: Columns, where: Sequence[str]) -> Query:
    """Return a query as it is written on the command line, for a table."""
    return Query(read_conditions(where, lambda column: columns[column].domain))


def show_sums(columns: Columns, queries: Path | None, value: str | None, *, as_json: bool) -> int:
    """Show whose number follows from answered sums; return the exit code."""
    if queries is None:
        raise ParameterError("say which sums were answered: --queries FILE")
    with about(queries):
        answered = [query for _, query in some_queries(queries)]
        sets = [records_of(columns, query.conditions) for query in answered]
    found = audit_sums(sets)
    result: dict[str, object] = {
        "defense": "sums",
        "records": columns.rows,
        "queries": found.queries,
        "rank": found.rank,
        "classes": found.classes,
        "exposed": [_as_json(one) for one in found.exposed],
        "sums": [_as_json(one) for one in found.sums],
        "bits": None,
    }
    lines = _sum_lines(found, columns.rows)
    exposed = len(found.exposed)
    if value is not None:
        query = query_of(columns, [value])
        holds = records_of(columns, query.conditions)
        bits = known_bits(sets, [int(np.count_nonzero(holds & one)) for one in sets])
        result["bits"] = {
            "value": str(query),
            "exposed": [{"row": row + 1, "has": has} for row, has in bits.exposed.items()],
        }
        having = sum(bits.exposed.values())
        verdict = f"{having} have it and {len(bits.exposed) - having} do not, and this follows"
        lines.append((str(query), verdict if bits.exposed else "of no record does it follow"))
        exposed += len(bits.exposed)
    show(result, lines, as_json=as_json)
    return 1 if exposed else 0


def _as_json(one: Class) -> dict[str, object]:
    return {
        "rows": [row + 1 for row in one.rows],
        "weights": {str(query + 1): str(weight) for query, weight in one.weights.items()},
        "since": one.since + 1,
    }


def _sum_lines(found: SumAudit, records: int) -> list[tuple[str, str]]:
    lines = [
        ("answered", f"{found.queries} sums, {found.rank} of which do not follow from others"),
        ("distinguished", f"{found.classes} classes of records, of {records} records"),
        ("exposed", f"{_records(len(found.exposed))}, whatever the numbers are"),
        *((f"row {one.rows[0] + 1}", _combination(one)) for one in found.exposed[:SHOWN]),
    ]
    if len(found.exposed) > SHOWN:
        lines.append(("", f"and {len(found.exposed) - SHOWN} more: --json lists all"))
    if found.sums:
        fewest = min(len(one.rows) for one in found.sums)
        lines.append(
            (
                "sums of several",
                f"of {len(found.sums)} classes, the smallest of {fewest} records, they follow",
            )
        )
    return lines


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number} records"


def _combination(one: Class) -> str:
    text = ""
    for query, weight in one.weights.items():
        size = abs(weight)
        factor = "" if size == 1 else f"{size} × "
        sign = "-" if weight < 0 else "+" if text else ""
        text += f"{' ' if text else ''}{sign}{' ' if text else ''}{factor}query {query + 1}"
    return f"{text}; since query {one.since + 1}"


class Experiment(NamedTuple):
    """How many records, queries about them and repetitions, and where randomness comes from."""

    victims: int
    queries: int
    runs: int
    draws: SystemSource | SeededSource

    @classmethod
    def of(cls, victims: str | None, queries: str | None, runs: str | None, seed: int | None) -> Self:
        """Return the size of the experiment, with what is usual where nothing is said."""
        return cls(
            64 if victims is None else integer(victims, "--victims", 1),
            256 if queries is None else integer(queries, "--halves", 1),
            21 if runs is None else integer(runs, "--runs", 1),
            SystemSource() if seed is None else SeededSource(seed),
        )


def show_answers(
    table: Microdata,
    value: str | None,
    epsilon: str | None,
    manifest: Path | None,
    size: Experiment,
    progress: Callable[[int, int], None],
    *,
    as_json: bool,
) -> int:
    """Show what of many answers is reconstructed; return the exit code."""
    if value is None:
        raise ParameterError("say what is counted: --value COLUMN=VALUE")
    if epsilon is not None and manifest is not None:
        raise ParameterError("--epsilon is noise on answers, --manifest a published table: give one of them")
    release = None if manifest is None else read_manifest(manifest)
    columns = Columns(table, {})
    query = query_of(columns, [value])
    [(column, _)] = query.conditions
    bits = records_of(columns, query.conditions)
    description = "exact"
    answers = exact_answers(bits)
    if epsilon is not None:
        answers = noisy_answers(bits, LaplaceCounts(Budget.of(epsilon)), size.draws)
        description = f"with Laplace noise, epsilon {epsilon} each: {size.queries} times that in all"
    elif release is not None:
        mechanism = _mechanism(release, column)
        domain = tuple(map(text, mechanism.declared(table).domain(column)))
        mechanism = mechanism.aligned({column: domain})
        own = Columns(table, {column: domain})[column].codes
        codes = np.unique(own[bits])
        if len(codes) != 1:
            raise ParameterError("name one value: --value COLUMN=VALUE")
        answers = published_answers(mechanism, column, own, len(domain), int(codes[0]), size.draws)
        description = f"estimates from one table published by {mechanism.name}, for any number of queries"
    found = reconstruct(
        bits,
        distinguishable(columns, [name for name in table.columns if name != column]),
        answers,
        size.draws,
        victims=size.victims,
        queries=size.queries,
        runs=size.runs,
        progress=progress,
    )
    unique = f"only {found.victims} of {columns.rows} records are unique in the other columns"
    fewer = f"{unique}; {size.victims} were requested" if found.victims < size.victims else ""
    shares = {
        "least_squares": found.least_squares,
        "linear_program": found.linear_program,
        "majority": found.majority,
    }
    result = {
        "defense": "answers",
        "value": str(query),
        "answers": description,
        "victims": found.victims,
        "requested": size.victims,
        "queries": found.queries,
        "runs": found.runs,
        **{name: {
                "median": float(share.median),
                "interval": [float(share.least), float(share.greatest)],
            }
           for name, share in shares.items()},
    }  # fmt: skip
    lines = [
        ("answers", description),
        ("queries", f"{found.queries} random halves of {found.victims} records, in {found.runs} experiments"),
        *([("fewer", fewer)] if fewer else []),
        *((name.replace("_", " "), _share(share)) for name, share in shares.items()),
        ("says", _RECONSTRUCTED),
    ]
    show(result, lines, as_json=as_json)
    return 0


def _mechanism(manifest: Manifest, column: str) -> RecordMechanism:
    if not isinstance(manifest.mechanism, RecordMechanism):
        raise ParameterError(
            f"a release by {manifest.mechanism.name} cannot be reconstructed from here: name another manifest"
        )
    if column not in manifest.domains:
        raise ParameterError(
            f"column {column!r} is not sensitive in the release: choose from {', '.join(manifest.domains)}"
        )
    return manifest.mechanism.for_column(column)


def _share(share: Shares) -> str:
    ends = "too few experiments for an interval"
    if share.interval is not None:
        least, greatest = map(float, share.interval)
        ends = f"95 % interval {least:.3f} to {greatest:.3f}"
    return f"{float(share.median):.3f} of the bits right, the median; {ends}"
