"""The reference as a program of the conformance protocol: ``python -m splu_ref.conformance``."""

from __future__ import annotations

import sys

from splu_ref.conformance.reference import answer_line


def main() -> None:
    """Answer standard input line by line, to its end."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer_line(line))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
