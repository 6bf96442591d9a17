"""Queries in a small part of SQL: ``SELECT COUNT(*) WHERE age BETWEEN 30 AND 39 AND occupation = 'Sales';``.

A statement is SELECT COUNT(*), optionally FROM and a name, WHERE, and conditions joined by AND: one of
``= <> != < <= > >=`` with a value, BETWEEN two limits, IN or NOT IN a list, IS NULL or IS NOT NULL for empty
cells. Strings are in single quotes, names that are no plain words in double quotes; a quote within is
doubled. Statements end with ``;``, comments begin with ``--``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from splu_ref.channels import DataError, InputError
from splu_ref.estimators import AnyOf, Between, Condition, Limit, NoneOf, Query, between, end_of, join_limits

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*)
    |(?P<text>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*"|`[^`]*`)
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w))
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><>|!=|<=|>=|[=<>(),;*])""",
    re.VERBOSE,
)
_SIGNS = {"=", "<>", "!=", "<", "<=", ">", ">="}
_END = "the end"
ONE_LANGUAGE = "a file is all JSON or all SQL"
"""What is wrong with a file of queries that has both."""
_INSTEAD = {
    "OR": "OR is not supported: write column IN ('a', 'b'), or --where 'column=a|b', for any of several "
    "values, and a statement for each alternative otherwise",
    "GROUP": "GROUP BY is not supported: for a table write --by column,column, with --where for its "
    "conditions, instead of --batch",
}
"""What to write instead of a keyword."""
_MEASURES = {"AVG": "--mean", "SUM": "--sum"}
_OPERATORS = {"LIKE", "ILIKE", "REGEXP", "SIMILAR", "AND", "OR"}
"""Words behind a column that are not the rest of its name."""


class _Token(NamedTuple):
    kind: str
    text: str
    place: int

    @property
    def word(self) -> str:
        """The token in capitals if it is a keyword, a sign or the end, else an empty text."""
        return self.text.upper() if self.kind == "word" else self.text if self.kind in {"sign", "end"} else ""


def read_statements(text: str, path: object) -> Iterator[tuple[int, Query]]:
    """Yield each query of a text with the number of its first line."""
    reader = _Reader(text, path)
    while reader.token.kind != "end":
        line = reader.line(reader.token.place)
        conditions = reader.statement()
        yield line, Query(tuple(conditions.items()))


class _Reader:
    def __init__(self, text: str, path: object) -> None:
        self._text, self._path, self._next = text, path, 0
        self.token = self._read()

    def line(self, place: int) -> int:
        """Return the line number of a position."""
        return self._text.count("\n", 0, place) + 1

    def statement(self) -> dict[str, Condition]:
        self._expect("SELECT", "SELECT COUNT(*) WHERE …")
        if self.token.word in _MEASURES:
            option = _MEASURES[self.token.word]
            raise self._fault(f"a batch asks for counts: give --by COLUMN {option} COLUMN instead of --batch")
        if self.token.kind in {"word", "name"} and self.token.word != "COUNT":
            raise self._expected(
                "COUNT(*) alone; for a table write --by column,column instead of --batch, for sums also --sum"
            )
        for word in ("COUNT", "(", "*", ")"):
            self._expect(word, "SELECT COUNT(*) WHERE …")
        if self._passes("FROM"):
            self._column()
        self._refuse_unsupported()
        self._expect("WHERE", "WHERE, and what to count")
        found: dict[str, Condition] = {}
        while True:
            begin = self.token
            column = self._column()
            try:
                condition = self._condition(column)
                found[column] = (
                    join_limits(column, found[column], condition) if column in found else condition
                )
            except DataError:
                raise
            except InputError as error:
                raise self._fault(str(error), begin) from None
            if not self._passes("AND"):
                break
        self._refuse_unsupported()
        if self.token.kind != "end":
            self._expect(";", "AND, or ; after a query")
        return found

    def _refuse_unsupported(self) -> None:
        """Raise with what to write instead, if the next word is a keyword that is not supported."""
        if self.token.word in _INSTEAD:
            raise self._fault(_INSTEAD[self.token.word])

    def _condition(self, column: str) -> Condition:
        if self._passes("BETWEEN"):
            least = self._limit(last=False)
            self._expect("AND", "AND between the limits")
            return between(column, least, self._limit(last=True))
        if self._passes("IS"):
            left_out = self._passes("NOT")
            self._expect("NULL", "NULL")
            return NoneOf(("",)) if left_out else AnyOf(("",))
        left_out = self._passes("NOT")
        if self._passes("IN"):
            self._expect("(", "a list such as ('a', 'b')")
            values = [self._value()]
            while self._passes(","):
                values.append(self._value())
            self._expect(")", ", or ) after the list")
            return (NoneOf if left_out else AnyOf)(tuple(dict.fromkeys(values)))
        sign = self.token.word
        if left_out or sign not in _SIGNS:
            form = "IN" if left_out else "=, <>, <, <=, >, >=, BETWEEN, IN or IS"
            if self.token.kind == "word" and not left_out and self.token.word not in _OPERATORS:
                form = f'{form} (a name with a blank is quoted: "{column} {self.token.text}")'
            raise self._expected(form)
        self._advance()
        if sign in {"=", "<>", "!="}:
            return (AnyOf if sign == "=" else NoneOf)((self._value(),))
        end, strict = self._limit(last=sign in {">", "<="}), "=" not in sign
        return Between(None, end, below=strict) if sign[0] == "<" else Between(end, None, above=strict)

    def _column(self) -> str:
        token = self.token
        if token.word == "(":
            raise self._fault("conditions have no parentheses: join them by AND alone")
        if token.kind not in {"word", "name"}:
            raise self._expected("the name of a column")
        self._advance()
        if token.kind == "word":
            return token.text
        mark = token.text[0]
        return token.text[1:-1].replace(mark * 2, mark)

    def _value(self) -> str:
        token = self.token
        if token.kind not in {"text", "number"}:
            raise self._expected("a text in single quotes or a number")
        self._advance()
        return token.text[1:-1].replace("''", "'") if token.kind == "text" else token.text

    def _limit(self, *, last: bool) -> Limit:
        token = self.token
        if token.word == "DATE":
            self._advance()
        found = end_of(self._value(), last=last)
        if found is None:
            raise self._fault("a limit is a number, or a date such as '2024-12-31'", token)
        return found

    def _passes(self, word: str) -> bool:
        if self.token.word != word:
            return False
        self._advance()
        return True

    def _expect(self, word: str, form: str) -> None:
        if not self._passes(word):
            raise self._expected(form)

    def _expected(self, form: str) -> DataError:
        found = _END if self.token.kind == "end" else self.token.text
        return self._fault(f"expected {form}, found {found}")

    def _fault(self, message: str, token: _Token | None = None) -> DataError:
        place = (token or self.token).place
        column = place - self._text.rfind("\n", 0, place)
        return DataError(f"{self._path}, line {self.line(place)}, column {column}: {message}")

    def _advance(self) -> None:
        self.token = self._read()

    def _read(self) -> _Token:
        while self._next < len(self._text):
            match, place = _TOKEN.match(self._text, self._next), self._next
            if match is None:
                token = _Token("sign", self._text[place], place)
                unclosed = token.text in "'\"`"
                mixed = f": {ONE_LANGUAGE}" if token.text == "{" else ""
                raise self._fault(
                    f"{token.text} is never closed"
                    if unclosed
                    else f"{token.text!r} has no meaning here{mixed}",
                    token,
                )
            self._next = match.end()
            if match.lastgroup != "space":
                return _Token(str(match.lastgroup), match.group(), place)
        return _Token("end", _END, len(self._text))
