"""Options shared by commands that publish: gamma, retention, randomness, and gamma by column."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.channels import Gamma, ParameterError
from splu_ref.data import OTHER, same_file
from splu_ref.mechanisms import SpluGen, SpluGenByColumn, SpluGens
from splu_ref.randomness import Key, KeyedSource, Randomness, SeededSource, SystemSource

KeyFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--key-file", help="Secret key (splu-ref key): the same table always gives the same release."
    ),
]
IdColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id", help="Column that identifies a record, for --key-file; add --drop with it not to publish it."
    ),
]
Seed: TypeAlias = Annotated[
    int | None, typer.Option("--seed", help="For tests only: repeatable, not secret.")
]
Missing: TypeAlias = Annotated[
    str | None, typer.Option("--missing", help="Publish missing sensitive cells as this value.")
]
Stream: TypeAlias = Annotated[
    bool,
    typer.Option("--stream", help="For a table larger than memory: uses temporary files beside the output."),
]

BinsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--bins", help="COL=WIDTH: numbers in bins of a width, dates by year, quarter or month."),
]
CrossOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--cross", help="NEW=A,B: one column of the pairs of values of others, which it replaces."),
]
GroupRare: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--group-rare", help=f"COL=N: values of fewer than N records become {OTHER!r}."),
]
DropColumn: TypeAlias = Annotated[
    list[str] | None, typer.Option("--drop", help="Column that is not published; repeat for several.")
]
QuasiColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--quasi", help="Quasi-identifier: published though its values may be unique."),
]
KeepColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Column to publish in spite of its disclosure risk."),
]
ManifestFile: TypeAlias = Annotated[
    Path | None, typer.Option("--manifest", help="Write the public parameters of the release here (JSON).")
]
SensitiveTable: TypeAlias = Annotated[
    Path | None,
    typer.Option("--sensitive-table", help="anatomy: the second table, the values of each group."),
]


def splu_gen(
    gamma: str, retention: str | None, plan: str, columns: Sequence[str], draws: str = "independent"
) -> SpluGens:
    """Return the mechanism of the options ``--gamma``, ``--retention``, ``--plan`` and ``--draws``."""
    sizes = _by_column(gamma, columns)
    if len(set(sizes.values())) == 1:
        return SpluGen(next(iter(sizes.values())), retention, plan, draws)
    return SpluGenByColumn({name: SpluGen(size, retention, plan, draws) for name, size in sizes.items()})


def _by_column(gamma: str, columns: Sequence[str]) -> dict[str, Gamma]:
    if "=" not in gamma:
        return dict.fromkeys(columns, Gamma(gamma))
    # The columns are looked for, the longest first: a name may hold a comma or an equals sign itself.
    named = "|".join(map(re.escape, sorted(columns, key=len, reverse=True)))
    parts = list(re.finditer(rf"(?:^|,)({named})=([^,]*)", gamma))
    sizes = {part[1]: part[2] for part in parts}
    matched = "".join(part[0] for part in parts) == gamma
    if not matched or len(sizes) < len(parts) or set(sizes) != set(columns):
        raise ParameterError(
            f"--gamma {gamma}: name each sensitive column once ({', '.join(columns)}), such as "
            f"{','.join(f'{column}=5' for column in columns)}, or give one number for all"
        )
    return {column: Gamma(sizes[column]) for column in columns}


def by_column(mechanism: SpluGens, columns: Sequence[str]) -> Mapping[str, SpluGen]:
    """Return the mechanism of each sensitive column."""
    return {column: mechanism.for_column(column) for column in columns}


def gammas_of(mechanism: SpluGens) -> int | dict[str, int]:
    """Return gamma, by column if columns differ."""
    if isinstance(mechanism, SpluGen):
        return int(mechanism.gamma)
    return {column: int(each.gamma) for column, each in mechanism.columns}


def retentions_of(mechanism: SpluGens) -> str | dict[str, str]:
    """Return the retention probability, by column if columns differ."""
    if isinstance(mechanism, SpluGen):
        return str(mechanism.retention)
    return {column: str(each.retention) for column, each in mechanism.columns}


def publish_options(mechanism: SpluGens) -> str:
    """Return the options of `publish` for a mechanism; of several columns those that all have in common."""
    options: dict[str, object] = {"gamma": parameter_text(gammas_of(mechanism))}
    for name, value in mechanism.facts().items():
        each = set(value.values()) if isinstance(value, Mapping) else {value}
        if name != "gamma" and len(each) == 1:
            options[name] = each.pop()
    return " ".join(f"--{name} {shlex.quote(str(value))}" for name, value in options.items())


def parameter_text(value: int | str | Mapping[str, int] | Mapping[str, str]) -> str:
    """Return the text of a parameter: ``5``, or by column ``job=5,age=10``."""
    return (
        ",".join(f"{name}={each}" for name, each in value.items())
        if isinstance(value, Mapping)
        else str(value)
    )


def is_plain(mechanism: SpluGens) -> bool:
    """Return whether every column has the retention probability 1/gamma."""
    each = [mechanism] if isinstance(mechanism, SpluGen) else [one for _, one in mechanism.columns]
    return all(one.retention == Fraction(1, one.gamma) for one in each)


def source_of(key_file: Path | None, seed: int | None, id_column: str | None) -> Randomness:
    """Return the source of randomness that the options choose."""
    if key_file is not None and seed is not None:
        raise ParameterError(
            "--key-file and --seed exclude each other: use the key to publish, a seed to test"
        )
    if id_column is not None and key_file is None:
        raise ParameterError("--id identifies records for keyed draws: add --key-file, or leave --id out")
    if key_file is not None:
        return KeyedSource(Key.read(key_file))
    return SystemSource() if seed is None else SeededSource(seed)


def refuse_overlap(written: list[Path], read: list[Path]) -> None:
    """Raise if an output would replace an input or another output, even with --force."""
    for number, path in enumerate(written):
        for other in (*read, *written[:number]):
            if same_file(path, other):
                raise ParameterError(
                    f"{path} and {other} are the same file: give each output a different name"
                )
