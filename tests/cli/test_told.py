"""What commands tell people and programs: every line, every number, and every key.

``told.txt`` holds commands and their lines in order, with single blanks; ``!`` stands before those of
standard error, and ``…`` for the rest of a line. ``told.json`` holds the JSON of some of these commands.
``refused.txt`` holds what is said when one option has a value that it cannot have, or one that it hardly has.
Whoever changes what is told writes them anew (see `tests.cli.telling`) and reads the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import telling

Told = tuple[dict[str, list[str]], dict[str, object], list[str]]


def run_all(folder: Path) -> Told:
    """Run the commands, in the order in which they need each other's files; their lines and their JSON."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "1000")
        telling.make_inputs(Path())
        lines: dict[str, list[str]] = {}
        documents: dict[str, object] = {}
        asked = telling.expected_documents()
        for words in telling.expected_lines():
            lines[words] = telling.run(words)
            if words in asked:
                documents[words] = telling.run_json(words)
        refused = [f"{each}: {telling.told_of_spoiled(words)}" for each, words in telling.spoiled().items()]
        return lines, documents, refused


def differing(expected: dict[str, list[str]], lines: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the lines told by the commands that tell another thing than is expected."""
    found = {words: telling.held(each, lines[words]) for words, each in expected.items()}
    for words in telling.IN_PART:
        found[words] = telling.in_part(expected[words], found[words])
    return {words: each for words, each in found.items() if each != expected[words]}


def test_people_and_programs_are_told_and_a_value_that_cannot_be_is_refused_by_name(tmp_path: Path) -> None:
    """One test: whoever measures what notices a fault sees that all of it hangs on these commands."""
    lines, documents, refused = run_all(tmp_path)
    expected = telling.expected_documents()
    assert not differing(telling.expected_lines(), lines)
    assert not {words: each for words, each in documents.items() if each != expected[words]}
    assert documents.keys() == expected.keys()
    assert refused == telling.REFUSALS.read_text("utf-8").splitlines()


def test_another_name_number_or_order_is_noticed() -> None:
    expected = {"a": ["x 1", "y…"], "claims": ["first", "second"]}
    assert not differing(expected, {"a": ["x 1", "y 2"], "claims": ["first", "new", "second"]})
    for wrong in (["x 2", "y 2"], ["y 2", "x 1"], ["x 1"], ["x 1", "y 2", "z"], ["x 1", "y 2", "exit 1"]):
        assert differing(expected, {"a": wrong, "claims": ["first", "second"]})
    for wrong in (["second", "first"], ["first"]):
        assert differing(expected, {"a": ["x 1", "y"], "claims": wrong})
