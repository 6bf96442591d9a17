"""Write the reference pages that repeat what the code says: Python rooms, commands, claims, specification.

The pages stand under ``docs/reference``, which is not kept in version control. In a checkout, links lead to
the code that they show: to a module of the specification, or of the ledger with the name of the claim's page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from claim_pages import claim_pages
from command_examples import TABLE, printed
from difference_picture import CAPTION, ID, alternative, curves, draw_difference
from docutils import nodes
from frontier_picture import draw_frontier, frontier
from specification import specification_pages
from sphinx.application import Sphinx

from experiments import program as experiments
from splu_ref.cli.app import COMMANDS, command
from splu_ref.cli.app import app as program
from splu_ref.report.html import calculator_page

ROOMS = (
    "splu_ref.channels",
    "splu_ref.data",
    "splu_ref.randomness",
    "splu_ref.mechanisms",
    "splu_ref.guarantees",
    "splu_ref.certificate_checker",
    "splu_ref.estimators",
    "splu_ref.audit",
    "splu_ref.audit.claims",
    "splu_ref.audit.releases",
    "splu_ref.audit.release_log",
    "splu_ref.api",
    "splu_ref.report",
    "splu_proofs",
    "splu_proofs.claim",
    "splu_proofs.evidence",
    "splu_proofs.result",
)
"""The public rooms, in the order of the data and promises that flow through them."""


_CODE = re.compile(r"\]\((?:\.\./)+(?:splu_ref/spec/(\w+)\.py|proofs/splu_proofs/[\w./]+#([\w.]+))\)")
"""A link to code that a reference page shows."""


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Register the writer; it runs before Sphinx looks for source files."""
    sphinx.add_role("html", _html)
    sphinx.connect("builder-inited", _write)
    sphinx.connect("source-read", _link)
    sphinx.connect("html-page-context", _own_branch, priority=400)  # before that of the theme
    sphinx.connect("build-finished", _write_calculator)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _html(
    role: str, source: str, text: str, *_: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    return [nodes.raw(source, text, format="html")], []


def _write_calculator(sphinx: Sphinx, error: Exception | None) -> None:
    """Put the page without installing beside the pages, as it is."""
    if error is None and sphinx.builder.format == "html":
        (Path(sphinx.outdir) / "page.html").write_bytes(calculator_page())


def _own_branch(_: Sphinx, name: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Unfold only the branch of a page in its navigation: hundreds of pages on each of them take minutes."""
    if (whole := context.get("toctree")) is not None:
        context["toctree"] = lambda **options: whole(**options | {"collapse": True})


def _link(_: Sphinx, name: str, source: list[str]) -> None:
    """Link to reference pages instead of the code that they show."""
    folder = "../" * name.count("/") + "reference"

    def page(found: re.Match[str]) -> str:
        module, claim = found.groups()
        return f"]({folder}/specification/{module}.rst)" if module else f"]({folder}/claims/{claim}.md)"

    source[0] = _CODE.sub(page, source[0])


def _write(sphinx: Sphinx) -> None:
    folder = Path(sphinx.srcdir) / "reference"
    pages = {f"{room}.rst": _room(import_module(room)) for room in ROOMS}
    pages |= {"python.md": _rooms(), "commands.md": _commands(Path(sphinx.doctreedir))} | claim_pages()
    pages |= {"frontier.html": _frontier(), "difference.html": _difference()}
    pages |= specification_pages()
    for name in ("claims", "specification"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, lines in pages.items():
        text = "\n".join(lines) + "\n"
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:  # saves Sphinx a rebuild
            page.write_text(text, encoding="utf-8")
    for page in folder.rglob("*.*"):
        if page.relative_to(folder).as_posix() not in pages:
            page.unlink()


def _frontier() -> Iterator[str]:
    shown = frontier()
    yield f"<figure>{''.join(draw_frontier(shown).splitlines())}"
    yield f'<figcaption>{shown.caption} <span id="{shown.id}-alternative" hidden>{shown.alternative}</span>'
    yield "</figcaption></figure>"


def _difference() -> Iterator[str]:
    shown = curves()
    yield f"<figure>{''.join(draw_difference(shown).splitlines())}"
    yield f'<figcaption>{CAPTION} <span id="{ID}-alternative" hidden>{alternative(shown)}</span>'
    yield "</figcaption></figure>"


def _rooms() -> Iterator[str]:
    yield "# Python\n\nThe names listed here are public. A room uses only rooms above it.\n"
    yield "| room | purpose |\n|---|---|"
    for room in ROOMS:
        yield f"| [`{room}`]({room}.rst) | {_first_line(import_module(room))} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from ROOMS
    yield "```"


def _room(room: ModuleType) -> Iterator[str]:
    yield f"``{room.__name__}``\n{'=' * (len(room.__name__) + 4)}\n"
    elsewhere = tuple(f"{other}." for other in ROOMS if other.startswith(f"{room.__name__}."))
    names = [
        name
        for name in getattr(room, "__all__", ())
        if str(getattr(getattr(room, name), "__module__", "")).startswith(elsewhere or ("-",))
    ]
    yield f".. automodule:: {room.__name__}\n   :members:"
    if names:
        yield f"   :exclude-members: {', '.join(names)}"


def _first_line(room: ModuleType) -> str:
    return (room.__doc__ or "").strip().splitlines()[0]


def _commands(kept: Path) -> Iterator[str]:
    group: Any = typer.main.get_command(program)
    yield f"# Commands\n\n{group.help}\n"
    yield (
        "Every command takes `--help`. The examples with an output were run for this page, one after the "
        f"other in one folder, where `{TABLE}` is the table that the package brings along."
    )
    commands = {name: ("splu-ref", command(name)) for name in COMMANDS}
    commands |= {name: (experiments.NAME, experiments.load(name)) for name in experiments.COMMANDS}
    examples = {name: _example(each) for name, (_, each) in commands.items()}
    outputs = printed(examples, kept / "examples.json")
    for name, (program_name, each) in commands.items():
        if name == next(iter(experiments.COMMANDS)):
            yield f"\n## Experiments\n\n{_paragraphs(typer.main.get_command(experiments.app).help)}"
        yield f"\n## `{program_name} {name}`\n\n{_paragraphs(each.help)}\n"
        yield from _parameters(each)
        shown = "\n".join([f"$ {examples[name]}", *outputs.get(name, "").splitlines()])
        yield f"\n```console\n{shown}\n```"


def _paragraphs(text: str | None) -> str:
    return (text or "").replace("\f", "").strip()


def _parameters(command: Any) -> Iterator[str]:
    yield "| argument or option | meaning |\n|---|---|"
    for parameter in command.params:
        yield f"| {_names(parameter)} | {_cell(parameter.help or '')}{_default(parameter)} |"


def _names(parameter: Any) -> str:
    names = (
        ", ".join(parameter.opts) if parameter.param_type_name == "option" else str(parameter.name).upper()
    )
    return f"`{names}`" + (" (required)" if parameter.required else "")


def _default(parameter: Any) -> str:
    default = parameter.default
    return (
        f" Default: `{default}`." if isinstance(default, str | int) and not isinstance(default, bool) else ""
    )


def _example(command: Any) -> str:
    return str(command.epilog or "").removeprefix("Example: ")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
