"""``--stream`` of ``splu-ref sanitize`` and ``publish``: publish a table that does not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from splu_ref.channels import ParameterError, PublishedCount
from splu_ref.cli.options import is_plain
from splu_ref.cli.output import about, note
from splu_ref.cli.progress import counted
from splu_ref.cli.released import Told, kept_oftener, unpublished_values
from splu_ref.cli.worth import repetition, worth_of
from splu_ref.mechanisms import RecordMechanism, SpluGens, StreamedRelease, publish
from splu_ref.randomness import Key

_STEPS = ("reading", "distributing", "drawing", "writing")


def require_fit(unfit: Mapping[str, object]) -> None:
    """Raise if an option was said that needs the whole table.

    Parameters
    ----------
    unfit
        What was said, by option.

    Raises
    ------
    ParameterError
        The message names the options.
    """
    said = [option for option, value in unfit.items() if value]
    if said:
        needs, them = ("needs", "it") if len(said) == 1 else ("need", "them")
        raise ParameterError(
            f"--stream does not go with {', '.join(said)}, which {needs} the whole table at once: leave "
            f"{them} out, or go without --stream"
        )


def streamed(
    table: Path,
    output: Path,
    sensitive: Sequence[str],
    mechanism: RecordMechanism,
    key_file: Path | None,
    *,
    id_column: str | None,
    missing: str | None,
    manifest: Path | None,
    force: bool,
) -> StreamedRelease:
    """Write a release that is made on files; see `splu_ref.mechanisms.streaming.publish`."""
    with counted("publishing") as progress, about(table):

        def tell(step: str, done: int, whole: int) -> None:
            progress(_STEPS.index(step) * max(whole, done) + done, len(_STEPS) * max(whole, done))

        return publish(
            table, output, sensitive, mechanism, None if key_file is None else Key.read(key_file),
            id_column=id_column, missing=missing, manifest=manifest, force=force, progress=tell,
        )  # fmt: skip


def told_of(release: StreamedRelease) -> tuple[dict[str, object], str]:
    """Return what is told of the way in which a release was made: to programs, and in words."""
    seconds = {step: round(seconds, 3) for step, seconds in release.seconds.items()}
    words = f"{release.disk >> 20} MiB of temporary files, which are gone"
    return {"seconds": seconds, "temporary_bytes": release.disk}, words


def show(
    release: StreamedRelease,
    mechanism: SpluGens,
    output: Path,
    laws: Mapping[str, PublishedCount],
    epsilon: Fraction,
    *,
    manifest: Path | None,
    as_json: bool,
) -> None:
    """Print what was published by SPLU-Gen; ``laws`` and ``epsilon`` are those of what it is worth."""
    for remark in unpublished_values(release, manifest, (), "with --domain, without --stream"):
        note(remark)
    told = Told(mechanism, release, output, release.manifest.rows)
    told.add("streamed", *told_of(release))
    unsought = "columns that give a sensitive one away: splu-ref advise --stream does that"
    told.lines.append(("not sought", unsought))
    told.judged(worth_of(release.original, laws, epsilon), None, recoding=False)
    closing = []
    if release.randomness != "keyed":
        closing.append(("repeated", repetition(laws.values(), epsilon, "use one key (--key-file)")))
    if not is_plain(mechanism):
        note(kept_oftener(mechanism.for_column(next(iter(release.domains)))))
    told.show(closing, as_json=as_json)
