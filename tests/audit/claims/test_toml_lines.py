from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.audit.claims.document import KeyPath, key_lines

TRICKY = '''\
# [[claim]] in a comment
title = "a # and [[claim]] and x = 1" # x = 2
"quoted key" = 1
'literal # key' = 2
"with \\"escape\\" \\u0041" = 3
a.b . "c.d" = 4
multi = """
[[claim]]
x = 1
a quote " and two "" and an escaped \\""" end"""
ends = """two quotes at the end"""""
literal = \'\'\'
[release]
\'\'\'
after = 5
array = [
  # a comment with ] and "
  "]", 1, [2,
  3], # ]
  { z = "}" },
]
inline = { x = 1, y = "}" }
[release]   # header
gamma = 10
  [ release . "sub table" ]
  deep = 1
[[claim]]
id = "one"
[claim.more]
x = 1
[[claim.many]]
y = 1
[[claim.many]]
y = 2

[[claim]]

id = "two"'''


def test_every_way_of_writing_a_key() -> None:
    assert tomllib.loads(TRICKY)
    lines = key_lines(TRICKY)
    expected: dict[KeyPath, int] = {
        ("title",): 2, ("quoted key",): 3, ("literal # key",): 4, ('with "escape" A',): 5,
        ("a", "b", "c.d"): 6, ("multi",): 7, ("ends",): 11, ("literal",): 12, ("after",): 15, ("array",): 16,
        ("inline",): 22,
        ("release",): 23, ("release", "gamma"): 24, ("release", "sub table"): 25,
        ("release", "sub table", "deep"): 26, ("claim",): 27, ("claim", 0): 27, ("claim", 0, "id"): 28,
        ("claim", 0, "more", "x"): 30, ("claim", 0, "many", 0, "y"): 32, ("claim", 0, "many", 1): 33,
        ("claim", 0, "many", 1, "y"): 34, ("claim", 1): 36, ("claim", 1, "id"): 38,
    }  # fmt: skip
    assert {path: lines[path] for path in expected} == expected


def _paths(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Return the paths of all keys, by the standard reader; arrays of tables count as written with [[ ]]."""
    if isinstance(value, dict):
        found: set[KeyPath] = {path} if path else set()
        return found.union(*(_paths(each, (*path, key)) for key, each in value.items()))
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return {path}.union(*(_paths(each, (*path, number)) for number, each in enumerate(value)))
    return {path}


_KEY = st.sampled_from(["a", "b", "c-1", '"q q"', "'l#l'", '"e\\"e"'])
_DOTTED = st.lists(_KEY, min_size=1, max_size=2).map(" . ".join)
_VALUE = st.sampled_from(
    [
        "1", "true", '"x"', '"# ["', '"\\""', "''", "'\\'", '"""a\n"b"\n"""', '"""""x"""""',
        "'''\n[[t]]\n'''",
        "[]", "[ # ]\n 1,\n]", "[[1], ['[']]", "1979-05-27", '[\n"""\n]"""\n]', "'''x''''", '"""\\\n  x"""',
    ]
)  # fmt: skip
_ASSIGNMENT = st.tuples(_DOTTED, _VALUE).map(lambda pair: f"{pair[0]} = {pair[1]}")
_HEADER = _DOTTED.map("[{}]".format)
_TABLES = _DOTTED.map("[[ {} ]]".format)
_LINE = st.tuples(
    st.sampled_from(["", "  ", "\t"]),
    st.one_of(_ASSIGNMENT, _ASSIGNMENT, _HEADER, _TABLES, st.just("")),
    st.sampled_from(["", " # x = 1", "  "]),
).map("".join)


@given(st.lists(_LINE, max_size=8))
def test_the_keys_are_those_of_the_standard_reader(statements: list[str]) -> None:
    """Statements that make no valid document together are left out one by one."""
    text, expected = "", dict[KeyPath, int]()
    for statement in statements:
        longer = f"{text}{statement}\n"
        try:
            paths = _paths(tomllib.loads(longer))
        except tomllib.TOMLDecodeError:
            continue
        line = text.count("\n") + 1
        expected |= dict.fromkeys(paths - set(expected), line)
        text = longer
    assert key_lines(text) == expected


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", " \t"])
def test_nothing_to_find(text: str) -> None:
    assert key_lines(text) == {}
