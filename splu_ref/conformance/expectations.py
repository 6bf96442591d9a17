"""The list of expected failures: one id a line, and the reason."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from splu_ref.channels import InputError
from splu_ref.data import open_regular

_LONGEST_FILE = 1 << 20


def read_expected_failures(path: Path, known: Collection[str]) -> dict[str, str]:
    """Return the reasons by id of a file of expected failures.

    Parameters
    ----------
    path
        A text file. A line is an id, blanks, and a reason; empty lines and lines that begin with ``#`` are
        ignored.
    known
        Ids that exist: another one is a misspelling or belongs to a vector that is gone.

    Raises
    ------
    InputError
        If the file cannot be read, or a line has no reason, an unknown id, or an id of an earlier line.
    """
    try:
        with open_regular(path) as file:
            data = file.read(_LONGEST_FILE + 1)
        text = data.decode()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}: check the path and its rights") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8: write one id and its reason a line") from None
    if len(data) > _LONGEST_FILE:
        raise InputError(f"{path} is longer than {_LONGEST_FILE} bytes: list fewer expected failures")
    reasons: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split(maxsplit=1)
        if not words or words[0].startswith("#"):
            continue
        if len(words) == 1:
            raise InputError(f"{path}, line {number}: {words[0]} has no reason: write it after the id")
        if words[0] not in known:
            vector, _, part = words[0].rpartition("/")
            remedy = f"give {vector}" if vector in known and part.isdigit() else "correct or remove it"
            raise InputError(f"{path}, line {number}: no vector has the id {words[0]}: {remedy}")
        if words[0] in reasons:
            raise InputError(f"{path}, line {number}: {words[0]} is listed twice: remove one line")
        reasons[words[0]] = words[1]
    return reasons
