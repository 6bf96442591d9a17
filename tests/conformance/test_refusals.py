"""The messages with which the reference refuses the requests of invalid vectors.

``refused.txt`` lists the messages, with ``#`` for numbers, each followed by its number of operations. It is
the output of ``python -m tests.conformance.test_refusals``; every change of a message is reviewed there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from splu_ref.conformance import answer, vector_files

RECORDED = Path(__file__).with_name("refused.txt")


def refusals() -> list[str]:
    """Return each message with its number of operations, sorted."""
    operations_of: dict[str, set[str]] = {}
    for file in vector_files():
        for vector in file.vectors:
            if vector.error is not None and vector.input is not None:
                error = answer({"op": file.operation, **file.parameters, **vector.input})["error"]
                assert isinstance(error, dict)
                # The message of the gzip library differs between versions.
                sentence = re.sub(r"gzip file \(.*\)", "gzip file (…)", str(error["message"]))
                sentence = re.sub("[0-9]+", "#", sentence)
                operations_of.setdefault(sentence, set()).add(file.operation)
    return sorted(f"{sentence} [{len(operations)}]" for sentence, operations in operations_of.items())


def test_a_request_is_refused_in_words() -> None:
    assert refusals() == RECORDED.read_text("utf-8").splitlines()


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in refusals())
