"""The command line: parse, call one function, print."""

from __future__ import annotations

from splu_ref.cli.app import main

__all__ = ["main"]
