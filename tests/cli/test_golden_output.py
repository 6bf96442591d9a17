"""The output of commands equals the recorded output, one call for each command and mechanism.

``output.txt`` contains commands with their lines in order, with single blanks; ``!`` marks standard error,
and ``…`` the rest of a line. ``refused.txt`` contains the errors for invalid values of options.
`tests.cli.golden_output` writes these files. The JSON of the same commands is compared with their schemas.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import golden_output

Output = tuple[dict[str, list[str]], list[str]]


def run_all(folder: Path) -> Output:
    """Run the commands, in the order in which they need each other's files; return lines and errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "1000")
        golden_output.make_inputs(Path())
        lines: dict[str, list[str]] = {}
        for words in golden_output.expected_lines():
            lines[words] = golden_output.run(words)
            if not words.startswith(golden_output.SLOW) and "--batch" not in words:
                golden_output.run_json(words)
        refused = [
            f"{each}: {golden_output.run_spoiled(words)}" for each, words in golden_output.spoiled().items()
        ]
        return lines, refused


def differing(expected: dict[str, list[str]], lines: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the output of the commands whose output is not the expected one."""
    found = {words: golden_output.abbreviated(each, lines[words]) for words, each in expected.items()}
    return {words: each for words, each in found.items() if each != expected[words]}


def test_output_and_errors_equal_the_recorded_ones(tmp_path: Path) -> None:
    """One test, since later commands read the files of earlier ones."""
    lines, refused = run_all(tmp_path)
    assert not differing(golden_output.expected_lines(), lines)
    assert refused == golden_output.REFUSALS.read_text("utf-8").splitlines()


def test_another_name_number_or_order_is_detected() -> None:
    expected = {"a": ["x 1", "y…"]}
    assert not differing(expected, {"a": ["x 1", "y 2"]})
    for wrong in (["x 2", "y 2"], ["y 2", "x 1"], ["x 1"], ["x 1", "y 2", "z"], ["x 1", "y 2", "exit 1"]):
        assert differing(expected, {"a": wrong})
