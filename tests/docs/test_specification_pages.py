"""The pages made from the executable specification: complete, linked, and beside their vectors."""

from __future__ import annotations

import ast
import doctest
import html
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.docs import vector_pages

source: Any = import_module("specification_source")
calls: Any = import_module("specification_calls")
lists: Any = import_module("vector_lists")
specification: Any = import_module("specification")
"""Extensions of the documentation, whose folder ``vector_pages`` puts on the path."""

MODULES: tuple[ModuleType, ...] = source.modules()
OPERATIONS = sorted(calls.protocol().OPERATIONS)
FUNCTIONS = [
    (module, each)
    for module in MODULES
    for each in source.Source.of(module).tree.body
    if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")
]
"""Every public function of the specification, with its module."""

CONFIGURATION = {
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docstrings", "specification"],
    "html_theme": "basic",
    "napoleon_use_rtype": False,
    "napoleon_use_param": False,
    "napoleon_custom_sections": [("Attributes", "params_style")],
    "default_role": "code",
    "nitpicky": True,
    "smartquotes": False,
}
INDEX = "# All\n\n```{specification-contents}\n```\n\n```{specification-contents} draw\n```\n"


@dataclass(frozen=True)
class Built:
    """The pages of a small documentation, and what Sphinx warned of.

    Attributes
    ----------
    folder
        Where the pages are.
    warnings
        One a line.
    """

    folder: Path
    warnings: str

    def page(self, module: str) -> str:
        """Return the page of a module as HTML."""
        return (self.folder / f"reference/specification/{module}.html").read_text(encoding="utf-8")

    def text(self, module: str) -> str:
        """Return the text of the page of a module, with one blank for any white space."""
        return " ".join(html.unescape(re.sub("<[^>]+>", "", self.page(module))).split())


def build(folder: Path) -> Built:
    """Build the pages of the specification alone."""
    pages = {"index.md": INDEX} | {
        f"reference/{name}": "\n".join(lines) for name, lines in specification.specification_pages().items()
    }
    for name, text in pages.items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    warned = StringIO()
    with warnings.catch_warnings(), docutils_namespace():  # which forgets what it registers for a build
        warnings.simplefilter("ignore")  # of MyST, about a later Sphinx
        sphinx = Sphinx(
            folder / "source",
            None,
            folder / "html",
            folder / "trees",
            "html",
            CONFIGURATION,
            status=None,
            warning=warned,
        )
        sphinx.build()
    return Built(folder / "html", warned.getvalue())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("pages"))


def named(module: ModuleType) -> str:
    name: str = source.page_name(module.__name__)
    return name


def examples(text: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(text)


def test_nothing_is_missing(built: Built) -> None:
    assert built.warnings == ""


def test_a_function_has_its_section_with_prose_and_code(built: Built) -> None:
    for module, function in FUNCTIONS:
        page, text, name = built.page(named(module)), built.text(named(module)), function.name
        assert page.count(f'<section id="{name}">') == 1, name
        prose = ast.get_docstring(function)
        assert prose is not None, name
        said = re.split(r"[`|*\\]", " ".join(prose.split("\n\n")[0].split()))[0]
        assert text.count(said) >= 1, name
        assert f"def {name}(" in text, name
        for example in examples(prose):
            assert " ".join(example.source.split("\n")[0].split()) in text, name
        assert "Return" not in text.partition(f"def {name}(")[2].partition(": ")[0], name


def test_docstrings_stand_once_on_a_page(built: Built) -> None:
    for module, each in FUNCTIONS:
        first = (ast.get_docstring(each) or "").split("\n")[0]
        elsewhere = [
            part
            for part in ast.walk(source.Source.of(module).tree)
            if isinstance(part, ast.FunctionDef | ast.ClassDef)
            and (ast.get_docstring(part) or "").split("\n")[0] == first
        ]
        if not set(first) & set("`|*\\"):
            assert built.text(named(module)).count(first) >= 1
            assert built.text(named(module)).count(first) <= len(elsewhere) + 1, first


def test_an_operation_has_a_page_a_request_and_vectors(built: Built) -> None:
    protocol, read = built.text(named(calls.protocol())), lists.VectorFiles.read()
    for operation in OPERATIONS:
        module = calls.deciding(operation)
        assert module is not calls.protocol()
        assert f'id="vectors-{operation}"' in built.page(named(module))
        request, answer = read.example(operation)
        assert request["op"] == operation
        assert answer
        valid, invalid, generated = read.counts(operation)
        assert valid + invalid + bool(generated) >= len(read.files[operation])
        assert f'"op": "{operation}"' in protocol


def test_files_of_vectors_name_the_module_that_decides_them() -> None:
    for operation, files in lists.VectorFiles.read().files.items():
        assert {file["page"] for file in files} == {vector_pages.page_of(operation)}, operation


def links(page: str) -> Iterator[str]:
    for address in re.findall(r'<a [^>]*href="([^"]+)"', page):
        if "://" not in address:
            yield unquote(html.unescape(address))


def test_links_lead_to_sections_and_files(built: Built) -> None:
    followed = 0
    for path in (built.folder / "reference").rglob("*.html"):
        for address in links(path.read_text(encoding="utf-8")):
            file, _, anchor = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), (path.name, address)
            if anchor and target.suffix == ".html":
                assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), (path.name, address)
            followed += 1
    assert followed > 1000


def test_names_in_code_and_prose_are_links(built: Built) -> None:
    code = re.findall(r'<pre class="code[^>]*>.*?</pre>', built.page("plans"), re.DOTALL)
    assert any('href="#require_feasible"' in block for block in code)
    assert any('href="randomness.html#order_within"' in block for block in code)
    assert not any('href="#plan"' in block and "def blocks_of" in block for block in code)


def test_the_index_lists_the_modules_in_reading_order(built: Built) -> None:
    page = (built.folder / "index.html").read_text(encoding="utf-8")
    table = re.findall(r"<td>.*?reference/specification/([\w.]+)\.html", page)
    order = [named(module) for module in MODULES]
    assert table == [*order, *(name for name in order if name.startswith("draw"))]
    assert order.index("randomness") < order.index("plans") < order.index("splu_gen")


# ---- what the pages must refuse -------------------------------------------------------------------

TOY: Mapping[str, str] = {
    "__init__.py": '"""A toy: `rules`."""\n',
    "rules.py": '''"""Rules: see `known`, and not `unknown`."""

from dataclasses import dataclass


@dataclass
class Condition:
    """A condition."""

    field: str
    number: int
    sentence: str


CONDITIONS = [Condition("x", 1, "`x` is |y|."), Condition("z", 2, "2 * 3 is 6.")]
"""What must hold."""


def known(bound: int) -> int:
    """Return |bound|, as `silent` does; ``a|b`` is code, as in ⌈``bound``⌉ and ``known
    bound``.

    Parameters
    ----------
    bound
        Any number.

    >>> known(1)  # |1|
    1
    """
    known = bound
    return known


def silent(x: int) -> int:
    return known(x)


class Kind:
    """A kind."""

    def method(self) -> int:
        """Return what `known` returns."""
        return known(1)
''',
}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Built]:
    calls.calls()
    folder = tmp_path / "toy_specification"
    folder.mkdir()
    for name, text in TOY.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(source, "PACKAGE", "toy_specification")
    cached = (source.modules, source.kinds)
    for each in cached:
        each.cache_clear()
    yield build(tmp_path)
    for each in cached:
        each.cache_clear()


def test_a_public_function_without_docstring_is_a_warning(toy: Built) -> None:
    warned = [line for line in toy.warnings.splitlines() if "docstring" in line]
    assert len(warned) == 1
    assert "toy_specification.rules.silent has no docstring" in warned[0]


def test_what_a_function_binds_itself_is_no_link(toy: Built) -> None:
    page = toy.page("rules")
    blocks = re.findall(r'<pre class="code[^>]*>.*?</pre>', page, re.DOTALL)
    assert ['href="#known"' in block for block in blocks] == [False, False, False, True, False, True]
    assert page.count('href="#silent"') >= 1
    assert 'href="#unknown"' not in page


def test_bars_are_bars_and_examples_have_a_heading(toy: Built) -> None:
    text = toy.text("rules")
    assert "Return |bound|, as silent does; a|b is code, as in ⌈bound⌉ and known bound." in text
    assert "known(1) # |1|" in text
    assert re.search(r"Any number\. Example >>> known", text)


def test_conditions_are_a_table(toy: Built) -> None:
    table = toy.page("rules").partition("<table")[2].partition("</table>")[0]
    cells = [
        re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", table, re.DOTALL)
    ]
    assert cells == ["field", "sentence", "x", "x is |y|.", "z", "2 * 3 is 6."]
