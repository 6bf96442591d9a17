"""Pages made from the executable specification: each module as prose, code, worked examples and vectors.

The directive ``specification`` renders one module: its docstring; then its constants, classes and functions
in the order of the source, each with its docstring as prose and its code without the docstring; then the
vectors of the operations that the module answers. A name of the specification, in code or in backquotes, is a
link to its section. The directive ``specification-contents`` lists all modules in reading order and puts them
into the navigation; with a word, it lists those whose name begins with it.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from docutils import nodes
from specification_calls import handler, operations_of
from specification_source import (
    Definition,
    Scope,
    Source,
    code_block,
    defined,
    docstring_lines,
    documented,
    kinds,
    lines_of,
    link,
    minutes,
    modules,
    page_name,
    purpose,
    title_and_lead,
)
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.domains.python import PythonDomain
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from vector_lists import VectorFiles, vector_list

_LOG = logging.getLogger(__name__)


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Register the directives, and the step that puts the files of vectors beside the pages."""
    sphinx.add_directive("specification", Page)
    sphinx.add_directive("specification-contents", Contents)
    sphinx.connect("build-finished", _copy_vectors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _copy_vectors(sphinx: Sphinx, error: Exception | None) -> None:
    if error is None and sphinx.builder.format == "html":
        shutil.copytree(VectorFiles.FOLDER, Path(sphinx.outdir) / "vectors", dirs_exist_ok=True)


def specification_pages() -> dict[str, Iterator[str]]:
    """Return the lines of the page of each module, by its name below the reference folder."""
    return {f"specification/{page_name(each.__name__)}.rst": _page(each) for each in modules()}


def _page(module: ModuleType) -> Iterator[str]:
    title, _ = title_and_lead(module)
    yield f"{title}\n{'=' * len(title)}\n\n.. specification:: {module.__name__}"


class Page(SphinxDirective):
    """Render one module of the specification."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the content of the page below its title."""
        module = import_module(self.arguments[0])
        source = Source.of(module)
        for part in (module.__file__, __file__, code_block.__code__.co_filename):
            self.env.note_dependency(str(part))
        anchor = f"module-{module.__name__}"
        self.state.parent["ids"] = [anchor]  # the one made of the title may be the name of a function
        _domain(self).note_module(module.__name__, anchor, "", "", False)
        self._note(module.__name__, "module", anchor)
        shown = self._prose(title_and_lead(module)[1], module.__name__, "module", Scope(source.names()))
        statements = source.tree.body
        for each, following in zip(statements, [*statements[1:], None], strict=True):
            if isinstance(each, Definition):
                shown.append(self._definition(source, each))
            elif defined(each):
                shown.append(self._constant(source, each, following))
        if operations := operations_of(module):
            shown.append(self._vectors(operations))
        return shown

    def _note(self, name: str, kind: str, anchor: str) -> None:
        _domain(self).note_object(name, kind, anchor, location=self.get_location())

    def _prose(self, text: str, name: str, what: str, scope: Scope) -> list[nodes.Node]:
        """Return a docstring as nodes: NumPy sections as lists, examples with a heading, names as links."""
        written = with_examples(escaped(text))
        numpy = NumpyDocstring(written, self.config, None, cast("Any", what), name)
        parsed = self.parse_text_to_nodes(str(numpy))
        for literal in [node for each in parsed for node in each.findall(nodes.literal)]:
            target = scope.target(literal.astext().removesuffix("()"))
            if target not in (None, name) and not isinstance(literal.parent, pending_xref):
                literal.replace_self(link(str(target), literal.deepcopy()))
        return parsed

    def _definition(self, source: Source, definition: Definition) -> nodes.Node:
        name, full = definition.name, f"{source.module.__name__}.{definition.name}"
        if not source.docstring(definition) and not name.startswith("_"):
            _LOG.warning("%s has no docstring", full, location=self.get_location())
        section = nodes.section(ids=[name])
        section += nodes.title("", "", nodes.literal("", name))
        self._note(full, kinds()[full], name)
        section += self._prose(
            source.docstring(definition), full, kinds()[full], Scope.of(source, definition)
        )
        methods = documented(definition)
        section += code_block(source, definition, [docstring_lines(definition), *map(lines_of, methods)])
        for method in methods:
            section += self._method(source, name, method)
        operation = handler(source.module, name)
        if operation is not None:
            section += self._request(operation)
        elif operations := operations_of(source.module, name):
            said = ", ".join(f"`{each} <#vectors-{each}>`__" for each in operations)
            section += nodes.container(
                "", *self.parse_text_to_nodes(f"Vectors: {said}"), classes=["spec-answers"]
            )
        return section

    def _method(self, source: Source, owner: str, method: ast.FunctionDef) -> nodes.Node:
        anchor = f"{owner}.{method.name}"
        full = f"{source.module.__name__}.{anchor}"
        self._note(full, "method", anchor)
        title = nodes.rubric("", "", nodes.literal("", anchor), ids=[anchor])
        block = nodes.container("", title, classes=["spec-method"])
        block += self._prose(source.docstring(method), full, "method", Scope.of(source, method))
        moved, alone = source.dedented(method)
        block += code_block(moved, alone, [docstring_lines(alone)])
        return block

    def _constant(self, source: Source, statement: ast.stmt, following: ast.stmt | None) -> nodes.Node:
        names = defined(statement)
        for name in names:
            self._note(f"{source.module.__name__}.{name}", "data", name)
        block = nodes.container("", code_block(source, statement), ids=names, classes=["spec-constant"])
        after = following.value if isinstance(following, ast.Expr) else None
        if isinstance(after, ast.Constant) and isinstance(after.value, str):
            block += self._prose(after.value, names[0], "data", Scope(source.names()))
        block += self._records(getattr(source.module, names[0], None))
        return block

    def _records(self, value: object) -> list[nodes.Node]:
        """Return a table of a list of records that have a sentence, such as the conditions of a claim."""
        if not isinstance(value, list) or not all(hasattr(each, "sentence") for each in value):
            return []
        names = [part.name for part in fields(value[0]) if isinstance(getattr(value[0], part.name), str)]
        rows = [names, *([str(getattr(each, name)) for name in names] for each in value)]
        lines = [".. list-table::", "   :header-rows: 1", "   :class: spec-records", ""]
        for row in rows:
            cells = [escaped(cell).replace("*", "\\*") for cell in row]
            lines += [f"   {'*' if not number else ' '} - {cell}" for number, cell in enumerate(cells)]
        return self.parse_text_to_nodes("\n".join(lines))

    def _request(self, operation: str) -> nodes.Node:
        """Return the shortest request of an operation that has an answer, with the answer."""
        example = VectorFiles.read().example(operation)
        block = nodes.container(classes=["spec-request"])
        for label, value in zip(("Request", "Answer"), example or (), strict=False):
            text = json.dumps(value, ensure_ascii=False)
            block += nodes.rubric("", label)
            block += nodes.literal_block(text, text, language="json", classes=["spec-wrapped"])
        return block

    def _vectors(self, operations: Sequence[str]) -> nodes.Node:
        section = nodes.section("", nodes.title("", "Vectors"), ids=["vectors"])
        folder = "../" * self.env.docname.count("/") + "vectors/"
        section += nodes.raw("", vector_list(operations, folder), format="html")
        return section


def _domain(directive: SphinxDirective) -> PythonDomain:
    return cast("PythonDomain", directive.env.get_domain("py"))


def escaped(text: str) -> str:
    """Return a docstring whose bars are bars, since |x| is an absolute value, and whose code ends as it says.

    Examples, indented blocks and rows of tables are left as they are.
    """
    parts, example = [], False
    for line in text.splitlines():
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        plain = not example and not re.match(r"[|+]|    ", line)
        if plain and parts and parts[-1][0]:
            parts[-1] = (True, f"{parts[-1][1]}\n{line}")
        else:
            parts.append((plain, line))
    return "\n".join(_escaped_prose(part) if plain else part for plain, part in parts)


def _escaped_prose(text: str) -> str:
    parts = re.split(r"(``(?:.|\n)+?``|`[^`]+`)", text)
    parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
    for place in range(1, len(parts), 2):  # code before or after a letter or a bracket of another script
        if re.search(r"[\w⌈⌊]$", parts[place - 1]):
            parts[place] = "\\ " + parts[place]
        if re.match(r"[\w⌉⌋]", parts[place + 1]):
            parts[place] += "\\ "
    return "".join(parts)


def with_examples(text: str) -> str:
    """Return a docstring whose first example has a heading."""
    if re.search(r"^Examples?\n-+$", text, re.MULTILINE):
        return text
    return re.sub(r"^>>>", "Example\n-------\n>>>", text, count=1, flags=re.MULTILINE)


class Contents(TocTree):
    """List modules in reading order, with their purpose and reading time."""

    optional_arguments = 1
    has_content = False

    def run(self) -> list[nodes.Node]:
        """Return a table, and for all modules their places in the navigation as well."""
        self.env.note_reread()  # a new module changes no file that this page is made from
        prefix = self.arguments[0] if self.arguments else ""
        shown = [module for module in modules() if page_name(module.__name__).startswith(prefix)]
        if not shown:
            return []
        rows = ["| page | content | minutes |", "|---|---|--:|"]
        for module in shown:
            page = f"/reference/specification/{page_name(module.__name__)}"
            said = re.sub("``?(.*?)``?", r"`\1`", purpose(module)).replace("|", "\\|")
            rows.append(f"| [{title_and_lead(module)[0]}]({page}.rst) | {said} | {minutes(module)} |")
        rows.append(f"| together | | {sum(map(minutes, shown))} |")
        table = self.parse_text_to_nodes("\n".join(rows))
        if prefix:
            return table
        self.options["hidden"] = None
        self.content.data[:] = [f"/reference/specification/{page_name(each.__name__)}" for each in shown]
        return [*table, *super().run()]
