"""The step from docstrings to pages, for docstrings as this project writes them.

A one-line docstring of a property may hold a colon, which napoleon would read as "type: text". The
standalone checker speaks to people who read the file itself, so its text is shown as it stands. And a type
in a signature becomes a link if it has a page here; types of other projects do not, as looking them up would
need the network. References that somebody wrote are checked as strictly as ever.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.nodes import make_refnode

_PLAIN = "splu_ref.certificate_checker"
_VALUES = ("attribute", "data", "property")
_written: dict[str, list[str]] = {}


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Register handlers on both sides of napoleon's, whose priority is 500, and the look-up of types."""
    sphinx.connect("autodoc-process-docstring", _keep, priority=100)
    sphinx.connect("autodoc-process-docstring", _parse_as_text, priority=900)
    sphinx.connect("missing-reference", _type_in_signature)
    return {"parallel_read_safe": True}


def _keep(_: Sphinx, what: str, name: str, *rest: Any) -> None:
    lines: list[str] = rest[-1]
    if what in _VALUES:
        _written[name] = list(lines)
    if name == _PLAIN and what == "module":
        lines[1:] = ["", "::", "", *(f"    {line}" for line in lines[1:])]


def _parse_as_text(sphinx: Sphinx, what: str, name: str, *rest: Any) -> None:
    documented, options, lines = rest
    if what in _VALUES:
        text = NumpyDocstring(_written.pop(name), sphinx.config, sphinx, "method", name, documented, options)
        lines[:] = str(text).splitlines()


def _type_in_signature(
    sphinx: Sphinx, environment: BuildEnvironment, node: pending_xref, shown: Element
) -> Element | None:
    """Return a link to the type alias that has the name wanted, or else the name as it is."""
    if node.get("refdomain") != "py" or "refwarn" in node:  # only references that were written warn
        return None
    entry = _aliases(environment).get(node["reftarget"].rpartition(".")[2])
    if entry is None:
        return shown
    return make_refnode(sphinx.builder, node["refdoc"], entry.docname, entry.node_id, shown)


@cache
def _aliases(environment: BuildEnvironment) -> dict[str, ObjectEntry]:
    """Return the type aliases by their names; of several that have one name, the first."""
    objects = reversed(environment.domains.python_domain.objects.items())
    return {name.rpartition(".")[2]: entry for name, entry in objects if entry.objtype == "data"}
