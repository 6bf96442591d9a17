"""Code, messages and documents use the terms of the field: see "Language" in CONTRIBUTING.md.

``python -m tests.test_language PATH ...`` lists what these files or folders say otherwise.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PHRASES = {
    r"told|tells?|telling": "reported, recorded, states, public parameters",
    r"(?:held|holds?|holding) (?:to|against)": "tested against, checked",
    r"noticed?|notices": "detected, detection power, detectable",
    r"would (?:not )?have found|found with probability": "would have detected, detected with probability",
    r"asked|what is asked": "request, options, query",
    r"h[au]ngs? together|hanging together": "dependent draws",
    r"whatever is made of": "any estimator (minimax)",
    r"right on average|on average right": "unbiased",
    r"bent|bends?": "constrained",
    r"strangers?": "independent party",
    r"the door": "public API",
    r"own (?:values?|rates?)": "true value; retention probability",
    r"as (?:it was|they were)(?! (?:written|published|read))": "unchanged",
    r"keeps? (?:its|their|his|the) (?:own|value)|kept (?:its|their) (?:own|value)": "retains its value",
    r"(?:gives?|given|gave) (?:\w+ )?away": "discloses",
    r"open groups?": "homogeneous groups at risk",
    r"spare|stray": "deletable rows; unexpected",
    r"borders?(?![-:\w])": "boundary",
    r"not shown": "inconclusive",
    r"what .{1,40} comes? to": "the result of",
}
"""What neither messages nor documents say, each with what they say instead."""
NAMES = {
    "told", "tell", "tells", "held", "noticed", "asked", "bent", "bend", "stray", "spare", "stranger",
    "border",
}  # fmt: skip
"""Words that stand in no name."""
CLASSES = {
    "Afresh", "Answering", "Asked", "Bent", "Claimed", "Counted", "Found", "Given", "Held", "Kept",
    "Known", "Learned", "Made", "Noticed", "Placed", "Promised", "Saved", "Shown", "Shrunk", "Silent",
    "Told", "Together", "Walk", "Whole", "Worth",
}  # fmt: skip
"""Names of classes that do not say what the object is."""
FORBIDDEN = re.compile(rf"(?<![-\w`])(?:{'|'.join(PHRASES)})(?![\w=(])", re.IGNORECASE)
FIXED_TEXTS = (
    "the share of the records that are published with their own value",
    '"given away"',
    "given away, s,",
    '"noticed"',
)
"""Texts that cannot change: a part of certificates, whose bytes are fixed; the name of a generated table,
which seeds its draws; and a JSON key of ``splu-ref attack``, an interface."""
CHECKED = (
    "splu_ref",
    "proofs",
    "experiments",
    "property_tests",
    "tests",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
)
NOT_PROSE = {"test_language.py"}
LEFT_OUT = {"foreign", "_build", "reference", "data", "__pycache__", "spec"}


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the prose of a file with its line: of a Python file its strings, docstrings and comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, re.sub(r"`[^`]*`", "`", line)
        return
    if not FORBIDDEN.search(re.sub(r"`[^`\n]*`", "`", text)):  # then no token has a match
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.STRING, tokenize.COMMENT} or token.type == getattr(
            tokenize, "FSTRING_MIDDLE", -1
        ):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, re.sub(r"`[^`]*`", "`", line)


def _words(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every name that a file defines: modules aside, functions, classes, fields and parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def private_terms(path: Path) -> list[str]:
    """Return what a file says in other terms than those of the field, a line each."""
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    said = [
        f"{where}:{line}: {match[0]!r} in {text.strip()[:100]!r}"
        for line, text in _texts(path)
        for match in FORBIDDEN.finditer(text)
        if not any(fixed in text for fixed in FIXED_TEXTS)
    ]
    if path.suffix != ".py":
        return said
    names = [(0, path.stem), *_names(ast.parse(path.read_text(encoding="utf-8")))]
    for line, name in sorted(set(names)):
        if NAMES & set(_words(name)) or name.strip("_") in CLASSES or name == "own_value":
            said.append(f"{where}:{line}: the name {name}")
    return said


def files_of(place: Path) -> list[Path]:
    """Return the files of a folder, or the file itself, that hold code or prose."""
    if place.is_file():
        return [place]
    found = [
        path for path in place.rglob("*") if path.suffix in {".py", ".md"} and path.name not in NOT_PROSE
    ]
    return sorted(path for path in found if not LEFT_OUT & set(path.relative_to(place).parts))


ALL = [path for top in CHECKED for path in files_of(ROOT / top)]


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_terms_are_those_of_the_field(path: Path) -> None:
    assert not private_terms(path)


@pytest.mark.parametrize(
    "line",
    [
        '"""What the release is told."""',
        'message = f"{name} is held against the law"',
        "# a stray row",
        "class Found: ...",
        "def f(told: int) -> None: ...",
        "asked = 1",
    ],
)
def test_private_terms_are_detected(line: str, tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text(line + "\n", encoding="utf-8")
    assert private_terms(tmp_path / "some.py")


if __name__ == "__main__":
    listed = [
        term
        for name in sys.argv[1:]
        for path in files_of(Path(name).resolve())
        for term in private_terms(path)
    ]
    sys.stdout.write("\n".join([*listed, f"{len(listed)} places", ""]))
