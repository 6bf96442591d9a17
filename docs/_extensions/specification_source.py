"""The executable specification as text: modules in reading order, definitions, and links between them."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from docutils import nodes
from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES
from sphinx.addnodes import pending_xref

PACKAGE = "splu_ref.spec"
LINES_PER_MINUTE = 12
"""Reading speed for prose and code together, by somebody who writes the same in another language."""

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return the modules in reading order: as the package's docstring names them, then by name."""
    package = import_module(PACKAGE)
    names = [each.name for each in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.")]
    found = {page_name(name): import_module(name) for name in names if not name.endswith("__main__")}
    named = [name for name in re.findall(r"`+([\w.]+)`+", package.__doc__ or "") if name in found]
    ordered = [found[name] for name in dict.fromkeys([*named, *sorted(found)])]
    return tuple(module for module in ordered if any(map(defined, Source.of(module).tree.body)))


def page_name(name: str) -> str:
    """Return the name of the page of a module."""
    return name.removeprefix(f"{PACKAGE}.")


def title_and_lead(module: ModuleType) -> tuple[str, str]:
    """Return a page's title, and the docstring below it.

    A first line "Decoy plans: which values stand together" is the title "Decoy plans" and a sentence. Of any
    other docstring, the name of the module is the title.
    """
    text = Source.of(module).docstring(None)
    head, colon, rest = text.partition(": ")
    if colon and len(head) <= 32 and not set(head) & set("\n.`"):
        return head, rest[:1].upper() + rest[1:]
    return re.sub("[_.]", " ", page_name(module.__name__)).capitalize(), text


def purpose(module: ModuleType) -> str:
    """Return the first sentence of a page below its title."""
    paragraph = " ".join(title_and_lead(module)[1].split("\n\n")[0].split())
    return re.split(r"(?<=[^A-Z][.:]) (?=[A-Z`])", paragraph)[0].rstrip(".:")


def minutes(module: ModuleType) -> int:
    """Return the estimated reading time of a module in minutes, a multiple of five."""
    written = sum(bool(line.strip()) for line in Source.of(module).lines)
    return max(5, 5 * round(written / LINES_PER_MINUTE / 5))


@dataclass(frozen=True)
class Source:
    """A module of the specification: its lines and their syntax tree."""

    module: ModuleType
    lines: list[str]
    tree: ast.Module

    @staticmethod
    @cache
    def of(module: ModuleType) -> Source:
        """Return the source of a module."""
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        return Source(module, text.splitlines(), ast.parse(text))

    def docstring(self, definition: Definition | None) -> str:
        """Return the docstring of a definition, or of the module."""
        return ast.get_docstring(definition or self.tree) or ""

    def dedented(self, method: ast.FunctionDef) -> tuple[Source, ast.FunctionDef]:
        """Return the source of a method as if it were a function."""
        start, end = lines_of(method)
        lines = [""] * (start - 1) + [line.removeprefix("    ") for line in self.lines[start - 1 : end]]
        [moved] = ast.parse("\n".join(lines)).body
        assert isinstance(moved, ast.FunctionDef)
        return Source(self.module, lines, self.tree), moved

    def names(self) -> dict[str, str]:
        """Return the full name of what each name at the top of the module stands for."""
        names = {name: f"{self.module.__name__}.{name}" for each in self.tree.body for name in defined(each)}
        for each in self.tree.body:
            if isinstance(each, ast.ImportFrom) and (each.module or "").startswith(PACKAGE):
                names |= {alias.asname or alias.name: f"{each.module}.{alias.name}" for alias in each.names}
        return names


def defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module defines."""
    if isinstance(statement, Definition):
        return [statement.name]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def documented(definition: Definition) -> list[ast.FunctionDef]:
    """Return the methods of a class that have docstrings; others are shown with the code of the class."""
    members = definition.body if isinstance(definition, ast.ClassDef) else []
    return [each for each in members if isinstance(each, ast.FunctionDef) and ast.get_docstring(each)]


def lines_of(definition: Definition) -> tuple[int, int]:
    """Return the first and the last line of a definition, with its decorators."""
    start = min([definition.lineno, *(each.lineno for each in definition.decorator_list)])
    return start, definition.end_lineno or start


def docstring_lines(definition: Definition) -> tuple[int, int]:
    """Return the first and the last line of a docstring; nothing is between the two if there is none."""
    first = definition.body[0]
    return (first.lineno, first.end_lineno or 0) if ast.get_docstring(definition) else (1, 0)


@cache
def kinds() -> dict[str, str]:
    """Return the kind of everything that has a section, by its full name."""
    found: dict[str, str] = {}
    for module in modules():
        found[module.__name__] = "module"
        for each in Source.of(module).tree.body:
            kind = {ast.ClassDef: "class", ast.FunctionDef: "function"}.get(type(each), "data")
            found |= {f"{module.__name__}.{name}": kind for name in defined(each)}
            if isinstance(each, ast.ClassDef):
                own = f"{module.__name__}.{each.name}"
                found |= {f"{own}.{method.name}": "method" for method in documented(each)}
    return found


@dataclass(frozen=True)
class Scope:
    """What the text of a definition may link to: the names of its module, without those it binds itself."""

    names: Mapping[str, str]
    bound: Collection[str] = field(default=())

    @classmethod
    def of(cls, source: Source, definition: ast.AST) -> Scope:
        """Return the scope of a function, a class or a constant."""
        parts = list(ast.walk(definition)) if isinstance(definition, Definition) else []
        bound = {each.arg for each in parts if isinstance(each, ast.arg)}
        stored = (each for each in parts if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
        return cls(source.names(), bound | {each.id for each in stored})

    def target(self, name: str) -> str | None:
        """Return the full name of what a dotted name stands for, or None if it has no section."""
        head, _, rest = name.partition(".")
        if head in self.bound:
            return None
        meant = f"{self.names[head]}.{rest}".rstrip(".") if head in self.names else f"{PACKAGE}.{name}"
        return next((full for full in (name, meant) if full in kinds()), None)

    def places(self, source: Source, definition: ast.AST) -> dict[tuple[int, int], str]:
        """Return the full names of what some code uses of the specification, by line and column."""
        found = {}
        for node in ast.walk(definition):
            dotted = _dotted(node)
            target = self.target(dotted) if dotted else None
            if target is not None and isinstance(node, ast.Name | ast.Attribute):
                line, end = node.end_lineno or 0, node.end_col_offset or 0
                last = source.lines[line - 1].encode()[:end].decode()
                found[line, len(last) - len(dotted.rpartition(".")[2])] = target
        return found


def _dotted(node: ast.AST) -> str:
    """Return a name with its attributes, or an empty text for any other code."""
    if isinstance(node, ast.Name):
        return node.id
    base = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{base}.{node.attr}" if base and isinstance(node, ast.Attribute) else ""


def link(target: str, content: nodes.Node) -> pending_xref:
    """Return a link to a section, which fails the build if there is none."""
    role = "mod" if kinds()[target] == "module" else "obj"
    return pending_xref(
        "", content, refdomain="py", reftype=role, reftarget=target, refexplicit=True, refwarn=True
    )


def code_block(source: Source, definition: ast.stmt, left_out: Iterable[tuple[int, int]] = ()) -> nodes.Node:
    """Return the code of a definition without some lines, with a link at each name of the specification."""
    first, last = definition.lineno, definition.end_lineno or definition.lineno
    if isinstance(definition, Definition):
        first, last = lines_of(definition)
    hidden = {number for start, end in left_out for number in range(start, end + 1)}
    shown = list(_without_gaps(source, [line for line in range(first, last + 1) if line not in hidden]))
    text, starts = "", {}
    for number in shown:
        starts[number] = len(text)
        text += source.lines[number - 1] + "\n"
    places = Scope.of(source, definition).places(source, definition)
    own = {f"{source.module.__name__}.{name}" for name in defined(definition)}
    targets = {
        starts[line] + column: full
        for (line, column), full in places.items()
        if line in starts and full not in own
    }
    block = nodes.literal_block("with links", classes=["code", "python"])
    text = text.rstrip("\n") + (" ..." if text.endswith(":\n") else "")
    for at, kind, value in PythonLexer().get_tokens_unprocessed(text):
        token = _token(kind, value)
        block += link(targets[at], token) if at in targets else token
    inner = nodes.container("", block, classes=["highlight"])
    return nodes.container("", inner, classes=["highlight-python", "notranslate", "spec-code"])


def _without_gaps(source: Source, numbers: Iterable[int]) -> Iterator[int]:
    """Leave out blank lines at the beginning, at the end, after a header, and all but one between others."""
    before, blank = "", 0
    for number in numbers:
        line = source.lines[number - 1]
        if not line.strip():
            blank = number
            continue
        if blank and before and not before.endswith(":"):
            yield blank
        yield number
        before, blank = line, 0


def _token(kind: Any, value: str) -> nodes.Node:
    while kind not in STANDARD_TYPES:
        kind = kind.parent
    style = STANDARD_TYPES[kind]
    return nodes.inline("", value, classes=[style]) if style else nodes.inline("", value)
