"""``splu-ref sanitize --stream``: publish a table that does not fit into memory."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

from splu_ref.channels import PublishedCount
from splu_ref.cli.gammas import is_plain
from splu_ref.cli.output import about, note
from splu_ref.cli.progress import counted
from splu_ref.cli.released import Told, kept_oftener
from splu_ref.cli.worth import repetition, worth_of
from splu_ref.engines.streaming import StreamedRelease, publish
from splu_ref.mechanisms import SpluGens
from splu_ref.model import ParameterError
from splu_ref.randomness import Key

_STEPS = ("reading", "distributing", "drawing", "writing")
_REQUESTS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]  # Windows has no terminal that hangs up


class Streamed:
    """A release that is made on files, from its options to what is said of it.

    Parameters
    ----------
    mechanism, sensitive, table, output
        What is published, how and where.
    unfit
        By option what was said, of those that need the whole table; nothing may have been.

    Raises
    ------
    ParameterError
        If something was.
    """

    def __init__(
        self,
        mechanism: SpluGens,
        sensitive: tuple[str, ...],
        table: Path,
        output: Path,
        unfit: Mapping[str, object],
    ) -> None:
        said = [option for option, value in unfit.items() if value]
        if said:
            raise ParameterError(
                f"--stream does not go with {', '.join(said)}, which need the whole table at once: leave "
                f"{'it' if len(said) == 1 else 'them'} out, or publish without --stream"
            )
        self._mechanism = mechanism
        self._sensitive = sensitive
        self._table = table
        self._output = output

    def publish(
        self,
        key_file: Path | None,
        id_column: str | None,
        missing: str | None,
        manifest: Path | None,
        *,
        force: bool,
    ) -> None:
        """Write the release; see `splu_ref.engines.streaming.publish` for parameters and errors."""
        with counted("publishing") as progress, about(self._table), _ended_in_order():

            def tell(step: str, done: int, whole: int) -> None:
                progress(_STEPS.index(step) * max(whole, done) + done, len(_STEPS) * max(whole, done))

            self._release: StreamedRelease = publish(
                self._table, self._output, self._sensitive, self._mechanism,
                None if key_file is None else Key.read(key_file),
                id_column=id_column, missing=missing, manifest=manifest, force=force, progress=tell,
            )  # fmt: skip

    def show(self, laws: Mapping[str, PublishedCount], epsilon: Fraction, *, as_json: bool) -> None:
        """Print what was published; ``laws`` and ``epsilon`` are those of what it is worth."""
        release, mechanism = self._release, self._mechanism
        told = Told(mechanism, release, self._output, release.manifest.rows)
        told.add(
            "streamed",
            {
                "seconds": {step: round(seconds, 3) for step, seconds in release.seconds.items()},
                "temporary_bytes": release.disk,
            },
            f"{release.disk >> 20} MiB of temporary files, which are gone",
        )
        unsought = "columns that give a sensitive one away: give splu-ref advise a sample of rows"
        told.lines.append(("not sought", unsought))
        told.judged(worth_of(release.original, laws, epsilon), None)
        closing = []
        if release.randomness != "keyed":
            closing.append(("repeated", repetition(laws.values(), epsilon, "use one key (--key-file)")))
        if not is_plain(mechanism):
            note(kept_oftener(mechanism.for_column(self._sensitive[0])))
        told.show(closing, as_json=as_json)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let a request to end, or the end of the terminal, remove what would be left, as an interrupt does.

    None of them comes through twice: a second one would end the removal.
    """
    heard = [number for number in _REQUESTS if signal.getsignal(number) is not signal.SIG_IGN]

    def end(number: int, _: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)

    before: list[Any] = [signal.signal(number, end) for number in heard]
    try:
        yield
    finally:
        for number, handler in zip(heard, before, strict=True):
            signal.signal(number, handler)
