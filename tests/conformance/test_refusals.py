"""What the reference says when it refuses a request: sentences that invalid vectors with fields bring about.

``refused.txt`` holds the sentences, with ``#`` for numbers, before how many operations say them. It is the
output of ``python -m tests.conformance.test_refusals``; whoever changes what is said reads the difference.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from splu_ref.conformance import answer, vector_files

HELD = Path(__file__).with_name("refused.txt")


def refusals() -> list[str]:
    """Return each sentence, sorted, behind the number of operations that say it."""
    said: dict[str, set[str]] = {}
    for file in vector_files():
        for vector in file.vectors:
            if vector.error is not None and vector.input is not None:
                error = answer({"op": file.operation, **file.parameters, **vector.input})["error"]
                assert isinstance(error, dict)
                # What a library calls a damage differs from version to version.
                sentence = re.sub(r"gzip file \(.*\)", "gzip file (…)", str(error["message"]))
                sentence = re.sub("[0-9]+", "#", sentence)
                said.setdefault(sentence, set()).add(file.operation)
    return sorted(f"{sentence} [{len(operations)}]" for sentence, operations in said.items())


def test_a_request_is_refused_in_words() -> None:
    assert refusals() == HELD.read_text("utf-8").splitlines()


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in refusals())
