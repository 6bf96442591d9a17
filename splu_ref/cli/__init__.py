"""The command line: parse, call one function, print."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code.

    Parameters
    ----------
    arguments
        The words after the program's name; those of the process unless given.
    """
    try:
        from splu_ref.cli.app import run  # noqa: PLC0415 - an interrupt while modules load is no traceback either

        return run(arguments)
    except KeyboardInterrupt:
        return 130


__all__ = ["main"]
